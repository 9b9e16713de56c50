import { type Origin, quote, refusal } from '../refusal.ts';
import { civilDate, DAY_SECONDS, weekdayOf } from '../zones/civil.ts';
import { FREQUENCIES, type Frequency, isDayBased, type Rule, type WeekdayPart } from './rule.ts';

/** The two-letter weekdays of iCalendar, Sunday first. */
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
/** Times of day that one rule may name: once a minute. */
const MAX_OFFSETS = 1_440;
const MAX_INTERVAL = 1_000_000;

export interface RuleText {
  readonly rule: Rule;
  readonly count: number | undefined;
  /** As written: a date, a local or a UTC date-time. */
  readonly until: string | undefined;
}

/**
 * Reads `FREQ=WEEKLY;BYDAY=MO,FR` with DTSTART at wall second `start`. Where that is the creation, of which nobody
 * knows the second, seconds that the rule does not name are zero.
 */
export function readRule(origin: Origin, text: string, start: number, anchored = true): RuleText {
  const parts = splitParts(origin, text);
  const frequency = parts.get('FREQ')?.toUpperCase();
  if (!isFrequency(frequency))
    throw refusal(
      origin,
      'expression.invalid',
      `FREQ of ${quote(text)} is not one of ${FREQUENCIES.join(', ')}.`,
    );
  const list = (name: string, max: number, min = 1, negative = false): number[] =>
    readList(origin, name, parts.get(name), { min, max, negative });
  const given = {
    months: list('BYMONTH', 12),
    monthDays: list('BYMONTHDAY', 31, 1, true),
    yearDays: list('BYYEARDAY', 366, 1, true),
    weekNumbers: list('BYWEEKNO', 53, 1, true),
    weekdays: readWeekdays(origin, parts.get('BYDAY')),
    positions: list('BYSETPOS', 366, 1, true),
    hours: list('BYHOUR', 23, 0),
    minutes: list('BYMINUTE', 59, 0),
    // "Implementations that do not support leap seconds SHOULD interpret the second 60 as equivalent to 59."
    seconds: [...new Set(list('BYSECOND', 60, 0).map((second) => Math.min(second, 59)))],
  };
  checkParts(origin, frequency, given);
  const weekStart = WEEKDAYS.indexOf((parts.get('WKST') ?? 'MO').toUpperCase());
  if (weekStart < 0) throw refusal(origin, 'expression.invalid', `WKST is one of ${WEEKDAYS.join(', ')}.`);
  const interval = readNumber(origin, 'INTERVAL', parts.get('INTERVAL') ?? '1', MAX_INTERVAL);
  const count = parts.get('COUNT');
  const until = parts.get('UNTIL');
  if (count !== undefined && until !== undefined)
    throw refusal(origin, 'expression.invalid', `${quote(text)} has both COUNT and UNTIL: one may be given.`);
  return {
    rule: withDefaults({ ...given, frequency, interval, start, weekStart }, anchored),
    count: count === undefined ? undefined : readNumber(origin, 'COUNT', count, 1_000_000),
    until,
  };
}

const KNOWN = new Set(
  'FREQ INTERVAL COUNT UNTIL BYMONTH BYMONTHDAY BYYEARDAY BYWEEKNO BYDAY BYSETPOS BYHOUR BYMINUTE BYSECOND WKST'.split(
    ' ',
  ),
);

function splitParts(origin: Origin, text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.replace(/;$/, '').split(';')) {
    const [name = '', value = ''] = part.split('=', 2);
    const known = name.toUpperCase();
    if (!KNOWN.has(known) || value === '' || parts.has(known))
      throw refusal(
        origin,
        'expression.invalid',
        `${quote(part)} is not a part of an RRULE, or is repeated: allowed are ${[...KNOWN].join(', ')}.`,
      );
    parts.set(known, value);
  }
  return parts;
}

function isFrequency(text: string | undefined): text is Frequency {
  return FREQUENCIES.some((frequency) => frequency === text);
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Whether -max to -min may be given too. */
  readonly negative: boolean;
}

function readList(origin: Origin, name: string, text: string | undefined, bounds: Bounds): number[] {
  if (text === undefined) return [];
  const { min, max, negative } = bounds;
  const values = text.split(',').map((item) => {
    const value = /^[+-]?\d{1,3}$/.test(item) ? Number(item) : Number.NaN;
    const size = negative ? Math.abs(value) : value;
    if (size >= min && size <= max) return value;
    const allowed = `${min} to ${max}${negative ? ` or -${max} to -${min}` : ''}`;
    throw refusal(
      origin,
      'expression.out-of-range',
      `${name} ${quote(item)} is out of range: ${allowed} is allowed.`,
    );
  });
  return [...new Set(values)].sort((a, b) => a - b);
}

