import type { ApiDeps } from '../../../lambdas/api/deps.ts';
import { workMessageSchema } from '../../../lambdas/contract/message.ts';
import type { ScheduleId } from '../../../lambdas/core/ids.ts';
import type { TargetCaller } from '../../../lambdas/core/ports/target-caller.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { sweep } from '../../../lambdas/sweep/sweep.ts';
import { sweepWatches } from '../../../lambdas/sweep/watches.ts';
import { tickBackfills } from '../../../lambdas/tick/backfills.ts';
import { tickRevivals } from '../../../lambdas/tick/revivals.ts';
import { shardLists } from '../../../lambdas/tick/shards.ts';
import { tick } from '../../../lambdas/tick/tick.ts';
import { workOn } from '../../../lambdas/worker/work-on.ts';
import { ANYTHING_ALLOWED } from '../../support/allowed.ts';
import { ZONE_DATA } from './lane.ts';
import type { Process } from './process.ts';
import type { Message } from './queue.ts';

/** What every function does in one invocation, put together as its handler does it. */

const LIMITS = { lead: 2 * MINUTE, planWindow: 10 * MINUTE };
const LEASE = 30 * SECOND;
const REDISPATCH = MINUTE;
const MOST_SHARDS = 256;

export interface Invocation {
  /** Unlike that of any other invocation. */
  readonly id: string;
  /** Told of what went wrong with one schedule or occurrence only. */
  readonly note: (error: unknown) => void;
}

/** All shards, also those of a larger count that was deployed before. */
async function shardsOf({ planning, shardCount }: Process): Promise<number[]> {
  const [shards = []] = shardLists(await planning.recordShardCount(shardCount), MOST_SHARDS);
  return shards;
}

/** A heedless one scans shards that others hold: leases of shards save cost, they are not what is relied on. */
export async function runTick(
  process: Process,
  { id, note }: Invocation,
  { ignoreShardLease }: { readonly ignoreShardLease: boolean },
): Promise<void> {
  const { planning, occurrences, backfills, clock } = process;
  const shards = await shardsOf(process);
  const deps = {
    store: ignoreShardLease ? { ...planning, acquireShard: async () => true } : planning,
    occurrences,
    backfills,
    recurrenceOf: headRecurrence,
    zoneData: ZONE_DATA,
    ...LIMITS,
    holder: id,
    stopAt: epochMs(clock.now() + HOUR),
    now: clock.now,
  };
  const planned = await tick(deps, shards);
  const held = await tickRevivals(deps, shards);
  const moved = await tickBackfills(deps, shards);
  for (const { error } of [...planned.failures, ...held, ...moved.failures]) note(error);
}

/** Answers the schedules that have not succeeded for too long. */
export async function runSweep(process: Process, { note }: Invocation): Promise<readonly ScheduleId[]> {
  const { occurrences, schedules, watches, open, messages, events, clock } = process;
  const shards = await shardsOf(process);
  const deps = {
    schedules,
    occurrences,
    open,
    messages,
    watches,
    events,
    revisionOf: ({ schedule, revision }: { schedule: ScheduleId; revision: number }) =>
      schedules.readRevision(schedule, revision),
    redispatchMs: REDISPATCH,
    stopAt: epochMs(clock.now() + HOUR),
    now: clock.now,
  };
  const swept = await sweep(deps, { shards, reissue: false });
  const watched = await sweepWatches(deps);
  for (const { error } of [...swept.failures, ...watched.failures]) note(error);
  return watched.longest.map(({ schedule }) => schedule);
}

export async function runWorker(
  process: Process,
  targets: TargetCaller,
  { body }: Message,
  holder: string,
): Promise<void> {
  const told = { onEnd() {}, onFault() {} };
  const deps = { ...process, targets, leaseMs: LEASE, ...told };
  await workOn(deps, workMessageSchema.parse(JSON.parse(body)), holder);
}

export function apiDeps(process: Process): ApiDeps {
  const told = { logger: { error() {} } };
  return { ...process, limits: LIMITS, zoneData: ZONE_DATA, allowed: ANYTHING_ALLOWED, ...told };
}
