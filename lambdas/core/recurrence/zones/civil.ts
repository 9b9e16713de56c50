/**
 * Integer arithmetic on the proleptic Gregorian calendar: no Date and no Intl, so it is fast and depends on
 * neither the host's zone nor its locale. Days are counted from 1970-01-01; a wall time is the number of seconds
 * that a clock on the wall shows since 1970-01-01T00:00:00, whatever the zone. The two day conversions are
 * Howard Hinnant's `days_from_civil` and `civil_from_days` (https://howardhinnant.github.io/date_algorithms.html).
 */

export const DAY_SECONDS = 86_400;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
}

/** The number of the day; `day` may lie outside the month and carries over. */
export function dayNumber(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function civilDate(days: number): CivilDate {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const doe = z - era * 146_097;
  const yoe = Math.floor(
    (doe - Math.floor(doe / 1_460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365,
  );
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  return {
    year: yoe + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: doy - Math.floor((153 * mp + 2) / 5) + 1,
  };
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 0 is Sunday. 1970-01-01 was a Thursday. */
export function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

/** Wall seconds of a civil date and time; parts may carry over. */
export function wallOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  return dayNumber(year, month, day) * DAY_SECONDS + hour * 3_600 + minute * 60 + second;
}

/** `2026-03-08` */
export function dateText(days: number): string {
  const { year, month, day } = civilDate(days);
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`;
}

/** `02:30`, or `02:30:15` when there are seconds. */
export function timeText(secondOfDay: number): string {
  const seconds = secondOfDay % 60;
  const text = `${pad(Math.floor(secondOfDay / 3_600))}:${pad(Math.floor(secondOfDay / 60) % 60)}`;
  return seconds === 0 ? text : `${text}:${pad(seconds)}`;
}

/** `2026-03-08T02:30:00` */
export function wallText(wall: number): string {
  const days = Math.floor(wall / DAY_SECONDS);
  const rest = wall - days * DAY_SECONDS;
  const time = timeText(rest);
  return `${dateText(days)}T${time.length === 5 ? `${time}:00` : time}`;
}

function pad(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** Wall seconds of `2026-03-08`, `2026-03-08T02:30` or `…T02:30:00`; undefined when it is no such date and time. */
export function parseWall(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => (part === undefined ? 0 : Number(part)));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return wallOf(year, month, day, hour, minute, second);
}
