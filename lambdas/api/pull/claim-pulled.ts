import type * as z from 'zod';
import { type BeginDeps, beginAttempt, revisionToRun } from '../../core/attempt/begin.ts';
import { heartbeatTimeoutMs } from '../../core/attempt/completion.ts';
import { adjacentTimes, completionToken, invocationOf, toWire } from '../../core/attempt/invocation.ts';
import { askCatchUp } from '../../core/attempt/late-claim.ts';
import { endTooLate, isTooLate } from '../../core/attempt/too-late.ts';
import { type OccurrenceId, occurrenceId, parseOccurrenceId, splitScheduleId } from '../../core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../core/occurrence/occurrence.ts';
import { tellNotRun } from '../../core/ports/scheduler-events.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import type { Revision } from '../../core/schedule/revision.ts';
import { limitOf } from '../../core/slots/needs.ts';
import { type EpochMs, epochMs, SECOND, toIso } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { countWithin, jsonBytes } from '../http/page.ts';
import { hashOf } from '../request/canonical-json.ts';
import { API_LIMITS } from '../request/limits.ts';
import { type ClaimMemory, createClaimMemory, NO_MEMORY } from './claim-memory.ts';
import type { pullBody, pulledView } from './pull-schema.ts';
import { pulledSize } from './pulled-size.ts';

type Pulled = z.output<typeof pulledView>['items'][number];

/** Candidates looked at for each that is wanted: others claim from the same front of the queue at the same time. */
const CANDIDATES = 5;
/** Looks of one claim at a backlog that catch-up does not run; the next claim goes on. */
const MAX_ROUNDS = 20;
/** How often a claim that waits looks again. */
const POLL = SECOND;
/** A claim that is repeated while another copy of it is at it waits so long for that; then the other has died. */
const OTHER_COPY = 5 * SECOND;

/** Hands out what is due in a queue, each under a lease; waits a while for it when there is none. */
export async function claimFromQueue(
  deps: ApiDeps,
  queue: string,
  request: z.output<typeof pullBody>,
  caller: Caller,
  idempotencyKey?: string,
): Promise<Pulled[]> {
  const { max, holder = 'pull', waitSeconds } = request;
  const until = caller.now + waitSeconds * SECOND;
  const patientUntil = caller.now + OTHER_COPY;
  const memory =
    idempotencyKey === undefined
      ? NO_MEMORY
      : createClaimMemory(deps.schedules, {
          key: `pull#${queue}#${idempotencyKey}`,
          requestHash: hashOf(request),
        });
  // The request's id, or its key, makes the holder of this claim another than that of any later one.
  const by = idempotencyKey === undefined ? caller.requestId : hashOf([queue, idempotencyKey]).slice(0, 32);
  const claim = { queue, max, holder: `${holder}/${by}`, memory };
  for (;;) {
    const now = deps.clock.now();
    const before = await memory.recall(now);
    if (before && (before.isOver || now >= patientUntil))
      return claimedBefore(deps, before.tried, claim.holder);
    const items = before ? [] : await claimDue(deps, claim, now);
    const isLast = items.length > 0 || (!before && now >= until);
    if (isLast) await memory.close(items.map(({ id }) => id) as OccurrenceId[], now);
    if (isLast) return items;
    await deps.clock.until(epochMs(Math.min(now + POLL, before ? patientUntil : until)));
  }
}

/** What a request that came before has claimed and has not ended: the same attempts, under the same leases. */
async function claimedBefore(
  deps: ApiDeps,
  tried: readonly OccurrenceId[],
  holder: string,
): Promise<Pulled[]> {
  const items = await Promise.all(
    tried.map(async (id) => {
      const key = parseOccurrenceId(id);
      if (!key) return [];
      const running = await deps.occurrences.readOccurrence(key);
      if (running?.status !== 'running' || running.lease.holder !== holder) return [];
      const revisionOf = revisionsOf(deps);
      const [head, own] = await Promise.all([deps.schedules.readHead(key.schedule), revisionOf(key)]);
      const revision = head && (await revisionToRun({ revisionOf }, running, head, own));
      return head && revision ? [pulledOf(running, head, revision)] : [];
    }),
  );
  return items.flat();
}

const revisionsOf =
  ({ schedules }: Pick<ApiDeps, 'schedules'>) =>
  (key: Pick<PendingOccurrence, 'schedule' | 'revision'>) =>
    schedules.readRevision(key.schedule, key.revision);

