import { type Origin, quote, refusal } from '../refusal.ts';
import { type Dialect, FIELDS, type FieldName } from './dialect.ts';
import { bits, type CronFields, type DayRule } from './fields.ts';
import { type FieldContext, invalid, readValue, readValues } from './values.ts';

/**
 * Reads cron text. Our own reader and not cron-parser's, because cron-parser (5.10.6) takes what it must refuse (an
 * empty text, "1jan" for November, steps over the range, EventBridge text in the wrong columns) and refuses what
 * crontabs allow (0,7 and other double values, FRI-MON, LW, 15W, L-3, 5#3,1#1, a year). The tests hold it
 * against cron-parser on the text that both read. Bounded by the length of the text, checked before.
 */
export function readCron(origin: Origin, text: string, dialect: Dialect, seed: string): CronFields {
  const parts = text.split(/[ \t]+/);
  const layout = dialect.layouts[parts.length];
  if (!layout) throw wrongCount(origin, parts.length, dialect);
  const field = (name: FieldName): Field => {
    const index = layout.indexOf(name);
    const part = parts[index] ?? (name === 'second' ? '0' : '*');
    return readField(part, { spec: FIELDS[name], dialect, origin, seed }, index);
  };
  const [second, minute, hour] = [field('second'), field('minute'), field('hour')];
  const year = layout.includes('year') ? field('year') : undefined;
  const days = dayRule(field('day-of-month'), field('month'), field('day-of-week'), year);
  if (dialect.questionMark === 'required') checkQuestionMark(origin, layout, parts, dialect);
  return {
    seconds: sorted(second.values),
    minutes: sorted(minute.values),
    hours: sorted(hour.values),
    days,
    wildcardTime: second.star || minute.star || hour.star,
  };
}

interface Field {
  /** Unsorted, with doubles when items of the list overlap. */
  readonly values: number[];
  /** Begins with `*`, or is `?`. */
  readonly star: boolean;
  readonly text: string;
  readonly fromLast: number[];
  readonly nearest: number[];
  readonly nearestFromLast: number[];
  readonly nthWeekdays: { weekday: number; nth: number }[];
}

function readField(text: string, context: FieldContext, index: number): Field {
  const field: Field = {
    values: [],
    star: text.startsWith('*') || text === '?',
    text,
    fromLast: [],
    nearest: [],
    nearestFromLast: [],
    nthWeekdays: [],
  };
  if (text === '?') {
    checkQuestionPlace(context, index);
    field.values.push(...readValues('*', context));
    return field;
  }
  for (const item of text.split(',')) {
    if (item === '') throw invalid(text, context, 'a list has an empty item');
    if (!readSpecial(item, field, context)) field.values.push(...readValues(item, context));
  }
  return field;
}

