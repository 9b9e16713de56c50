import { LRUCache } from 'lru-cache';
import type { ScheduleId } from '../core/ids.ts';
import type { ScheduleStore } from '../core/ports/schedule-store.ts';
import type { Revision } from '../core/schedule/revision.ts';

/** Revisions kept in a warm function. Each may hold an input of many kilobytes. */
const MAX_REVISIONS = 500;

/** Revisions never change, so a warm function reads each once. */
export function createRevisionCache(schedules: Pick<ScheduleStore, 'readRevision'>) {
  const cache = new LRUCache<string, Revision>({ max: MAX_REVISIONS });
  return async ({ schedule, revision }: { readonly schedule: ScheduleId; readonly revision: number }) => {
    const key = `${schedule}#${revision}`;
    const known = cache.get(key);
    if (known) return known;
    const read = await schedules.readRevision(schedule, revision);
    if (read) cache.set(key, read);
    return read;
  };
}
