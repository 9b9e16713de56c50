import { isTerminal, type Occurrence, type PendingOccurrence } from '../occurrence/occurrence.ts';
import type { EpochMs } from '../time.ts';
import { type Backfill, type BackfillCounts, isHeld } from './backfill.ts';

export interface Tally {
  readonly counts: BackfillCounts;
  /** Still to end, in order. */
  readonly open: readonly EpochMs[];
  /** Of those: not started, and neither running nor waiting to be. They are to be made (again) to run. */
  readonly again: readonly EpochMs[];
}

/**
 * Counts the ends of open occurrences. Each is counted once: what is counted leaves `open` in the same write. What
 * a replay makes of one later is in its own record, not in these counts.
 */
export function tally(backfill: Backfill, found: ReadonlyMap<EpochMs, Occurrence>): Tally {
  const counts = { ...backfill.counts };
  const open: EpochMs[] = [];
  const again: EpochMs[] = [];
  for (const time of backfill.open) {
    const occurrence = found.get(time);
    const final = backfill.state === 'cancelled';
    // It was created with its entry in `open`; one that is gone was purged after a long time on hold.
    if (!occurrence || isHeld(occurrence)) {
      if (final) counts.cancelled += 1;
      else {
        open.push(time);
        again.push(time);
      }
    } else if (!isTerminal(occurrence.status)) open.push(time);
    else if (occurrence.status === 'succeeded') counts.succeeded += 1;
    else if (occurrence.status === 'failed') counts.failed += 1;
    else counts.cancelled += 1;
  }
  return { counts, open, again };
}

/**
 * The pending ones that a stopped backfill stops: all when it was cancelled. A pause leaves those alone that have
 * begun and wait for another attempt, since what has begun goes on.
 */
export function toStop(backfill: Backfill, found: ReadonlyMap<EpochMs, Occurrence>): PendingOccurrence[] {
  if (backfill.state !== 'paused' && backfill.state !== 'cancelled') return [];
  return [...found.values()]
    .filter((one) => one.status === 'pending')
    .filter((one) => backfill.state === 'cancelled' || one.attempt === 0);
}
