import { isOf } from '../occurrence/in-force.ts';
import type { CancelReason, RunningOccurrence } from '../occurrence/occurrence.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Backfill } from './backfill.ts';

/**
 * Whether an occurrence of a backfill may still start: null, or why not. Asked after the claim, of the backfill and
 * of the head as they are then (lambdas/core/occurrence/in-force.ts). A person asked for it, by the definition as it was, so an
 * edit or a pause of the schedule does not concern it; the deletion of the schedule does.
 */
export function whyNotToRun(
  occurrence: Pick<RunningOccurrence, 'attempt' | 'replays' | 'revision'>,
  head: Pick<ScheduleHead, 'state' | 'firstRevision'> | undefined,
  backfill: Pick<Backfill, 'state' | 'reason'> | undefined,
): CancelReason | null {
  if (isGone(head, occurrence)) return 'deleted';
  if (occurrence.replays > 0) return null;
  if (backfill?.state === 'cancelled') return backfill.reason ?? 'user';
  // What has begun goes on: only a first attempt is held.
  return backfill?.state === 'paused' && occurrence.attempt <= 1 ? 'paused' : null;
}

/** Whether its schedule was deleted, or made anew since. */
export function isGone(
  head: Pick<ScheduleHead, 'state' | 'firstRevision'> | undefined,
  of: Pick<Backfill, 'revision'>,
): boolean {
  return head === undefined || head.state === 'deleted' || !isOf(of, head);
}
