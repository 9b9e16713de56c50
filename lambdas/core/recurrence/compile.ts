import { durationMs } from '../duration.ts';
import { PunctualError } from '../errors.ts';
import { DAY, type EpochMs, epochMs, MAX_INSTANT } from '../time.ts';
import { sourceOf } from './build.ts';
import { describe } from './describe/describe.ts';
import { excluding } from './exclude/apply.ts';
import { calendarExclusion } from './exclude/calendar.ts';
import { readExclusion } from './exclude/read.ts';
import { rolling } from './exclude/roll.ts';
import type { Exclusion } from './exclude/stretch.ts';
import type { Expression } from './expression.ts';
import { type ParseContext, parseExpression } from './parse.ts';
import { refusal } from './refusal.ts';
import type { Source } from './source.ts';
import type { CompileContext, RecurrenceSpec } from './spec.ts';
import type { Fire, Recurrence } from './types.ts';
import { unionOf, within } from './union.ts';
import { warningsOf } from './warn/warnings.ts';
import { readMoment } from './zones/local.ts';
import { type Zone, zoneOf } from './zones/zone.ts';

const MAX_EXPRESSIONS = 10;
const MAX_EXCLUSIONS = 100;
const MAX_CALENDARS = 10;
/** Entries that close days and are asked for each day that a fire might move to. */
const MAX_CLOSING = 30;
/** What one question to moved fires costs, in questions to unmoved ones. */
const MOVING_COST = 300;
/** Moving fires to business days looks at a month of them. */
const MAX_MOVED_PER_DAY = 24;

/** Everything that a spec says, read: what previews, warnings and explanations are made from. */
export interface Compiled extends Recurrence {
  readonly spec: RecurrenceSpec;
  readonly zone: Zone;
  readonly expressions: readonly Expression[];
  readonly exclusions: readonly Exclusion[];
  /** The fires of each expression, before exclusions and bounds. */
  readonly sources: readonly Source[];
  /** UTC milliseconds; the first and last time that may fire. */
  readonly startAt: number | undefined;
  readonly endAt: number | undefined;
  /** Milliseconds that a start may be put off by; 0 without a window. */
  readonly windowMs: number;
}

/**
 * Reads a recurrence. Throws PunctualError (`expression.*`, `timezone.unknown`, `calendar.not-found`) naming the
 * field at fault, its value and what is allowed; takes milliseconds whatever the text.
 */
export function compile(spec: RecurrenceSpec, context: CompileContext): Compiled {
  const zone = zoneOf(spec.timezone);
  const startAt = readBound('startAt', spec.startAt, zone);
  const endAt = readBound('endAt', spec.endAt, zone);
  const parsing: ParseContext = {
    zone,
    seed: context.seed,
    // As EventBridge's StartDate: "rate(1 hour)" with a start at 09:30 fires at 09:30, 10:30 and so on.
    anchor: epochMs(startAt ?? context.anchor),
    startsAtAnchor: startAt !== undefined,
    bothDays: spec.dayRule === 'and',
  };
  checkChoices(spec);
  const expressions = readExpressions(spec, parsing);
  const exclusions = readExclusions(spec, context, parsing);
  const sources = expressions.map((expression) => sourceOf(expression, spec.dst ?? {}));
  const all = unionOf(sources);
  const source = within(withExclusions(all, exclusions, spec, zone), startAt, endAt);
  checkFires(spec, all, source, startAt, endAt);
  const parts = { spec, zone, expressions, exclusions, sources, startAt, endAt };
  const compiled = { ...parts, windowMs: readWindow(spec), ...firesOf(source) };
  return { ...compiled, description: describe(compiled), warnings: (now) => warningsOf(compiled, now) };
}

function readExpressions(spec: RecurrenceSpec, parsing: ParseContext): Expression[] {
  const { expression } = spec;
  if (typeof expression === 'string')
    return [parseExpression({ field: 'expression', text: expression }, parsing)];
  checkLength('expression', expression, 1, MAX_EXPRESSIONS);
  return expression.map((text, index) => parseExpression({ field: `expression[${index}]`, text }, parsing));
}

function readExclusions(spec: RecurrenceSpec, context: CompileContext, parsing: ParseContext): Exclusion[] {
  const { exclude = [], calendars = [] } = spec;
  checkLength('exclude', exclude, 0, MAX_EXCLUSIONS);
  checkLength('calendars', calendars, 0, MAX_CALENDARS);
  return [
    ...exclude.map((text, index) => readExclusion({ field: `exclude[${index}]`, text }, parsing)),
    ...calendars.map((name, index) => calendarExclusion(name, index, context, parsing.zone)),
  ];
}

function checkLength(field: string, list: readonly unknown[], min: number, max: number): void {
  if (Array.isArray(list) && list.length >= min && list.length <= max) return;
  throw new PunctualError('expression.invalid', `${field} is a list of ${min} to ${max} entries.`, { field });
}

