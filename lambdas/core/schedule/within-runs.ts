import type { Recurrence } from '../recurrence/types.ts';
import type { EpochMs } from '../time.ts';
import type { ScheduleHead } from './head.ts';

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

/** Times counted to find whether the last run comes before a time; later ones are taken to be beyond it. */
const MAX_COUNTED = 10_000;

/** Whether a coming time is one that `maxRuns` lets run. A time that a person skips is one of them. */
export function isWithinRuns(head: RunsStanding, recurrence: Pick<Recurrence, 'next'>, at: EpochMs): boolean {
  if (head.remainingRuns === undefined) return true;
  if (head.state === 'completed') return head.lastRunAt !== undefined && at <= head.lastRunAt;
  const times: EpochMs[] = [];
  // What is planned is counted already.
  let next = head.nextDueAt;
  while (next !== null && next <= at && times.length < MAX_COUNTED) {
    times.push(next);
    next = recurrence.next(next)?.at ?? null;
  }
  return withinRuns(head, times) === times.length;
}
