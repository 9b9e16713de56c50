import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import { type FinishDeps, finishAttempt } from '../core/attempt/finish-attempt.ts';
import { failureOf } from '../core/attempt/settle.ts';
import { endTooLate, type TooLateDeps } from '../core/attempt/too-late.ts';
import { type OccurrenceKey, occurrenceId } from '../core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../core/occurrence/occurrence.ts';
import { decideSweep, overdueBy } from '../core/occurrence/overdue.ts';
import { NO_HAND_OVER } from '../core/occurrence/redispatch-pace.ts';
import type { OccurrenceStore, Settlement } from '../core/ports/occurrence-store.ts';
import type { SweepMemory, SweepPart, SweepStore } from '../core/ports/sweep-store.ts';
import type { Revision } from '../core/schedule/revision.ts';
import { type EpochMs, epochMs, MAX_INSTANT, SECOND } from '../core/time.ts';
import { lookThrough } from './look-through.ts';
import { Candidates, type HandOverDeps, handOver, readEvidence } from './redispatch.ts';
import { EMPTY, merge, type SweepResult } from './result.ts';
import { type SlotPositions, sweepSlots } from './slots.ts';
import { startWalk } from './walk.ts';

/** Writes under way at once for one page. */
const WRITE_CONCURRENCY = 8;
/** Occurrences that one pass looks at, all parts together: a backlog must not cost the more the longer it is. */
const MAX_LOOKED_AT = 20_000;
/** Of the time of a pass, for looking; the rest is for handing over. */
const LOOKING = 0.7;

