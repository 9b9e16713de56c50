import type { ScheduleHead } from './schedule.ts';
import type { EpochMs } from './time.ts';

/** How a schedule stands, as far as its count of runs is concerned. */
export type RunsStanding = Pick<ScheduleHead, 'state' | 'nextDueAt' | 'remainingRuns' | 'lastRunAt'>;

/** How many of these coming times, in order, `maxRuns` still lets run. What is created already was counted then. */
export function withinRuns(head: RunsStanding, times: readonly EpochMs[]): number {
  if (head.remainingRuns === undefined) return times.length;
  const created = (at: EpochMs) =>
    head.state === 'enabled' && head.nextDueAt !== null
      ? at < head.nextDueAt
      : head.lastRunAt !== undefined && at <= head.lastRunAt;
  let left = head.remainingRuns;
  const first = times.findIndex((at) => {
    if (!created(at)) left -= 1;
    return left < 0;
  });
  return first === -1 ? times.length : first;
}
