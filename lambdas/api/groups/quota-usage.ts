import type { ScheduleId } from '../../core/ids.ts';
import type { PinnedCalendar } from '../../core/schedule/calendar.ts';
import { declaredRate } from '../../core/schedule/declared-rate.ts';
import type { Definition } from '../../core/schedule/definition.ts';
import type { Share } from '../../core/schedule/group.ts';
import { planningPolicy } from '../../core/schedule/head.ts';
import { headRecurrence } from '../../core/schedule/head-recurrence.ts';
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
