import { PunctualError } from '../../core/errors.ts';
import type { CalendarStore, CalendarUser } from '../../core/ports/calendar-store.ts';
import type { Calendar } from '../../core/schedule/calendar.ts';

export function assertCalendar(calendar: Calendar | undefined, name: string): Calendar {
  if (calendar) return calendar;
  throw new PunctualError('calendar.not-found', `There is no calendar ${JSON.stringify(name)}.`, {
    value: name,
  });
}

/** Who uses a calendar, and of those who is not at its version. */
export async function usesOf(
  calendars: Pick<CalendarStore, 'usersOf'>,
  { name, version }: Pick<Calendar, 'name' | 'version'>,
): Promise<{ readonly using: number; readonly behind: readonly CalendarUser[] }> {
  let using = 0;
  const behind: CalendarUser[] = [];
  for await (const users of calendars.usersOf(name)) {
    using += users.length;
    behind.push(...users.filter((user) => user.version !== version));
  }
  return { using, behind };
}
