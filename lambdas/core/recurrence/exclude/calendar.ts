import { PunctualError } from '../../errors.ts';
import type { CalendarDefinition, CompileContext, Weekday } from '../spec.ts';
import { weekdayOf } from '../zones/civil.ts';
import { type Zone, zoneOf } from '../zones/zone.ts';
import { readDates } from './dates.ts';
import { daySpan, type Exclusion, merged, spanAmong, wallExclusion } from './stretch.ts';

const WEEKDAYS: readonly Weekday[] = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
/** Dates and ranges of one calendar: thirty years of a country's holidays. */
const MAX_DATES = 1_000;

/** Checks a calendar before it is stored; throws PunctualError naming the field (`dates[3]`, `closedWeekdays[0]`). */
export function checkCalendar(calendar: CalendarDefinition): void {
  readCalendar('', calendar, zoneOf('UTC'), '');
}

/** The exclusion of a named calendar that the spec lists as number `index`. */
export function calendarExclusion(
  name: string,
  index: number,
  context: CompileContext,
  zone: Zone,
): Exclusion {
  const calendar = context.calendars?.get(name);
  if (!calendar)
    throw new PunctualError(
      'calendar.not-found',
      `There is no calendar ${JSON.stringify(name)}: store it first, or remove it from the schedule.`,
      { field: `calendars[${index}]`, value: name },
    );
  return readCalendar(name, calendar, zone, `calendars[${index}].`);
}

function readCalendar(name: string, calendar: CalendarDefinition, zone: Zone, prefix: string): Exclusion {
  const refuse = (field: string, value: unknown, message: string) =>
    new PunctualError('expression.invalid', message, { field: `${prefix}${field}`, value });
  if (calendar.dates.length > MAX_DATES)
    throw refuse('dates', calendar.dates.length, `A calendar has at most ${MAX_DATES} dates and ranges.`);
  const ranges = calendar.dates.map((text, index) => {
    const range = readDates({ field: `${prefix}dates[${index}]`, text }, text);
    if (range) return range;
    throw refuse(
      `dates[${index}]`,
      text,
      `${JSON.stringify(text)} is not a date or a range of dates: write 2026-12-25 or 2026-12-24/2027-01-01.`,
    );
  });
  const closed = new Set(
    calendar.closedWeekdays.map((weekday, index) => {
      const number = WEEKDAYS.indexOf(weekday);
      if (number >= 0) return number;
      throw refuse(`closedWeekdays[${index}]`, weekday, `A closed weekday is one of ${WEEKDAYS.join(', ')}.`);
    }),
  );
  if (closed.size === 7)
    throw refuse(
      'closedWeekdays',
      calendar.closedWeekdays,
      'A calendar that is always closed never lets anything fire.',
    );
  const listed = merged(ranges.map(({ from, to }) => ({ from, to: to + 1 })));
  const own = calendar.timezone === undefined ? zone : zoneOf(calendar.timezone, `${prefix}timezone`);
  return wallExclusion(`calendar ${name}`, true, own, (wall) =>
    daySpan(wall, (day) => {
      if (closed.has(weekdayOf(day))) return { from: day, to: day + 1, excluded: true };
      const span = spanAmong(listed, day);
      if (span.excluded) return span;
      // Open until the next closed weekday, of which there is one a week or none.
      let [from, to] = [day, day + 1];
      while (from > day - 7 && from > span.from && !closed.has(weekdayOf(from - 1))) from -= 1;
      while (to < day + 7 && to < span.to && !closed.has(weekdayOf(to))) to += 1;
      return closed.size === 0 ? span : { from, to, excluded: false };
    }),
  );
}