function readBound(field: 'startAt' | 'endAt', text: string | undefined, zone: Zone): number | undefined {
  return text === undefined ? undefined : readMoment({ field, text }, text, zone);
}

function checkChoices({ dst = {}, dayRule }: RecurrenceSpec): void {
  if (dayRule !== undefined && dayRule !== 'or' && dayRule !== 'and')
    throw new PunctualError(
      'expression.invalid',
      `dayRule ${JSON.stringify(dayRule)} is not one of or, and.`,
      {
        field: 'dayRule',
        value: dayRule,
      },
    );
  const choices = { gap: ['run-after', 'shift', 'skip'], overlap: ['first', 'second', 'both'] } as const;
  for (const part of ['gap', 'overlap'] as const) {
    const value: string | undefined = dst[part];
    if (value === undefined || choices[part].some((choice) => choice === value)) continue;
    throw new PunctualError(
      'expression.invalid',
      `dst.${part} ${JSON.stringify(value)} is not one of ${choices[part].join(', ')}.`,
      { field: `dst.${part}`, value },
    );
  }
}

function readWindow({ window }: RecurrenceSpec): number {
  if (window === undefined) return 0;
  const millis = durationMs(window);
  if (millis !== undefined && millis <= DAY) return millis;
  throw refusal(
    { field: 'window', text: window },
    'expression.invalid',
    `window ${JSON.stringify(window)} is no ISO 8601 duration of at most 24 hours, such as PT5M.`,
  );
}

function withExclusions(
  all: Source,
  exclusions: readonly Exclusion[],
  spec: RecurrenceSpec,
  zone: Zone,
): Source {
  const { onExcluded = 'skip' } = spec;
  if (onExcluded === 'skip') return excluding(all, exclusions);
  checkMovable(all, onExcluded);
  const step = onExcluded === 'next-business-day' ? 1 : -1;
  const closing = exclusions.filter((exclusion) => exclusion.closesDays);
  const others = exclusions.filter((exclusion) => !exclusion.closesDays);
  if (closing.length > MAX_CLOSING)
    throw new PunctualError(
      'expression.invalid',
      `onExcluded ${onExcluded} goes with at most ${MAX_CLOSING} entries that close days; a calendar holds more.`,
      { field: 'exclude', value: closing.length },
    );
  return excluding(rolling(all, closing, zone, step), others, MOVING_COST);
}

function checkMovable(all: Source, onExcluded: string): void {
  if (onExcluded !== 'next-business-day' && onExcluded !== 'previous-business-day')
    throw new PunctualError(
      'expression.invalid',
      `onExcluded ${JSON.stringify(onExcluded)} is not one of skip, next-business-day, previous-business-day.`,
      { field: 'onExcluded', value: onExcluded },
    );
  const first = all.next(-Infinity);
  let at = first;
  for (let count = 0; count <= MAX_MOVED_PER_DAY; count += 1) at = all.next(at);
  if (at - first < DAY)
    throw new PunctualError(
      'expression.invalid',
      `onExcluded ${onExcluded} is for schedules that fire at most hourly; use skip with this one.`,
      { field: 'onExcluded', value: onExcluded },
    );
}

/** Refuses what its bounds and exclusions leave no fire of; texts that match no day are refused when read. */
function checkFires(
  spec: RecurrenceSpec,
  all: Source,
  source: Source,
  startAt?: number,
  endAt?: number,
): void {
  if (startAt !== undefined && endAt !== undefined && endAt < startAt)
    throw new PunctualError('expression.never-fires', 'endAt is before startAt: nothing ever fires.', {
      field: 'endAt',
      value: spec.endAt,
    });
  const bounded = startAt !== undefined || endAt !== undefined;
  const excluded = (spec.exclude ?? []).length + (spec.calendars ?? []).length > 0;
  if (!(bounded || excluded) || all.next(-Infinity) === Infinity || source.next(-Infinity) !== Infinity)
    return;
  const field = excluded ? 'exclude' : startAt === undefined ? 'endAt' : 'startAt';
  throw new PunctualError(
    'expression.never-fires',
    excluded
      ? 'Everything that the expression matches is excluded.'
      : 'No time is between startAt and endAt.',
    { field },
  );
}

function firesOf(source: Source): Pick<Recurrence, 'next' | 'prev'> {
  const fire = (at: number): Fire => ({ at: epochMs(at), notes: source.notes(at) });
  return {
    next(after: EpochMs) {
      const at = source.next(after);
      if (at > MAX_INSTANT) return null;
      // A time at or before the one asked from would make every caller that loops loop for ever.
      if (!(at > after)) throw new Error(`The time after ${after} came out as ${at}`);
      return fire(at);
    },
    prev(before: EpochMs) {
      const at = source.prev(before);
      if (at === -Infinity) return null;
      if (!(at < before)) throw new Error(`The time before ${before} came out as ${at}`);
      return fire(at);
    },
  };
}
