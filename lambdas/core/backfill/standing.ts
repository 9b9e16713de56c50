import type { CancelReason, RunningOccurrence } from '../occurrence.ts';
import type { ScheduleHead } from '../schedule.ts';
import type { Backfill } from './backfill.ts';

/**
 * Whether an occurrence of a backfill may still start: null, or why not. Asked after the claim, of the backfill and
 * of the head as they are then (lambdas/core/standing.ts). A person asked for it, by the definition as it was, so an
 * edit or a pause of the schedule does not concern it; the deletion of the schedule does.
 */
export function whyNotToRun(
  occurrence: Pick<RunningOccurrence, 'attempt' | 'replays'>,
  head: Pick<ScheduleHead, 'state' | 'createdAt'> | undefined,
  backfill: Pick<Backfill, 'state' | 'reason' | 'createdAt'> | undefined,
): CancelReason | null {
  if (isGone(head, backfill)) return 'deleted';
  if (occurrence.replays > 0) return null;
  if (backfill?.state === 'cancelled') return backfill.reason ?? 'user';
  // What has begun goes on: only a first attempt is held.
  return backfill?.state === 'paused' && occurrence.attempt <= 1 ? 'paused' : null;
}

/** Whether its schedule was deleted, or made anew since. */
export function isGone(
  head: Pick<ScheduleHead, 'state' | 'createdAt'> | undefined,
  backfill: Pick<Backfill, 'createdAt'> | undefined,
): boolean {
  if (head === undefined || head.state === 'deleted') return true;
  return backfill !== undefined && head.createdAt > backfill.createdAt;
}
