import type { PinnedCalendar } from '../../core/calendar.ts';
import { declaredRate } from '../../core/declared-rate.ts';
import type { Share } from '../../core/group.ts';
import { headRecurrence } from '../../core/head-recurrence.ts';
import type { ScheduleId } from '../../core/ids.ts';
import { type Definition, planningPolicy } from '../../core/schedule.ts';
import type { EpochMs } from '../../core/time.ts';

/** What a definition takes of its group's quotas, by its times after `now`. */
export function shareOf(
  id: ScheduleId,
  definition: Definition,
  calendars: readonly PinnedCalendar[] | undefined,
  anchor: EpochMs,
  now: EpochMs,
): Share {
  const recurrence = headRecurrence({ id, policy: planningPolicy(definition, calendars), anchor });
  return {
    fires: declaredRate(recurrence, now),
    bytes: Buffer.byteLength(JSON.stringify(definition.input)),
  };
}