async function claimDue(
  deps: ApiDeps,
  claim: {
    readonly queue: string;
    readonly max: number;
    readonly holder: string;
    readonly memory: ClaimMemory;
  },
  now: EpochMs,
  rounds = MAX_ROUNDS,
): Promise<Pulled[]> {
  const { queue, max, holder, memory } = claim;
  const due = await deps.occurrences.pullable(queue, now, max * CANDIDATES);
  if (due.length > 0 && !(await memory.note(due.map(occurrenceId), now))) return [];
  const items: Pulled[] = [];
  let room = API_LIMITS.pageBytes;
  let late = 0;
  for (let next = 0; next < due.length && items.length < max; ) {
    const sized = await Promise.all(
      due.slice(next, next + max - items.length).map((pending) => sizeOf(deps, pending)),
    );
    const fitting = countWithin(
      room,
      sized.map(({ bytes }) => bytes),
    );
    const wanted = sized.slice(0, fitting);
    // `countWithin` gives the first one always, which is right for an answer that has nothing yet.
    if (items.length > 0 && (wanted[0]?.bytes ?? 0) > room) break;
    next += wanted.length;
    const begun = (
      await Promise.all(
        bySchedule(wanted).map((some) => inTurn(some, (one) => begin(deps, one, holder, now))),
      )
    ).flat();
    for (const end of begun) {
      if (end.status !== 'fulfilled' || !end.value) continue;
      if (end.value === 'late') late += 1;
      else {
        items.push(end.value);
        room -= jsonBytes(end.value);
      }
    }
    // What was claimed is handed out whatever became of the others: nobody else would work on it.
    const fault = begun.find((end) => end.status === 'rejected');
    if (fault && items.length === 0) throw fault.reason;
    if (fault) break;
  }
  // A backlog that is not to run stands before what is.
  if (items.length === 0 && late > 0 && rounds > 1) return claimDue(deps, claim, now, rounds - 1);
  return items;
}

/** Of one schedule the oldest comes first: they may be in each other's way. */
function bySchedule(wanted: readonly Sized[]): Sized[][] {
  return [...Map.groupBy(wanted, ({ pending }) => pending.schedule).values()];
}

/** An occurrence that could be claimed, its revision, and what it would take of the answer. */
interface Sized {
  readonly pending: PendingOccurrence;
  readonly revision: Revision | undefined;
  readonly bytes: number;
}

async function sizeOf({ schedules }: ApiDeps, pending: PendingOccurrence): Promise<Sized> {
  const revision = await schedules.readRevision(pending.schedule, pending.revision);
  return { pending, revision, bytes: revision ? await pulledSize(schedules, pending, revision) : 0 };
}

async function inTurn<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>) {
  const ends: PromiseSettledResult<Result>[] = [];
  for (const item of items) ends.push(...(await Promise.allSettled([act(item)])));
  return ends;
}

/** As the worker does, up to the call of the target. */
async function begin(
  deps: ApiDeps,
  { pending, revision }: Sized,
  holder: string,
  now: EpochMs,
): Promise<Pulled | 'late' | undefined> {
  const { schedules } = deps;
  // The sweep looks after what nobody can run.
  if (!revision) return undefined;
  const late = await askCatchUp(deps, pending, pending.dueAt, revision, now);
  if (late.kind === 'missed') {
    await tellNotRun(deps, pending.schedule, 'missed');
  }
  if (late.kind !== 'go-on') return 'late';
  const beginDeps = {
    ...deps,
    revisionOf: revisionsOf(deps),
    groupLimitOf: async (key: Pick<PendingOccurrence, 'schedule'>) =>
      limitOf(await schedules.readGroup(splitScheduleId(key.schedule).group)),
    leaseMs: heartbeatTimeoutMs(revision.definition),
  } satisfies BeginDeps;
  const begun = await beginAttempt(beginDeps, pending, revision, holder, now);
  const found = begun.kind === 'not-claimable' ? begun.occurrence : undefined;
  if (found?.status === 'pending' && isTooLate(found, now)) {
    await endTooLate(beginDeps, found, now);
  }
  if (begun.kind === 'skipped') {
    await tellNotRun(deps, pending.schedule, 'skipped');
  }
  if (begun.kind !== 'begun' || !begun.revision) return undefined;
  return pulledOf(begun.running, begun.head, begun.revision);
}

function pulledOf(running: RunningOccurrence, head: ScheduleHead, revision: Revision): Pulled {
  const { input, ...about } = invocationOf(running, revision, adjacentTimes(head, revision));
  return {
    ...toWire(about),
    input,
    completionToken: completionToken(running) ?? '',
    leaseExpiresAt: toIso(running.lease.expiresAt),
  };
}
