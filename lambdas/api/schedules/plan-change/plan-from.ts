import type { ScheduleId } from '../../../core/ids.ts';
import { isMoved } from '../../../core/occurrence/notes.ts';
import type { Occurrence } from '../../../core/occurrence/occurrence.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Occurrences } from '../../deps.ts';

/**
 * Where planning under a new definition begins: now, or the latest nominal time after it that has started
 * already. Without it a worker whose clock is a little ahead starts 12:00:00 under the old definition, and an
 * edit at 11:59:59.9 of our clock would have it start again under the new one; and where a clock was set back, all that
 * ran in the hour that comes again.
 */
export async function planFrom(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  schedule: ScheduleId,
  now: EpochMs,
): Promise<EpochMs> {
  const query = { schedule, from: now, limit: 100 };
  let cursor: string | undefined;
  do {
    const page = await occurrences.listOccurrences(cursor === undefined ? query : { ...query, cursor });
    // Newest first, so that the first one found is the latest.
    const started = page.items.find(hasHappened);
    if (started) return started.scheduledTime;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return now;
}

/** Not waiting any more, other than by having been cancelled or skipped by a person before it began. */
function hasHappened(occurrence: Occurrence): boolean {
  // Times that are recorded as not run are accounted for.
  if (occurrence.kind === 'range') return true;
  if (occurrence.kind !== 'scheduled') return false;
  const { status } = occurrence;
  // What a person decided about single times is carried over (carry-over.ts) and says nothing of those before it.
  if (isMoved(occurrence)) return false;
  const unwanted = status === 'skipped' && occurrence.reason === 'user';
  const unstarted = status === 'pending' || status === 'cancelled' || unwanted;
  return !unstarted || occurrence.startedAt !== undefined;
}
