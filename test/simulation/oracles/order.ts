import type { OccurrenceId, ScheduleId } from '../../../lambdas/core/ids.ts';
import type { EpochMs } from '../../../lambdas/core/time.ts';

/** The first call of an occurrence that its recurrence made. */
export interface FirstCall {
  readonly id: OccurrenceId;
  readonly schedule: ScheduleId;
  readonly scheduledTime: EpochMs;
  readonly dueAt: EpochMs;
  readonly createdAt: EpochMs;
  readonly at: EpochMs;
}

/** `buffer-all`: of what is there, whatever is due first starts first. `calls` in the order in which they came. */
export function orderFaults(calls: readonly FirstCall[]): string[] {
  const before = new Map<ScheduleId, FirstCall>();
  return calls.flatMap((call) => {
    const last = before.get(call.schedule);
    if (!last || comesAfter(call, last)) before.set(call.schedule, call);
    // One that was created when the other ran already has overtaken nobody.
    if (!last || comesAfter(call, last) || call.createdAt >= last.at) return [];
    return [`${call.id} was overtaken by ${last.id}`];
  });
}

function comesAfter(one: FirstCall, other: FirstCall): boolean {
  return one.dueAt === other.dueAt ? one.scheduledTime >= other.scheduledTime : one.dueAt > other.dueAt;
}
