import { PARTITION, SORT } from '../../../contract/tables.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { CalendarDefinition } from '../../../core/recurrence/index.ts';
import type { Calendar, PinnedCalendar } from '../../../core/schedule/calendar.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Item } from '../item.ts';
import { type ItemKey, schedulePk } from '../keys.ts';

/**
 * A calendar is a small item that says its latest version, all of them in one partition for listing; an immutable
 * item for each version; and one for each schedule that uses it, written in that schedule's own transactions.
 */
export const CALENDARS_PK = PARTITION.calendars;

export function calendarKey(name: string): ItemKey {
  return { pk: CALENDARS_PK, sk: name };
}

const partition = (name: string) => `${PARTITION.calendar}${name}`;

export function calendarVersionKey(name: string, version: number): ItemKey {
  return { pk: partition(name), sk: `${SORT.calendarVersion}${String(version).padStart(10, '0')}` };
}

export function calendarUserKey(name: string, schedule: ScheduleId): ItemKey {
  return { pk: partition(name), sk: schedulePk(schedule) };
}

export function calendarItem({ name, version, updatedAt, updatedBy }: Calendar, deleted = false): Item {
  return {
    ...calendarKey(name),
    version,
    updated_at: updatedAt,
    updated_by: updatedBy,
    ...(deleted && { deleted: true }),
  };
}

export function calendarVersionItem({ name, version, definition }: Calendar): Item {
  const { dates, closedWeekdays, timezone } = definition;
  return {
    ...calendarVersionKey(name, version),
    dates,
    closed_weekdays: closedWeekdays,
    ...(timezone !== undefined && { timezone }),
  };
}

export function calendarDefinitionOf(item: Item): CalendarDefinition {
  return {
    dates: item.dates as string[],
    closedWeekdays: item.closed_weekdays as CalendarDefinition['closedWeekdays'],
    ...(item.timezone !== undefined && { timezone: item.timezone as string }),
  };
}

export function calendarOf(item: Item, definition: CalendarDefinition): Calendar {
  return {
    name: item.sk as string,
    version: item.version as number,
    definition,
    updatedAt: item.updated_at as EpochMs,
    updatedBy: item.updated_by as string,
  };
}

/** `holidays#3`: a calendar at a version, as heads and revisions name it. No name has a `#`. */
export function pinText({ name, version }: Pick<PinnedCalendar, 'name' | 'version'>): string {
  return `${name}#${version}`;
}

export function pinOf(text: string): Pick<PinnedCalendar, 'name' | 'version'> {
  const [name = '', version] = text.split('#');
  return { name, version: Number(version) };
}
