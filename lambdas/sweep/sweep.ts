import pMap from 'p-map';
import { occurrenceId } from '../core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../core/occurrence.ts';
import { decideSweep, overdueBy } from '../core/overdue.ts';
import type { OccurrenceStore, Settlement } from '../core/ports.ts';
import type { Revision } from '../core/schedule.ts';
import { failureOf, settleWith } from '../core/settle.ts';
import { type EpochMs, MAX_INSTANT, SECOND } from '../core/time.ts';
import { type AfterFailureDeps, afterFailure } from '../upkeep/after-failure.ts';
import { reportAttempt, type ScheduleMetricsDeps } from '../upkeep/schedule-metrics.ts';
import { endTooLate, type TooLateDeps } from '../upkeep/too-late.ts';

/** Shards swept side by side, and writes under way at once within one. */
const SHARD_CONCURRENCY = 4;
const WRITE_CONCURRENCY = 8;

export interface SweepDeps extends ScheduleMetricsDeps {
  readonly schedules: AfterFailureDeps['schedules'];
  readonly occurrences: Pick<OccurrenceStore, 'openDue' | 'expire' | 'redispatch'> &
    AfterFailureDeps['occurrences'] &
    TooLateDeps['occurrences'];
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

export interface SweepResult {
  /** Due and not ended, when the sweep came by. */
  readonly open: number;
  readonly overdue: number;
  readonly oldestOverdueSeconds: number;
  /** Of those that outside workers are to claim; they are not in the two above. */
  readonly oldestUnclaimedSeconds: number;
  /** Of workers of ours. */
  readonly leasesExpired: number;
  /** Attempts that went on outside and fell silent. */
  readonly outsideExpired: number;
  readonly failed: number;
  /** Schedules that were paused because of that. */
  readonly paused: number;
  readonly redispatched: number;
  readonly missed: number;
  /** Shards whose open occurrences were not all looked at for want of time. */
  readonly unfinished: number;
  readonly failures: readonly { readonly id: string; readonly error: unknown }[];
}

/** Finds what died: expired leases, lost messages, passed start deadlines; and measures lateness. */
export async function sweep(deps: SweepDeps, request: SweepRequest): Promise<SweepResult> {
  const results = await pMap(request.shards, (shard) => sweepShard(deps, shard, request.reissue), {
    concurrency: SHARD_CONCURRENCY,
  });
  return results.reduce(merge, EMPTY);
}

const EMPTY: SweepResult = {
  open: 0,
  overdue: 0,
  oldestOverdueSeconds: 0,
  oldestUnclaimedSeconds: 0,
  leasesExpired: 0,
  outsideExpired: 0,
  failed: 0,
  paused: 0,
  redispatched: 0,
  missed: 0,
  unfinished: 0,
  failures: [],
};

function merge(a: SweepResult, b: SweepResult): SweepResult {
  return {
    open: a.open + b.open,
    overdue: a.overdue + b.overdue,
    oldestOverdueSeconds: Math.max(a.oldestOverdueSeconds, b.oldestOverdueSeconds),
    oldestUnclaimedSeconds: Math.max(a.oldestUnclaimedSeconds, b.oldestUnclaimedSeconds),
    leasesExpired: a.leasesExpired + b.leasesExpired,
    outsideExpired: a.outsideExpired + b.outsideExpired,
    failed: a.failed + b.failed,
    paused: a.paused + b.paused,
    redispatched: a.redispatched + b.redispatched,
    missed: a.missed + b.missed,
    unfinished: a.unfinished + b.unfinished,
    failures: [...a.failures, ...b.failures],
  };
}

async function sweepShard(deps: SweepDeps, shard: number, reissue: boolean): Promise<SweepResult> {
  let result = EMPTY;
  const until = reissue ? MAX_INSTANT : deps.now();
  for await (const page of deps.occurrences.openDue(shard, until)) {
    const swept = await pMap(page, (open) => sweepSafely(deps, open, reissue), {
      concurrency: WRITE_CONCURRENCY,
    });
    result = swept.reduce(merge, result);
    if (deps.now() >= deps.stopAt) return { ...result, unfinished: 1 };
  }
  return result;
}

type Open = PendingOccurrence | RunningOccurrence;

/** One occurrence that cannot be swept must not hide those behind it. */
async function sweepSafely(deps: SweepDeps, open: Open, reissue: boolean): Promise<SweepResult> {
  const now = deps.now();
  const seen = seenAs(open, now);
  try {
    return merge(seen, await sweepOne(deps, open, now, reissue));
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

async function sweepOne(deps: SweepDeps, open: Open, now: EpochMs, reissue: boolean): Promise<SweepResult> {
  if (open.status === 'running') {
    if (decideSweep(open, now, deps.redispatchMs) !== 'expire-lease') return EMPTY;
    const revision = await deps.revisionOf(open);
    const settlement = expiredSettlement(open, revision, now);
    const end = await settleWith((one) => deps.occurrences.expire(open, one, now), settlement);
    if (end.kind !== 'done') return EMPTY;
    const outside = open.detached === true || open.pullQueue !== undefined;
    const expired = { ...EMPTY, ...(outside ? { outsideExpired: 1 } : { leasesExpired: 1 }) };
    const { kind } = end.settlement;
    const failed = kind === 'failed';
    const paused = failed ? await afterFailure(deps, { occurrence: open, revision }, now) : undefined;
    if (failed || kind === 'retry')
      reportAttempt(deps, open, await deps.schedules.readHead(open.schedule), kind, now);
    return { ...expired, failed: failed ? 1 : 0, paused: paused === undefined ? 0 : 1 };
  }
  const decision = decideSweep(open, now, deps.redispatchMs);
  if (decision === 'too-late') {
    const end = await endTooLate(deps, open, now);
    if (end.kind !== 'gave-up') return { ...EMPTY, missed: end.kind === 'missed' ? 1 : 0 };
    return { ...EMPTY, failed: 1, paused: end.paused === undefined ? 0 : 1 };
  }
  if (decision !== 'redispatch' && !(reissue && open.pullQueue === undefined)) return EMPTY;
  const why = decision === 'redispatch' ? 'overdue' : 'reissue';
  const done = (await deps.occurrences.redispatch(open, now, why)).kind === 'done';
  return { ...EMPTY, redispatched: done ? 1 : 0 };
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
