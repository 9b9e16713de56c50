import type { PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { CancelTerms } from './build-change.ts';
import type { Open } from './plan-head.ts';

/** Those of coming times first: what has passed is made anew by no change, so that a cancel that comes late is no harm. */
export function toCancel(
  open: readonly Open[],
  { kinds }: CancelTerms,
  now: EpochMs,
): readonly PendingOccurrence[] {
  if (kinds === 'none') return [];
  const isComing = ({ scheduledTime }: Open) => scheduledTime > now;
  return (
    open
      .filter((occurrence) => occurrence.status === 'pending')
      // A replay was asked for by a person, like a manual one.
      .filter((one) => kinds === 'every' || (one.kind === 'scheduled' && one.replays === 0))
      .filter((one) => kinds !== 'coming' || isComing(one))
      .sort((a, b) => Number(isComing(b)) - Number(isComing(a)) || a.dueAt - b.dueAt)
  );
}
