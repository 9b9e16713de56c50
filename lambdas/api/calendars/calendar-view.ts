import { splitScheduleId } from '../../core/ids.ts';
import type { Calendar } from '../../core/schedule/calendar.ts';
import { toIso } from '../../core/time.ts';
import type { CalendarUseView, CalendarView } from './calendar-schema.ts';
import type { PutCalendar } from './put-calendar.ts';

/** Schedules that an answer names. */
const MAX_NAMED = 20;

export function calendarViewOf({ name, version, definition, updatedAt, updatedBy }: Calendar): CalendarView {
  const { dates, closedWeekdays, timezone } = definition;
  return {
    name,
    version,
    dates: [...dates],
    closedWeekdays: [...closedWeekdays],
    ...(timezone !== undefined && { timezone }),
    updatedAt: toIso(updatedAt),
    updatedBy,
  };
}

export function calendarUseViewOf({
  calendar,
  using,
  behind,
}: Omit<PutCalendar, 'created'>): CalendarUseView {
  const named = behind.slice(0, MAX_NAMED).map(({ schedule, error }) => ({
    ...splitScheduleId(schedule),
    ...(error && { code: error.code, message: error.message }),
  }));
  return { ...calendarViewOf(calendar), schedules: { using, behind: named, behindCount: behind.length } };
}
