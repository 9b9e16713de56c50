export type DialectName = 'extended' | 'eventbridge' | 'quartz';

export type FieldName = 'second' | 'minute' | 'hour' | 'day-of-month' | 'month' | 'day-of-week' | 'year';

export interface Dialect {
  readonly name: DialectName;
  /** Accepted layouts by number of fields. */
  readonly layouts: Readonly<Record<number, readonly FieldName[]>>;
  /** What Sunday is: 0 (and 7) in crontabs, 1 in Quartz and EventBridge. */
  readonly sunday: 0 | 1;
  /** Whether one day field must be `?`, and a lone `L` in day-of-week is Saturday. */
  readonly questionMark: 'optional' | 'required';
  /** Whether `H` picks a value by hash. */
  readonly hash: boolean;
}

const FIVE: readonly FieldName[] = ['minute', 'hour', 'day-of-month', 'month', 'day-of-week'];

/** crontab(5) with seconds in front when there are six fields and a year behind when there are seven. */
export const EXTENDED: Dialect = {
  name: 'extended',
  layouts: { 5: FIVE, 6: ['second', ...FIVE], 7: ['second', ...FIVE, 'year'] },
  sunday: 0,
  questionMark: 'optional',
  hash: true,
};

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
export const EVENTBRIDGE: Dialect = {
  name: 'eventbridge',
  layouts: { 6: [...FIVE, 'year'] },
  sunday: 1,
  questionMark: 'required',
  hash: false,
};

/** https://www.quartz-scheduler.org/documentation/quartz-2.3.0/tutorials/crontrigger.html */
export const QUARTZ: Dialect = {
  name: 'quartz',
  layouts: { 6: ['second', ...FIVE], 7: ['second', ...FIVE, 'year'] },
  sunday: 1,
  questionMark: 'required',
  hash: false,
};

export interface FieldSpec {
  readonly name: FieldName;
  /** The values as they are kept: Sunday is 0. */
  readonly min: number;
  readonly max: number;
  /** A step must be smaller than this; one of all values fires once a field, as in Debian's cron. */
  readonly stepLimit: number;
  /** The last value that `H` may pick: every month has a 28th. */
  readonly hashMax: number;
  /** The names of the values from `min` on. */
  readonly names: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

export const FIELDS: Readonly<Record<FieldName, FieldSpec>> = {
  second: { name: 'second', min: 0, max: 59, stepLimit: 61, hashMax: 59, names: [] },
  minute: { name: 'minute', min: 0, max: 59, stepLimit: 61, hashMax: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, stepLimit: 25, hashMax: 23, names: [] },
  'day-of-month': { name: 'day-of-month', min: 1, max: 31, stepLimit: 32, hashMax: 28, names: [] },
  month: { name: 'month', min: 1, max: 12, stepLimit: 13, hashMax: 12, names: MONTHS },
  // vixie counts 0 to 7, so `*/7` is a legal way to say Sunday.
  'day-of-week': { name: 'day-of-week', min: 0, max: 6, stepLimit: 8, hashMax: 6, names: WEEKDAYS },
  year: { name: 'year', min: 1970, max: 2199, stepLimit: 230, hashMax: 2199, names: [] },
};
