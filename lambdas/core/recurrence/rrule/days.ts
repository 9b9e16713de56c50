import { bits } from '../cron/fields.ts';
import { civilDate, dayNumber, daysInMonth, isLeapYear, weekdayOf } from '../zones/civil.ts';
import type { Rule } from './rule.ts';

/** Whether a day passes the BY… parts of a rule that name days, but for BYWEEKNO, which is a matter of periods. */
export function dayFilter(rule: Rule): (day: number) => boolean {
  const { months, monthDays, yearDays, weekdays } = rule;
  // "The numeric value in a BYDAY part corresponds to an offset within the month when BYMONTH is there or FREQ is
  // MONTHLY, and within the year otherwise."
  const nthOfMonth = rule.frequency === 'MONTHLY' || months.length > 0;

  const ofWeek = bits(weekdays.filter(({ nth }) => nth === 0).map(({ weekday }) => weekday));
  const counted = weekdays.filter(({ nth }) => nth !== 0);
  const namesDates = months.length + monthDays.length + yearDays.length > 0;

  /** The BY… parts other than BYDAY, and BYDAY parts with a number; the costly ones. */
  function matchesDate(day: number, byWeekday: boolean): boolean {
    const { year, month, day: date } = civilDate(day);
    if (months.length > 0 && !months.includes(month)) return false;
    const length = daysInMonth(year, month);
    if (monthDays.length > 0 && !includesEither(monthDays, date, length)) return false;
    if (yearDays.length === 0 && byWeekday) return true;
    const dayOfYear = day - dayNumber(year, 1, 1) + 1;
    const yearLength = isLeapYear(year) ? 366 : 365;
    if (yearDays.length > 0 && !includesEither(yearDays, dayOfYear, yearLength)) return false;
    if (byWeekday) return true;
    const [position, size] = nthOfMonth ? [date, length] : [dayOfYear, yearLength];
    const fromStart = Math.floor((position - 1) / 7) + 1;
    const fromEnd = -Math.floor((size - position) / 7) - 1;
    const weekday = weekdayOf(day);
    return counted.some(
      (part) => part.weekday === weekday && (part.nth === fromStart || part.nth === fromEnd),
    );
  }

  return (day) => {
    const byWeekday = weekdays.length === 0 || (ofWeek & (1 << weekdayOf(day))) !== 0;
    if (!byWeekday && counted.length === 0) return false;
    return byWeekday && !namesDates ? true : matchesDate(day, byWeekday);
  };
}

/** Whether the list has the value, 1 to `size`, or its count from the end, -1 being the last. */
function includesEither(list: readonly number[], value: number, size: number): boolean {
  return list.includes(value) || list.includes(value - size - 1);
}

/** The year that the week of `day` belongs to: that of most of its days, so that each week belongs to one year. */
export function weekYearOf(day: number, weekStart: number): number {
  return civilDate(weekBegin(day, weekStart) + 3).year;
}

/** The weeks of a year with these numbers, -1 being the last; in order, each once. A week may begin a year earlier. */
export function weeksOf(
  year: number,
  numbers: readonly number[],
  weekStart: number,
): (readonly [from: number, to: number])[] {
  const first = firstWeek(year, weekStart);
  const count = (firstWeek(year + 1, weekStart) - first) / 7;
  const weeks = numbers.map((number) => (number > 0 ? number : count + 1 + number));
  return [...new Set(weeks)]
    .filter((week) => week >= 1 && week <= count)
    .sort((a, b) => a - b)
    .map((week) => [first + 7 * (week - 1), first + 7 * week]);
}

/** The day on which week 1 of the year starts: the start of the week that holds 4 January. */
function firstWeek(year: number, weekStart: number): number {
  const fourth = dayNumber(year, 1, 4);
  return weekBegin(fourth, weekStart);
}

/** The first day of the week that holds `day`. */
export function weekBegin(day: number, weekStart: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7);
}