function readWeekdays(origin: Origin, text: string | undefined): WeekdayPart[] {
  return (text?.split(',') ?? []).map((item) => {
    const match = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/i.exec(item);
    const nth = Number(match?.[1] ?? 0);
    if (!match || Math.abs(nth) > 53 || (nth === 0 && match[1] !== undefined))
      throw refusal(
        origin,
        'expression.invalid',
        `BYDAY ${quote(item)} is not a weekday such as MO, 2TU (the second) or -1FR (the last).`,
      );
    return { weekday: WEEKDAYS.indexOf((match[2] ?? '').toUpperCase()), nth };
  });
}

function readNumber(origin: Origin, name: string, text: string, max: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw refusal(
    origin,
    'expression.out-of-range',
    `${name} ${quote(text)} is out of range: 1 to ${max} is allowed.`,
  );
}

type GivenParts = Omit<Rule, 'frequency' | 'interval' | 'start' | 'weekStart'>;

/** The combinations that RFC 5545 forbids, and more times a day than minutes. */
function checkParts(origin: Origin, frequency: Frequency, parts: GivenParts): void {
  const refuse = (why: string) => refusal(origin, 'expression.invalid', `${quote(origin.text)}: ${why}.`);
  if (parts.weekNumbers.length > 0 && frequency !== 'YEARLY') throw refuse('BYWEEKNO needs FREQ=YEARLY');
  if (parts.yearDays.length > 0 && ['MONTHLY', 'WEEKLY', 'DAILY'].includes(frequency))
    throw refuse('BYYEARDAY does not go with FREQ=MONTHLY, WEEKLY or DAILY');
  if (parts.monthDays.length > 0 && frequency === 'WEEKLY')
    throw refuse('BYMONTHDAY does not go with FREQ=WEEKLY');
  const counted = parts.weekdays.some(({ nth }) => nth !== 0);
  if (counted && frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    throw refuse('a number in BYDAY needs FREQ=MONTHLY or YEARLY');
  if (counted && parts.weekNumbers.length > 0) throw refuse('a number in BYDAY does not go with BYWEEKNO');
  const { positions, ...others } = parts;
  if (positions.length > 0 && Object.values(others).every((list) => list.length === 0))
    throw refuse('BYSETPOS needs another BY part to pick from');
  const times = [parts.hours, parts.minutes, parts.seconds].reduce(
    (product, list) => product * Math.max(1, list.length),
    1,
  );
  if (times > MAX_OFFSETS) throw refuse(`it names ${times} times a day; at most ${MAX_OFFSETS} are allowed`);
}

/** "Information not contained in the rule is derived from DTSTART." */
function withDefaults(rule: Rule, anchored: boolean): Rule {
  const { frequency, start } = rule;
  const day = Math.floor(start / DAY_SECONDS);
  const time = start - day * DAY_SECONDS;
  const date = civilDate(day);
  const or = (list: readonly number[], value: number): readonly number[] =>
    list.length > 0 ? list : [value];
  const clock = {
    hours: isDayBased(frequency) ? or(rule.hours, Math.floor(time / 3_600)) : rule.hours,
    minutes:
      isDayBased(frequency) || frequency === 'HOURLY'
        ? or(rule.minutes, Math.floor(time / 60) % 60)
        : rule.minutes,
    seconds: frequency === 'SECONDLY' ? rule.seconds : or(rule.seconds, anchored ? time % 60 : 0),
  };
  const namesDays = [rule.weekdays, rule.monthDays, rule.yearDays].some((list) => list.length > 0);
  if (namesDays || !isDayBased(frequency) || frequency === 'DAILY') return { ...rule, ...clock };
  const weekdays = [{ weekday: weekdayOf(day), nth: 0 }];
  if (frequency === 'WEEKLY' || rule.weekNumbers.length > 0) return { ...rule, ...clock, weekdays };
  if (frequency === 'MONTHLY') return { ...rule, ...clock, monthDays: [date.day] };
  return { ...rule, ...clock, monthDays: [date.day], months: or(rule.months, date.month) };
}
