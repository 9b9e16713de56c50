import { LRUCache } from 'lru-cache';
import { type OccurrenceKey, splitScheduleId } from '../core/ids.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { ScheduleStore } from '../core/ports/schedule-store.ts';
import { type GroupLimit, limitOf } from '../core/slots/needs.ts';
import { SECOND } from '../core/time.ts';

/** A changed limit is in force this soon everywhere. */
const FRESH_FOR = 10 * SECOND;
const MAX_GROUPS = 1_000;

/** The concurrency limit of an occurrence's group, read at most every ten seconds by each warm function. */
export function createGroupLimits(schedules: Pick<ScheduleStore, 'readGroup'>, clock: Pick<Clock, 'now'>) {
  const cache = new LRUCache<string, { readonly limit: GroupLimit | undefined; readonly until: number }>({
    max: MAX_GROUPS,
  });
  return async (key: Pick<OccurrenceKey, 'schedule'>): Promise<GroupLimit | undefined> => {
    const { group } = splitScheduleId(key.schedule);
    const known = cache.get(group);
    if (known && clock.now() < known.until) return known.limit;
    const limit = limitOf(await schedules.readGroup(group));
    cache.set(group, { limit, until: clock.now() + FRESH_FOR });
    return limit;
  };
}
