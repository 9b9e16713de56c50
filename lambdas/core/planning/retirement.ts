import type { PendingOccurrence, RunningOccurrence } from '../occurrence/occurrence.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import { type EpochMs, epochMs, MINUTE } from '../time.ts';
import type { PlannedOccurrence } from './planner.ts';

/** Between the last end that is expected and the look at whether it has come. */
const GRACE = MINUTE;

/**
 * When to come back to a completed schedule that is to be deleted then; null where nothing is to be done. The head
 * stands in the index `due` under this time, so that the tick finds it whatever process died in between.
 */
export function retireAt(
  { policy }: Pick<ScheduleHead, 'policy'>,
  created: readonly Pick<PlannedOccurrence, 'dueAt'>[],
  now: EpochMs,
): EpochMs | null {
  if (!policy.deleteAfterCompletion) return null;
  return epochMs(Math.max(now, ...created.map(({ dueAt }) => dueAt)) + GRACE);
}

/** When to look again while occurrences are open: not before the last of them can be finished or tried again. */
export function retireAfter(open: readonly (PendingOccurrence | RunningOccurrence)[], now: EpochMs): EpochMs {
  const ends = open.map((one) => (one.status === 'running' ? one.lease.expiresAt : one.dueAt));
  return epochMs(Math.max(now, ...ends) + GRACE);
}
