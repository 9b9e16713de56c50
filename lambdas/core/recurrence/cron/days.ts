import { civilDate, dayNumber, isLeapYear, weekdayOf } from '../zones/civil.ts';
import { type DayRule, eitherDayField } from './fields.ts';

/** The days that a rule matches; all bounded by the 40 years between leap days on a given weekday. */
export interface DaySet {
  /** The first matching day at or after `day`; Infinity when there is none. */
  next(day: number): number;
  /** The last matching day at or before `day`; -Infinity when there is none. */
  prev(day: number): number;
  has(day: number): boolean;
}

/** One calendar of fourteen (leap or not, first weekday): for each month, bit n says that day n matches. */
type YearMask = Int32Array;

const FIRST_YEAR = 1900;
const LAST_YEAR = 9999;
/** Leap days on a given weekday are up to 40 years apart (around 2100); nothing that a rule can say is rarer. */
const LONGEST_WAIT = 41;

export function daySet(rule: DayRule): DaySet {
  const calendars: (YearMask | undefined)[] = new Array(14);
  const years = rule.years && new Set(rule.years);

  function calendar(year: number): YearMask | undefined {
    if (years && !years.has(year)) return undefined;
    const kind = weekdayOf(dayNumber(year, 1, 1)) + (isLeapYear(year) ? 7 : 0);
    let masks = calendars[kind];
    if (!masks) {
      masks = yearMask(rule, kind % 7, kind >= 7);
      calendars[kind] = masks;
    }
    return masks;
  }

  const first = Math.max(FIRST_YEAR, rule.years?.[0] ?? FIRST_YEAR);
  const last = Math.min(LAST_YEAR, rule.years?.at(-1) ?? LAST_YEAR);
  // Named years may lie further apart than any calendar makes a rule wait.
  const wait = rule.years ? LAST_YEAR : LONGEST_WAIT;

  return {
    next(day) {
      const date = civilDate(day);
      let [year, month, from] = [date.year, date.month, date.day];
      if (year < first) [year, month, from] = [first, 1, 1];
      for (const end = Math.min(last, year + wait); year <= end; year += 1, month = 1, from = 1) {
        const masks = calendar(year);
        if (!masks) continue;
        for (; month <= 12; month += 1, from = 1) {
          const left = (masks[month] ?? 0) & (-1 << from);
          if (left !== 0) return dayNumber(year, month, lowestBit(left));
        }
      }
      return Infinity;
    },
    prev(day) {
      const date = civilDate(day);
      let [year, month, to] = [date.year, date.month, date.day];
      if (year > last) [year, month, to] = [last, 12, 31];
      for (const end = Math.max(first, year - wait); year >= end; year -= 1, month = 12, to = 31) {
        const masks = calendar(year);
        if (!masks) continue;
        for (; month >= 1; month -= 1, to = 31) {
          const left = (masks[month] ?? 0) & (to === 31 ? -1 : (1 << (to + 1)) - 1);
          if (left !== 0) return dayNumber(year, month, highestBit(left));
        }
      }
      return -Infinity;
    },
    has(day) {
      const { year, month, day: date } = civilDate(day);
      return ((calendar(year)?.[month] ?? 0) & (1 << date)) !== 0;
    },
  };
}

/** Whether any day of the calendar matches: `0 0 30 2 *` has none. */
export function hasAnyDay(rule: DayRule): boolean {
  if (rule.years) return daySet(rule).next(dayNumber(FIRST_YEAR, 1, 1)) !== Infinity;
  for (let kind = 0; kind < 14; kind += 1)
    if (yearMask(rule, kind % 7, kind >= 7).some((mask) => mask !== 0)) return true;
  return false;
}

const MONTH_LENGTHS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function yearMask(rule: DayRule, januaryFirst: number, leap: boolean): YearMask {
  const masks = new Int32Array(13);
  let weekday = januaryFirst;
  for (let month = 1; month <= 12; month += 1) {
    const length = month === 2 && leap ? 29 : (MONTH_LENGTHS[month] ?? 0);
    if (rule.months & (1 << month)) masks[month] = monthMask(rule, weekday, length);
    weekday = (weekday + length) % 7;
  }
  return masks;
}

function monthMask(rule: DayRule, firstWeekday: number, length: number): number {
  const byDate = dateMask(rule, firstWeekday, length);
  const byWeekday = weekdayMask(rule, firstWeekday, length);
  const inMonth = length === 31 ? -2 : (1 << (length + 1)) - 2;
  return inMonth & (eitherDayField(rule) ? byDate | byWeekday : byDate & byWeekday);
}

function dateMask(rule: DayRule, firstWeekday: number, length: number): number {
  let mask = rule.daysOfMonth;
  for (const back of rule.fromLast) if (back < length) mask |= 1 << (length - back);
  // A month without a 31st has no weekday nearest to it, as in Quartz.
  for (const day of rule.nearest) if (day <= length) mask |= 1 << nearestWeekday(day, firstWeekday, length);
  for (const back of rule.nearestFromLast)
    if (back < length) mask |= 1 << nearestWeekday(length - back, firstWeekday, length);
  return mask;
}

function weekdayMask(rule: DayRule, firstWeekday: number, length: number): number {
  let mask = 0;
  for (let day = 1; day <= length; day += 1)
    if (rule.weekdays & (1 << ((firstWeekday + day - 1) % 7))) mask |= 1 << day;
  const lastWeekday = (firstWeekday + length - 1) % 7;
  for (const { weekday, nth } of rule.nthWeekdays) {
    const day =
      nth > 0
        ? 1 + ((weekday - firstWeekday + 7) % 7) + 7 * (nth - 1)
        : length - ((lastWeekday - weekday + 7) % 7) + 7 * (nth + 1);
    // A month may have no fifth one, from either end.
    if (day >= 1 && day <= length) mask |= 1 << day;
  }
  return mask;
}

/** Saturday moves back to Friday and Sunday on to Monday, unless that would leave the month. */
function nearestWeekday(day: number, firstWeekday: number, length: number): number {
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

function highestBit(mask: number): number {
  return 31 - Math.clz32(mask);
}
