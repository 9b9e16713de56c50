import type { PendingOccurrence } from '../occurrence/occurrence.ts';
import type { ScheduleHead } from '../schedule/head.ts';

/**
 * What is left of `maxRuns` once a change has cancelled these: a run is counted when it is created, so that one which
 * has not begun is still to come. `left`: by the definition that is in force then, none when that has no limit.
 */
export function refundRuns(
  before: Pick<ScheduleHead, 'nextDueAt' | 'state' | 'remainingRuns'> | undefined,
  cancelled: readonly Pick<PendingOccurrence, 'kind' | 'attempt' | 'replays' | 'scheduledTime'>[],
  left: number | undefined,
): { readonly remainingRuns?: number } {
  if (left === undefined) return {};
  if (before?.remainingRuns === undefined) return { remainingRuns: left };
  const { state, nextDueAt } = before;
  // What a person put there ahead of the plan was not counted.
  const isAhead = (at: number) => state === 'enabled' && nextDueAt !== null && at >= nextDueAt;
  const back = cancelled.filter(
    (one) =>
      one.kind === 'scheduled' && one.attempt === 0 && one.replays === 0 && !isAhead(one.scheduledTime),
  );
  return { remainingRuns: Math.max(0, left + back.length) };
}
