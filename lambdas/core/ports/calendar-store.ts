import type { ScheduleId } from '../ids.ts';
import type { Calendar } from '../schedule/calendar.ts';
import type { EpochMs } from '../time.ts';
import type { Page } from './page.ts';

/** A schedule that uses a calendar, and the version that its revision in force was made with. */
export interface CalendarUser {
  readonly schedule: ScheduleId;
  readonly version: number;
}

export interface CalendarStore {
  readCalendar(name: string): Promise<Calendar | undefined>;
  /** By name. */
  listCalendars(query: { readonly limit: number; readonly cursor?: string }): Promise<Page<Calendar>>;
  /** Makes the next version; refused when somebody else made one since `seen` was read. */
  writeCalendar(
    next: Pick<Calendar, 'name' | 'definition' | 'updatedAt' | 'updatedBy'>,
    seen: Calendar | undefined,
  ): Promise<{ readonly kind: 'written'; readonly calendar: Calendar } | { readonly kind: 'conflict' }>;
  /** Its versions stay, for the revisions that were made with them; a later one of the name goes on from its number. */
  deleteCalendar(seen: Calendar, now: EpochMs): Promise<'deleted' | 'conflict'>;
  /** Takes a delete back, of what a schedule has begun to use meanwhile. */
  restoreCalendar(deleted: Calendar): Promise<void>;
  /** Live schedules that use it, in no order. */
  usersOf(name: string): AsyncIterable<readonly CalendarUser[]>;
}
