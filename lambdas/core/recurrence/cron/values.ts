import { hash48 } from '../../hash.ts';
import { type Origin, quote, refusal } from '../refusal.ts';
import type { Dialect, FieldName, FieldSpec } from './dialect.ts';

/** What a field is read with. */
export interface FieldContext {
  readonly spec: FieldSpec;
  readonly dialect: Dialect;
  readonly origin: Origin;
  /** The schedule id, which `H` hashes. */
  readonly seed: string;
}

/**
 * The values of one list item: `*`, `5`, `MON`, `1-5`, `22-2` (over the end and on from the start), steps, `5/15`
 * (from 5 to the end), `0-30/10`, `H`, `H/15`, `H(0-29)/10`. Throws on anything else.
 */
export function readValues(item: string, context: FieldContext): number[] {
  const { spec } = context;
  const [base = '', step, ...more] = item.split('/');
  if (more.length > 0) throw invalid(item, context, 'a list item has at most one step ("/")');
  const by = step === undefined ? undefined : readStep(item, step, context);
  if (base === '*') return stepped(spec.min, spec.max, by ?? 1, spec);
  if (/^h/i.test(base)) return readHash(item, base, by, context);
  const dash = base.indexOf('-');
  if (dash < 0) {
    const value = readValue(base, item, context);
    return by === undefined ? [kept(value, spec)] : stepped(kept(value, spec), spec.max, by, spec);
  }
  const from = readValue(base.slice(0, dash), item, context);
  const to = readValue(base.slice(dash + 1), item, context);
  return range(from, to, by ?? 1, context, item);
}

function range(from: number, to: number, by: number, context: FieldContext, item: string): number[] {
  const { spec } = context;
  // 7 is Sunday: at the end of a range it closes the week, at its start it opens one.
  if (spec.name === 'day-of-week' && to === 7)
    return stepped(from === 7 ? 0 : from, from === 7 ? 0 : 7, by, spec);
  const start = kept(from, spec);
  if (start <= to) return stepped(start, to, by, spec);
  if (spec.name === 'year')
    throw invalid(item, context, 'the first year of a range must not be later than the last');
  return stepped(start, to + spec.max - spec.min + 1, by, spec);
}

/** Values past the end of the field come round to its start. */
function stepped(from: number, to: number, by: number, spec: FieldSpec): number[] {
  const values: number[] = [];
  const size = spec.max - spec.min + 1;
  for (let value = from; value <= to; value += by) values.push(value > spec.max ? value - size : value);
  return values;
}

/** A number as written to one as kept: only the crontab's 7 differs, which is Sunday. */
function kept(value: number, spec: FieldSpec): number {
  return spec.name === 'day-of-week' && value === 7 ? 0 : value;
}

/** One value, by name or number. Names are whole tokens: "1jan" and "janfeb" are mistakes, not numbers. */
export function readValue(text: string, item: string, context: FieldContext): number {
  const { spec, dialect } = context;
  const named = spec.names.indexOf(text.toUpperCase());
  if (named >= 0) return named + spec.min;
  const short = shortened(text, item, context);
  if (short !== undefined) throw invalid(item, context, `names have three letters: write ${short}`);
  if (!/^\d{1,9}$/.test(text)) throw invalid(item, context, allowed(context));
  const isWeekday = spec.name === 'day-of-week';
  const value = Number(text) - (isWeekday ? dialect.sunday : 0);
  const max = isWeekday && dialect.sunday === 0 ? 7 : spec.max;
  if (value < spec.min || value > max)
    throw refusal(
      context.origin,
      'expression.out-of-range',
      `${quote(item)} is out of range for the ${spec.name} field of ${quote(context.origin.text)}: ${allowed(context)}.`,
    );
  return value;
}

const FULL_NAMES =
  'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY JANUARY FEBRUARY MARCH APRIL JUNE JULY AUGUST SEPTEMBER ' +
  'OCTOBER NOVEMBER DECEMBER';