/** `L`, `L-3`, `LW`, `L-3W` and `15W` as a day of the month; `5L`, `FRI#3`, `FRI#-2` and Quartz's lone `L` as a weekday. */
function readSpecial(item: string, field: Field, context: FieldContext): boolean {
  if (context.spec.name === 'day-of-month') {
    const last = /^L(?:-(\d{1,2}))?(W)?$/i.exec(item);
    if (last) {
      const back = Number(last[1] ?? 0);
      if (back > 30) throw invalid(item, context, 'L-n counts 0 to 30 days back from the last of the month');
      (last[2] ? field.nearestFromLast : field.fromLast).push(back);
      return true;
    }
    const onToLast = /^(\d{1,9})-L$/i.exec(item);
    if (onToLast)
      throw invalid(
        item,
        context,
        `L ends no range: write ${onToLast[1]}-31, of which each month has its own days`,
      );
    const nearest = /^(\d{1,9})W$/i.exec(item);
    if (nearest) field.nearest.push(readValue(nearest[1] ?? '', item, context));
    return nearest !== null;
  }
  if (context.spec.name !== 'day-of-week') return false;
  if (/^L$/i.test(item)) {
    if (context.dialect.sunday === 0)
      throw invalid(item, context, 'L needs a weekday, as in 5L, the last Friday of the month');
    field.values.push(6);
    return true;
  }
  const ranged = /^(\w{1,9})-(\w{1,9})(L|#L|#-?\d)$/i.exec(item);
  if (ranged) throw rangeOfWeekdays(item, ranged[3] ?? '', context);
  const counted = /^(\w{1,9})(?:#(-?\d{1,9})|#?L)$/i.exec(item);
  if (!counted) return false;
  const [, weekday = '', count] = counted;
  const nth = count === undefined ? -1 : Number(count);
  if (nth === 0 || Math.abs(nth) > 5)
    throw invalid(item, context, 'the number after # is 1 to 5, or -1 to -5 from the end of the month');
  field.nthWeekdays.push({ weekday: readValue(weekday, item, context) % 7, nth });
  return true;
}

/** `MON-FRI#1` may be the first of each, or the first working day: the texts for both. */
function rangeOfWeekdays(item: string, suffix: string, context: FieldContext) {
  const weekdays = readValues(item.slice(0, -suffix.length), context);
  const each = weekdays.map((weekday) => `${context.spec.names[weekday % 7]}${suffix.toUpperCase()}`);
  const working = suffix === '#1' ? '; the first working day of the month is 1W as the day of the month' : '';
  const lastOne = /L|#-1/i.test(suffix)
    ? '; the last working day of the month is LW as the day of the month'
    : '';
  return invalid(
    item,
    context,
    `a range does not go with ${suffix}: for each of the days, write ${each.join(',')}${working}${lastOne}`,
  );
}

function dayRule(dayOfMonth: Field, month: Field, dayOfWeek: Field, year: Field | undefined): DayRule {
  return {
    daysOfMonth: bits(dayOfMonth.values),
    fromLast: dayOfMonth.fromLast,
    nearest: dayOfMonth.nearest,
    nearestFromLast: dayOfMonth.nearestFromLast,
    weekdays: bits(dayOfWeek.values),
    nthWeekdays: dayOfWeek.nthWeekdays,
    months: bits(month.values),
    years: year === undefined || year.text === '*' ? undefined : sorted(year.values),
    anyDayOfMonth: dayOfMonth.star,
    anyWeekday: dayOfWeek.star,
  };
}

function sorted(values: readonly number[]): readonly number[] {
  // The most common lists, one item's, are in order already.
  const inOrder = values.every((value, index) => index === 0 || value > (values[index - 1] ?? value));
  return inOrder ? values : [...new Set(values)].sort((a, b) => a - b);
}

function wrongCount(origin: Origin, count: number, dialect: Dialect) {
  const layouts = Object.values(dialect.layouts).map((layout) => `${layout.length} (${layout.join(' ')})`);
  return refusal(
    origin,
    'expression.invalid',
    `${quote(origin.text)} has ${count} ${count === 1 ? 'field' : 'fields'}; ` +
      `${dialect.name} cron has ${layouts.join(' or ')}.`,
  );
}

/** EventBridge text read with seconds in front puts its `?` in the hour or month column, where none can stand. */
function checkQuestionPlace(context: FieldContext, index: number): void {
  const { spec, dialect, origin } = context;
  if (spec.name === 'day-of-month' || spec.name === 'day-of-week') return;
  if (dialect.name !== 'extended') throw invalid('?', context, 'only the two day fields may be ?');
  throw refusal(
    origin,
    'expression.ambiguous-dialect',
    `${quote(origin.text)} has ? in field ${index + 1}, the ${spec.name} when seconds come first. EventBridge text ` +
      `is wrapped, as in cron(${origin.text.trim()}); Quartz text as in quartz(0 0 12 ? * MON).`,
  );
}

function checkQuestionMark(
  origin: Origin,
  layout: readonly FieldName[],
  parts: readonly string[],
  dialect: Dialect,
): void {
  const marks = (['day-of-month', 'day-of-week'] as const).filter(
    (name) => parts[layout.indexOf(name)] === '?',
  );
  if (marks.length !== 1)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(origin.text)}: ${dialect.name} cron needs ? in exactly one of day-of-month and day-of-week, ` +
        'because it does not combine the two.',
    );
}
