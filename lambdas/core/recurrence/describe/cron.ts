import { bitList, type CronFields, type DayRule, eitherDayField } from '../cron/fields.ts';
import { timeText } from '../zones/civil.ts';
import { listed, MONTH_NAMES, ordinal, plural, ranges, WEEKDAY_NAMES } from './words.ts';

/** Most times of day that are listed one by one. */
const MAX_TIMES = 6;
const EVERY_WEEKDAY = 0b111_1111;
const EVERY_DAY = 0xffff_fffe | 0;
const EVERY_MONTH = 0b1_1111_1111_1110;

/** `At 09:00, Monday to Friday`; the first letter is a capital. */
export function describeCron(fields: CronFields): string {
  const { days } = fields;
  const parts = [timeOfDay(fields), describeDays(days)];
  if (days.months !== EVERY_MONTH)
    parts.push(`in ${ranges(bitList(days.months), (month) => MONTH_NAMES[month - 1] ?? '')}`);
  if (days.years) parts.push(`in ${ranges(days.years)}`);
  return parts.filter((part) => part !== '').join(', ');
}

function timeOfDay({ seconds, minutes, hours }: CronFields): string {
  if (seconds.length * minutes.length * hours.length <= MAX_TIMES) {
    const times = hours.flatMap((hour) =>
      minutes.flatMap((minute) => seconds.map((second) => timeText(hour * 3_600 + minute * 60 + second))),
    );
    return `At ${listed(times)}`;
  }
  if (seconds.length > 1)
    return `${repeated(seconds, 60, 'second')}${within(minutes, 60, 'minute')}${inHours(hours)}`;
  const [second = 0] = seconds;
  const atSecond = second === 0 ? '' : ` at second ${second}`;
  const everyHour = hours.length === 24 && stepOf(minutes, 60) === undefined ? ' of every hour' : '';
  return `${repeated(minutes, 60, 'minute')}${everyHour}${inHours(hours)}${atSecond}`;
}

/** `Every minute`, `Every 15 minutes`, `At minutes 5 and 35` */
function repeated(values: readonly number[], size: number, noun: string): string {
  const step = stepOf(values, size);
  if (step === 1) return `Every ${noun}`;
  if (step !== undefined) return `Every ${step} ${noun}s`;
  return `At ${plural(values.length, noun)} ${ranges(values)}`;
}

function within(values: readonly number[], size: number, noun: string): string {
  return values.length === size ? '' : ` of ${plural(values.length, noun)} ${ranges(values)}`;
}

function inHours(hours: readonly number[]): string {
  if (hours.length === 24) return '';
  const [first = 0] = hours;
  const last = hours.at(-1) ?? first;
  if (last - first === hours.length - 1)
    return ` from ${timeText(first * 3_600)} to ${timeText(last * 3_600 + 59 * 60)}`;
  return ` of ${plural(hours.length, 'hour')} ${ranges(hours)}`;
}

/** n when the values are 0, n, 2n … through the whole field, evenly over its end too. */
function stepOf(values: readonly number[], size: number): number | undefined {
  const step = size / values.length;
  if (values.length === 1) return undefined;
  return Number.isInteger(step) && values.every((value, index) => value === index * step) ? step : undefined;
}

/** `Monday to Friday`, `on the last day of the month or on Friday`; empty for every day. */
export function describeDays(rule: DayRule): string {
  const dates = describeDates(rule);
  const weekdays = describeWeekdays(rule);
  if (dates === '') return weekdays;
  if (weekdays === '') return `on ${dates}`;
  return eitherDayField(rule)
    ? `on ${dates} or on ${weekdays}`
    : `on ${dates} when it is also ${weekdays.replace(/, /g, ' or ')}`;
}

function describeDates(rule: DayRule): string {
  if (rule.daysOfMonth === EVERY_DAY) return '';
  const dates = bitList(rule.daysOfMonth);
  const items = [
    ...(dates.length > 0 ? [`${plural(dates.length, 'day')} ${ranges(dates)} of the month`] : []),
    ...rule.fromLast.map((back) =>
      back === 0
        ? 'the last day of the month'
        : `${back} ${plural(back, 'day')} before the last day of the month`,
    ),
    ...rule.nearest.map((day) => `the weekday nearest to the ${ordinal(day)}`),
    ...rule.nearestFromLast.map((back) =>
      back === 0 ? 'the last weekday of the month' : `the weekday nearest to ${back} days before the last`,
    ),
  ];
  return listed(items);
}

/** `3rd`, `last`, `2nd to last` */
function placeOf(nth: number): string {
  if (nth > 0) return ordinal(nth);
  return nth === -1 ? 'last' : `${ordinal(-nth)} to last`;
}

function describeWeekdays(rule: DayRule): string {
  if (rule.weekdays === EVERY_WEEKDAY) return '';
  const name = (weekday: number): string => WEEKDAY_NAMES[weekday % 7] ?? '';
  const weekdays = bitList(rule.weekdays).map((weekday) => (weekday === 0 ? 7 : weekday));
  const items = [
    ...(weekdays.length > 0
      ? [
          ranges(
            weekdays.sort((a, b) => a - b),
            name,
          ),
        ]
      : []),
    ...rule.nthWeekdays.map(({ weekday, nth }) => `the ${placeOf(nth)} ${name(weekday)} of the month`),
  ];
  return listed(items);
}
