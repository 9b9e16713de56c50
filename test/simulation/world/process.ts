import {
  createBackfillStore,
  createCalendarStore,
  createOccurrenceStore,
  createPlanningStore,
  createScheduleStore,
  createSweepStore,
  createWatchStore,
} from '../../../lambdas/adapters/dynamodb/index.ts';
import { createSchedulerEvents } from '../../../lambdas/adapters/scheduler-events.ts';
import { createWorkQueue } from '../../../lambdas/adapters/sqs/work-queue.ts';
import { count } from '../../../lambdas/adapters/telemetry.ts';
import type { RunningOccurrence } from '../../../lambdas/core/occurrence/occurrence.ts';
import type { OccurrenceStore } from '../../../lambdas/core/ports/occurrence-store.ts';
import { createGroupLimits } from '../../../lambdas/worker/group-limits.ts';
import { createRevisionCache } from '../../../lambdas/worker/revision-cache.ts';
import type { CallCounter } from './calls.ts';
import { ownedBy } from './dynamodb-tap.ts';
import type { Lane } from './lane.ts';
import { startLife } from './life.ts';
import type { WorkQueueModel } from './queue.ts';
import type { VirtualTime } from './time.ts';

export interface ProcessDeps {
  readonly lane: Lane;
  readonly time: VirtualTime;
  readonly skew: () => number;
  /** That it was deployed with. */
  readonly shardCount: number;
  readonly calls: CallCounter;
  readonly queue: WorkQueueModel;
  /** Told of each claim that was answered. */
  readonly onClaim: (claimed: RunningOccurrence) => void;
}

/**
 * A warm environment of one function: its clock, its clients and its caches. It lives until it is killed, and
 * everything that it kept in memory dies with it.
 */
export function startProcess(name: string, deps: ProcessDeps) {
  const { lane, time, skew, shardCount, calls, queue } = deps;
  const life = startLife();
  const clock = time.clock(life, skew);
  const context = { ...lane.context, shardCount, client: ownedBy(lane.client, { name, life, calls }) };
  const schedules = createScheduleStore(context);
  const occurrences = createOccurrenceStore(context);
  return {
    name,
    life,
    clock,
    shardCount,
    schedules,
    occurrences: {
      ...occurrences,
      async claim(...args: Parameters<OccurrenceStore['claim']>) {
        const result = await occurrences.claim(...args);
        if (result.kind === 'claimed') deps.onClaim(result.occurrence);
        return result;
      },
    },
    planning: createPlanningStore(context),
    backfills: createBackfillStore(context),
    watches: createWatchStore(context),
    open: createSweepStore(context),
    messages: { counts: async () => queue.counts() },
    calendars: createCalendarStore(context),
    events: createSchedulerEvents(count, () => {}),
    newSecret: () => `secret-of-${name}`,
    queue: createWorkQueue(queue.client({ name, life }, calls), 'work'),
    revisionOf: createRevisionCache(schedules),
    groupLimitOf: createGroupLimits(schedules, clock),
  };
}

export type Process = ReturnType<typeof startProcess>;
