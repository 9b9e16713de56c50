import { FIELDS, type FieldName } from '../cron/dialect.ts';
import { bitList, type DayRule, eitherDayField } from '../cron/fields.ts';
import type { CronExpression } from '../expression.ts';
import type { Warning } from '../types.ts';

const EVERY_WEEKDAY = 0b111_1111;

/** Warnings about the text alone. */
export function cronWarnings(expression: CronExpression): Warning[] {
  const { fields } = expression;
  const { days } = fields;
  const warnings: Warning[] = [];
  const warn = (code: string, message: string): number => warnings.push({ code, message });

  const everyMinute = fields.minutes.length === 60;
  if (everyMinute && fields.hours.length < 24)
    warn(
      'every-minute-of-hours',
      `Fires every minute of hour ${fields.hours.join(', ')}: for once an hour, write 0 as the minute.`,
    );
  if (fields.seconds.length === 60 && !everyMinute)
    warn(
      'every-second-of-minutes',
      'Fires every second of the minutes it names: for once a minute, write 0 as the second.',
    );
  const missing = shortMonths(days);
  if (missing !== undefined)
    warn(
      'not-every-month',
      `Months without a day ${missing} are passed over; L is the last day of each month.`,
    );
  if (restrictsDates(days) && restrictsWeekdays(days) && !days.bothDays)
    warn(
      'both-day-fields',
      eitherDayField(days)
        ? 'Day-of-month and day-of-week are both set: it fires when either matches, as crontabs do; ' +
            'with dayRule "and" it fires when both do.'
        : 'Day-of-month and day-of-week are both set and one begins with *: it fires when both match, as crontabs do.',
    );
  if (expression.questionMark && expression.dialect === 'extended' && expression.numericWeekday)
    warn(
      'weekday-numbering',
      'Weekday numbers are read as in crontabs, Sunday 0: Quartz text, Sunday 1, is wrapped as quartz(...).',
    );
  const uneven =
    unevenStep(fields.minutes, 60) ?? unevenStep(fields.seconds, 60) ?? unevenStep(fields.hours, 24);
  if (uneven !== undefined)
    warn(
      'uneven-step',
      `A step of ${uneven} starts again at the end of its field, so one interval is shorter; ` +
        '"every <duration>" keeps them equal.',
    );
  for (const [name, step] of Object.entries(expression.steps) as [FieldName, number][]) {
    const { min, max } = FIELDS[name];
    const size = max - min + 1;
    if (step === size && name !== 'day-of-week')
      warn('whole-field-step', `A step of ${step} is the whole ${name} field: it matches ${min} only.`);
    else if (isUnevenDay(name, step, size))
      warn(
        'uneven-step',
        `A step of ${step} in the ${name} field starts again with each ${name === 'day-of-month' ? 'month' : name === 'month' ? 'year' : 'week'}, ` +
          `so that an interval there is shorter; "every P${step}${name === 'month' ? 'M' : 'D'}" keeps them equal.`,
      );
  }
  return warnings;
}

/** Whether a step of days or months does not end with its field: months differ in length, so that none of days does. */
function isUnevenDay(name: FieldName, step: number, size: number): boolean {
  if (step < 2 || step >= size) return false;
  return name === 'day-of-month' || ((name === 'month' || name === 'day-of-week') && size % step !== 0);
}

/** The day number that some of the rule's months do not have, when no other day stands in for it. */
function shortMonths(days: DayRule): number | undefined {
  const first = bitList(days.daysOfMonth)[0];
  if (first === undefined || first < 29 || days.fromLast.length + days.nearestFromLast.length > 0)
    return undefined;
  const shortest = bitList(days.months).map((month) =>
    month === 2 ? 28 : [4, 6, 9, 11].includes(month) ? 30 : 31,
  );
  return Math.min(...shortest) < first ? first : undefined;
}

function restrictsDates(days: DayRule): boolean {
  return bitList(days.daysOfMonth).length < 31;
}

function restrictsWeekdays(days: DayRule): boolean {
  return days.weekdays !== EVERY_WEEKDAY;
}

/** The step of values that are evenly spaced from 0 but for the way round: every 40 minutes is 0, 40 and then 0 again. */
function unevenStep(values: readonly number[], size: number): number | undefined {
  const [first, step] = values;
  if (first !== 0 || step === undefined || size % step === 0) return undefined;
  const even = values.every((value, index) => value === index * step);
  return even && (values.at(-1) ?? 0) + step >= size ? step : undefined;
}
