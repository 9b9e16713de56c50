import { createSchedulerEvents } from '../../lambdas/adapters/scheduler-events.ts';
import { count } from '../../lambdas/adapters/telemetry.ts';
import type { ScheduleReport } from '../../lambdas/contract/metrics.ts';
import type { Dispatch } from '../../lambdas/core/occurrence/dispatch.ts';
import type { CallResult, Invocation, TargetCaller } from '../../lambdas/core/ports/target-caller.ts';
import { SECOND } from '../../lambdas/core/time.ts';
import { createRevisionCache } from '../../lambdas/worker/revision-cache.ts';
import type { WorkDeps } from '../../lambdas/worker/work.ts';
import { type TestClock, testClock } from './clock.ts';
import { NOON } from './fixtures.ts';
import type { Stores } from './stores.ts';

export const LEASE = 60 * SECOND;

/** A worker with a clock of its own and a target that answers as told. */
export function testWorker(
  stores: Stores,
  answer: (call: Invocation, signal: AbortSignal, clock: TestClock) => Promise<CallResult>,
  clock: TestClock = testClock(NOON),
) {
  const calls: Invocation[] = [];
  const sentOn: Dispatch[] = [];
  const reported: Parameters<ScheduleReport>[] = [];
  const targets: TargetCaller = {
    call(_, invocation, __, signal) {
      calls.push(invocation);
      return answer(invocation, signal, clock);
    },
  };
  const deps: WorkDeps = {
    clock,
    occurrences: stores.occurrences,
    schedules: stores.schedules,
    backfills: stores.backfills,
    watches: stores.watches,
    events: createSchedulerEvents(count, (...report) => reported.push(report)),
    revisionOf: createRevisionCache(stores.schedules),
    queue: {
      async send(batch) {
        sentOn.push(...batch);
        return [];
      },
    },
    targets,
    groupLimitOf: async () => undefined,
    newSecret: () => 'secret',
    leaseMs: LEASE,
  };
  return { deps, clock, calls, sentOn, reported };
}
