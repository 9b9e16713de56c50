import type { ScheduleId } from '../../core/ids.ts';
import { isMoved } from '../../core/occurrence/notes.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { FireNote } from '../../core/recurrence/types.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Occurrences } from '../deps.ts';
import { movedNote } from './moved-occurrence.ts';

/** Occurrences read for one answer: the plan window of a schedule that fires each second is 900. */
const MAX_PAGES = 12;

/** What people decided about the times from `from` to `to`, by time. */
export async function comingNotes(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  schedule: ScheduleId,
  revision: number,
  from: EpochMs,
  to: EpochMs,
): Promise<ReadonlyMap<EpochMs, FireNote>> {
  const notes = new Map<EpochMs, FireNote>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = { schedule, from, to, kind: 'scheduled', oldestFirst: true, limit: 100 } as const;
    const page = await occurrences.listOccurrences({ ...query, ...(cursor !== undefined && { cursor }) });
    for (const found of page.items) {
      const note = found.revision === revision || found.status === 'pending' ? noteOf(found) : undefined;
      if (note) notes.set(found.scheduledTime, note);
    }
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return notes;
}

function noteOf(found: Occurrence): FireNote | undefined {
  if (found.status === 'pending') return isMoved(found) ? movedNote(found.dueAt) : undefined;
  const isUnwanted = found.status === 'skipped' || found.status === 'cancelled';
  if (!isUnwanted || found.reason !== 'user') return undefined;
  return { code: 'skipped', message: 'A person does not want it to run.' };
}