const LONGER = FULL_NAMES.split(' ');

/** `MON-FRI` of `Monday-Fri`, when `text` is a longer name of the field than its three letters; undefined otherwise. */
function shortened(text: string, item: string, { spec }: FieldContext): string | undefined {
  const shorten = (name: string): string =>
    name.length > 3 && LONGER.some((full) => full.startsWith(name.toUpperCase()))
      ? name.slice(0, 3).toUpperCase()
      : name;
  const short = shorten(text);
  return short !== text && spec.names.includes(short) ? item.replace(/[a-z]+/gi, shorten) : undefined;
}

function readStep(item: string, text: string, context: FieldContext): number {
  const { spec } = context;
  const step = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (step < 1 || step >= spec.stepLimit)
    throw refusal(
      context.origin,
      'expression.out-of-range',
      `Step ${quote(text)} in ${quote(item)} is not allowed: a step of the ${spec.name} field is a whole number ` +
        `from 1 to ${spec.stepLimit - 1}.${insteadOfStep(step, spec.name)}`,
    );
  return step;
}

/** `every PT90M` for minutes that no field can count. */
function insteadOfStep(step: number, name: FieldName): string {
  const [before, unit] = EVERY[name] ?? [];
  return step < 1 || unit === undefined
    ? ''
    : ` Intervals of that length are written every ${before}${step}${unit}.`;
}

const EVERY: Readonly<Partial<Record<FieldName, readonly [string, string]>>> = {
  second: ['PT', 'S'],
  minute: ['PT', 'M'],
  hour: ['PT', 'H'],
  'day-of-month': ['P', 'D'],
  month: ['P', 'M'],
  'day-of-week': ['P', 'D'],
  year: ['P', 'Y'],
};

/** `H` spreads schedules over a field: always the same value for a schedule, after Jenkins. */
function readHash(item: string, base: string, by: number | undefined, context: FieldContext): number[] {
  const { spec, dialect, seed } = context;
  const match = /^h(?:\((\w{1,4})-(\w{1,4})\))?$/i.exec(base);
  if (!match || !dialect.hash || spec.name === 'year') throw invalid(item, context, allowed(context));
  const [, low, high] = match;
  const from = low === undefined ? spec.min : kept(readValue(low, item, context), spec);
  const to = high === undefined ? spec.hashMax : kept(readValue(high, item, context), spec);
  if (from > to) throw invalid(item, context, 'the range of H must not run over the end of the field');
  const hash = hash48(`${seed}|${spec.name}`);
  if (by === undefined) return [from + (hash % (to - from + 1))];
  return stepped(from + (hash % Math.min(by, to - from + 1)), to, by, spec);
}

export function invalid(item: string, context: FieldContext, why: string) {
  return refusal(
    context.origin,
    'expression.invalid',
    `${quote(item)} cannot be read as the ${context.spec.name} field of ${quote(context.origin.text)}: ${why}.`,
  );
}

/** "0 to 59, lists (1,2), ranges (1-5) and steps are allowed" */
function allowed({ spec, dialect }: FieldContext): string {
  const isWeekday = spec.name === 'day-of-week';
  const [min, max] = isWeekday ? (dialect.sunday === 1 ? [1, 7] : [0, 7]) : [spec.min, spec.max];
  const sunday = isWeekday ? ` (Sunday is ${dialect.sunday === 1 ? '1' : '0 or 7'})` : '';
  const names = spec.names.length > 0 ? `, names ${spec.names[0]} to ${spec.names.at(-1)}` : '';
  const special =
    spec.name === 'day-of-month' ? ', L, L-3, LW, 15W, ?' : isWeekday ? ', 5L (last), 5#3 (third), ?' : '';
  const hash = dialect.hash && spec.name !== 'year' ? ', H' : '';
  return `allowed are ${min} to ${max}${sunday}${names}, *, lists (1,2), ranges (1-5), steps (*/2)${special}${hash}`;
}
