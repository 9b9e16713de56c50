import { PunctualError } from '../../../core/errors.ts';
import type { RecurrenceSpec } from '../../../core/recurrence/index.ts';
import type { PinnedCalendar } from '../../../core/schedule/calendar.ts';
import type { Schedules } from '../../deps.ts';

/** The calendars that a definition names, as they are now and in its order; refused where there is none of a name. */
export async function pinCalendars(
  schedules: Pick<Schedules, 'pinCalendars'>,
  { calendars = [] }: Pick<RecurrenceSpec, 'calendars'>,
): Promise<readonly PinnedCalendar[]> {
  if (calendars.length === 0) return [];
  const found = await schedules.pinCalendars(calendars);
  return calendars.map((name, index) => {
    const pin = found.find((one) => one.name === name);
    if (pin) return pin;
    throw new PunctualError(
      'calendar.not-found',
      `There is no calendar ${JSON.stringify(name)}: store it first, or remove it from the schedule.`,
      { field: `calendars[${index}]`, value: name },
    );
  });
}