export interface SweepDeps extends FinishDeps {
  readonly occurrences: Pick<OccurrenceStore, 'expire' | 'redispatch' | 'readOccurrence' | 'slots'> &
    FinishDeps['occurrences'] &
    TooLateDeps['occurrences'];
  readonly open: SweepStore;
  readonly messages: HandOverDeps['messages'];
  readonly revisionOf: TooLateDeps['revisionOf'];
  readonly redispatchMs: number;
  /** No page is begun after this. */
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export interface SweepRequest {
  readonly shards: readonly number[];
  /**
   * Hands every pending occurrence over again, also those that are not due yet. For when the work queue was
   * lost (purged, deleted, or the embedded run's process killed): the table still knows all that is to run.
   */
  readonly reissue: boolean;
}

/** Finds what died: expired leases, lost messages, passed start deadlines, idle slots; and measures lateness. */
export async function sweep(deps: SweepDeps, { shards, reissue }: SweepRequest): Promise<SweepResult> {
  const name = reissue ? 'reissue' : 'sweep';
  const before = await deps.open.readMemory(name);
  const handOverBefore = before?.handOver ?? NO_HAND_OVER;
  const began = deps.now();
  const stopLookingAt = reissue ? deps.stopAt : epochMs(began + (deps.stopAt - began) * LOOKING);
  const candidates = new Candidates();
  const slots = lookAtSlots({ ...deps, stopAt: stopLookingAt }, candidates, before?.slots);
  const evidence = reissue ? undefined : await readEvidence(deps, handOverBefore);

  let result = EMPTY;
  const until = reissue ? MAX_INSTANT : began;
  const walks = partsOf(shards).map((part) =>
    startWalk(deps.open, part, until, before?.positions[`${part.kind}-${part.shard}`]),
  );
  const look = async (keys: readonly OccurrenceKey[]) => {
    if (keys.length === 0) return;
    const open = (await deps.open.readOpen(keys)).filter(({ dueAt }) => dueAt <= until);
    const swept = await pMap(open, (one) => sweepSafely(deps, one, candidates, reissue), {
      concurrency: WRITE_CONCURRENCY,
    });
    result = swept.reduce(merge, result);
  };
  const { positions, failures } = await lookThrough(walks, look, {
    // Whoever asks for a reissue waits for it.
    keys: reissue ? Number.POSITIVE_INFINITY : MAX_LOOKED_AT,
    stopAt: stopLookingAt,
    now: deps.now,
  });
  result = merge(result, { ...EMPTY, unfinished: Object.keys(positions).length, failures });

  const lookedAtSlots = await slots;
  result = merge(result, lookedAtSlots.result);
  const handed = evidence && (await handOver(deps, candidates, handOverBefore, evidence));
  if (handed) {
    const failed = [...evidence.failures, ...handed.failures];
    result = merge(result, { ...EMPTY, redispatched: handed.count, failures: failed });
  }
  const memory: SweepMemory = {
    positions,
    slots: lookedAtSlots.positions,
    handOver: handed?.memory ?? NO_HAND_OVER,
  };
  if (!isDeepStrictEqual(memory, before)) await deps.open.writeMemory(name, memory);
  return result;
}

function partsOf(shards: readonly number[]): SweepPart[] {
  return shards.flatMap((shard) => [
    { kind: 'work', shard },
    { kind: 'pull', shard },
  ]);
}

type Open = PendingOccurrence | RunningOccurrence;

/** One occurrence that cannot be swept must not hide those behind it. */
async function sweepSafely(
  deps: SweepDeps,
  open: Open,
  candidates: Candidates,
  reissue: boolean,
): Promise<SweepResult> {
  const now = deps.now();
  const seen = seenAs(open, now);
  candidates.count(open, now);
  try {
    return merge(seen, await sweepOne(deps, open, candidates, now, reissue));
  } catch (error) {
    return { ...seen, failures: [{ id: occurrenceId(open), error }] };
  }
}

function seenAs(open: Open, now: EpochMs): SweepResult {
  const isOpen = open.dueAt <= now ? 1 : 0;
  const lateSeconds = overdueBy(open, now) / SECOND;
  return open.pullQueue === undefined
    ? { ...EMPTY, open: isOpen, overdue: lateSeconds > 0 ? 1 : 0, oldestOverdueSeconds: lateSeconds }
    : { ...EMPTY, open: isOpen, oldestUnclaimedSeconds: lateSeconds };
}

async function sweepOne(
  deps: SweepDeps,
  open: Open,
  candidates: Candidates,
  now: EpochMs,
  reissue: boolean,
): Promise<SweepResult> {
  const decision = decideSweep(open, now, deps.redispatchMs);
  if (open.status === 'running') return decision === 'expire-lease' ? expire(deps, open, now) : EMPTY;
  if (decision === 'too-late') {
    const end = await endTooLate(deps, open, now);
    if (end.kind !== 'gave-up') return { ...EMPTY, missed: end.kind === 'missed' ? 1 : 0 };
    return { ...EMPTY, failed: 1, paused: end.paused === undefined ? 0 : 1 };
  }
  if (reissue || decision === 'unsent') {
    if (open.pullQueue !== undefined) return EMPTY;
    const done =
      (await deps.occurrences.redispatch(open, now, decision === 'unsent' ? 'overdue' : 'reissue')).kind ===
      'done';
    return { ...EMPTY, redispatched: done ? 1 : 0 };
  }
  if (decision !== 'leave') candidates.add(open, decision);
  return EMPTY;
}

async function expire(deps: SweepDeps, open: RunningOccurrence, now: EpochMs): Promise<SweepResult> {
  const revision = await deps.revisionOf(open);
  const settlement = expiredSettlement(open, revision, now);
  const settle = (as: Settlement) => deps.occurrences.expire(open, as, now);
  const end = await finishAttempt(deps, { running: open, revision }, settle, settlement, () => now);
  if (end.kind !== 'done') return EMPTY;
  const outside = open.detached === true || open.pullQueue !== undefined;
  const expired = { ...EMPTY, ...(outside ? { outsideExpired: 1 } : { leasesExpired: 1 }) };
  const failed = end.settlement.kind === 'failed' ? 1 : 0;
  return { ...expired, failed, paused: end.paused === undefined ? 0 : 1 };
}

/** Beside all else, so that a backlog keeps no slot from being looked at. */
async function lookAtSlots(
  deps: SweepDeps,
  candidates: Candidates,
  from: SlotPositions = {},
): Promise<{ readonly result: SweepResult; readonly positions: SlotPositions }> {
  const ended: SweepResult[] = [];
  const expireLease = async (running: RunningOccurrence, now: EpochMs) => {
    ended.push(await expire(deps, running, now));
  };
  const mayBeLost = (promised: PendingOccurrence) => candidates.addPromised(promised);
  const { failures, handedOut, positions, unfinished } = await sweepSlots(
    { ...deps, expireLease, mayBeLost },
    from,
  );
  const looked = { ...EMPTY, failures, slotsHandedOut: handedOut, unfinished };
  return { result: ended.reduce(merge, looked), positions };
}

/** An attempt whose lease expired has failed as any other: the schedule's retry policy says what follows. */
function expiredSettlement(
  open: RunningOccurrence,
  revision: Revision | undefined,
  now: EpochMs,
): Settlement {
  const record = {
    attempt: open.attempt,
    startedAt: open.attemptStartedAt,
    finishedAt: now,
    outcome: 'lease-expired',
    detail: silenceOf(open, revision),
  } as const;
  return failureOf(open, revision?.definition.retry, { retryable: true }, record, now, 'lease-expired');
}

/** Work that goes on outside has no worker of ours: it was to say how it went, or that it still goes on. */
function silenceOf(
  { detached, pullQueue, lease }: RunningOccurrence,
  revision: Revision | undefined,
): string {
  if (detached !== true && pullQueue === undefined)
    return `The lease of ${lease.holder} was not renewed; its worker is taken for dead.`;
  const who = detached === true ? 'Taken on by the target' : `Claimed by ${lease.holder}`;
  const { heartbeatTimeout, timeout } = revision?.definition ?? {};
  const within = heartbeatTimeout
    ? `${heartbeatTimeout} (heartbeatTimeout)`
    : `${timeout ?? 'its time'} (timeout)`;
  return `${who}, and neither completed, failed nor extended within ${within}.`;
}
