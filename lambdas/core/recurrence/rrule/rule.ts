/** RFC 5545, 3.3.10: https://datatracker.ietf.org/doc/html/rfc5545#section-3.3.10 */

export const FREQUENCIES = [
  'YEARLY',
  'MONTHLY',
  'WEEKLY',
  'DAILY',
  'HOURLY',
  'MINUTELY',
  'SECONDLY',
] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** A rule with what it leaves out filled in from DTSTART. Empty lists restrict nothing. */
export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  /** Wall seconds of DTSTART: nothing fires before it, and intervals count from its period. */
  readonly start: number;
  readonly months: readonly number[];
  /** 1 to 31, or -31 to -1 from the end of the month. */
  readonly monthDays: readonly number[];
  /** 1 to 366, or -366 to -1 from the end of the year. */
  readonly yearDays: readonly number[];
  /** 1 to 53, or -53 to -1 from the last week of the year. */
  readonly weekNumbers: readonly number[];
  readonly weekdays: readonly WeekdayPart[];
  /** Sunday is 0. */
  readonly weekStart: number;
  /** Which of the times of a period fire: 1 is the first, -1 the last. */
  readonly positions: readonly number[];
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  readonly seconds: readonly number[];
}

export interface WeekdayPart {
  /** Sunday is 0. */
  readonly weekday: number;
  /** 2 is the second of the month or year, -1 the last, 0 each. */
  readonly nth: number;
}

/** Whether times of day come from a list (DAILY and coarser) or from counting hours, minutes or seconds. */
export function isDayBased(frequency: Frequency): boolean {
  return FREQUENCIES.indexOf(frequency) <= FREQUENCIES.indexOf('DAILY');
}
