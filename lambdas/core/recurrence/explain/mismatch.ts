import { daySet } from '../cron/days.ts';
import type { FieldName } from '../cron/dialect.ts';
import type { CronFields } from '../cron/fields.ts';
import { describeDays } from '../describe/cron.ts';
import { MONTH_NAMES, ranges } from '../describe/words.ts';
import { civilDate, DAY_SECONDS, dateText } from '../zones/civil.ts';

export interface Mismatch {
  readonly field: FieldName | 'day';
  readonly message: string;
}

/** The fields of a cron text that keep a wall time from matching, the coarsest first; empty when it matches. */
export function mismatches(fields: CronFields, wall: number): Mismatch[] {
  const found: Mismatch[] = [];
  const day = Math.floor(wall / DAY_SECONDS);
  const time = wall - day * DAY_SECONDS;
  const { year, month } = civilDate(day);
  const { days } = fields;
  if (days.years && !days.years.includes(year))
    found.push({ field: 'year', message: `year ${year} is not in ${ranges(days.years)}` });
  if (!(days.months & (1 << month)))
    found.push({ field: 'month', message: `${MONTH_NAMES[month - 1]} is not one of its months` });
  if (found.length === 0 && !daySet(days).has(day))
    found.push({ field: 'day', message: `${dateText(day)} is not a matching day: ${describeDays(days)}` });
  const parts = [
    ['hour', Math.floor(time / 3_600), fields.hours],
    ['minute', Math.floor(time / 60) % 60, fields.minutes],
    ['second', time % 60, fields.seconds],
  ] as const;
  for (const [field, value, values] of parts)
    if (!values.includes(value))
      found.push({ field, message: `${field} ${value} is not in ${ranges(values)}` });
  return found;
}
