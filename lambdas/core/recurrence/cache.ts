import { type Compiled, compile } from './compile.ts';
import type { CalendarDefinition, CompileContext, RecurrenceSpec } from './spec.ts';
import type { Fire } from './types.ts';

/** Recurrences kept: a few kilobytes each. The oldest go first. */
const MAX_ENTRIES = 5_000;

/** What the answer for a spec depends on besides the spec. */
interface Dependence {
  readonly seed: boolean;
  readonly anchor: boolean;
}

/** A recurrence that all schedules with the spec share, or on what theirs differ. */
type Known = Compiled | Dependence;

const known = new Map<string, Known>();
const own = new Map<string, Compiled>();
const calendarNumbers = new WeakMap<CalendarDefinition, number>();
let lastCalendarNumber = 0;

/**
 * As `compile`, remembering what it compiled: tens of thousands of schedules with one expression share one
 * recurrence unless `H` or an unanchored interval makes it their own. A memo, so that it changes no answer.
 * Calendars are told apart by identity: a changed calendar must be a new object.
 */
export function compileCached(spec: RecurrenceSpec, context: CompileContext): Compiled {
  const key = keyOf(spec, context);
  const shared = known.get(key);
  if (shared !== undefined && 'next' in shared) return shared;
  const mine = shared && own.get(ownKey(key, shared, context));
  if (mine) return mine;
  const fresh = withMemory(compile(spec, context));
  const dependence = dependenceOf(fresh);
  if (dependence.seed || dependence.anchor) {
    remember(known, key, dependence);
    remember(own, ownKey(key, dependence, context), fresh);
  } else remember(known, key, fresh);
  return fresh;
}

/**
 * Remembers the last two answers: the schedules of a burst ask one after the other for the same time and the one
 * after it. From any instant before a fire and not before the last asked, that fire is next.
 */
function withMemory(compiled: Compiled): Compiled {
  const answers: { from: number; fire: Fire }[] = [];
  let oldest = 0;
  return {
    ...compiled,
    next(after) {
      for (const { from, fire } of answers) if (after >= from && after < fire.at) return fire;
      const fire = compiled.next(after);
      if (fire) {
        answers[oldest] = { from: after, fire };
        oldest = 1 - oldest;
      }
      return fire;
    },
  };
}

function dependenceOf({ expressions }: Compiled): Dependence {
  return {
    seed: expressions.some((expression) => expression.kind === 'cron' && expression.hashed),
    anchor: expressions.some((expression) => 'anchored' in expression && !expression.anchored),
  };
}

/** Built by hand where it can be: JSON of a whole spec costs more than the time that it finds. */
function keyOf(spec: RecurrenceSpec, context: CompileContext): string {
  const { expression, timezone, dst, dayRule, exclude, calendars } = spec;
  const text = typeof expression === 'string' ? expression : JSON.stringify(expression);
  const base = `${text}\n${timezone}\n${dst?.gap}\n${dst?.overlap}\n${dayRule}`;
  if (!exclude && !calendars && spec.startAt === undefined && spec.endAt === undefined && !spec.window)
    return base;
  const numbers = calendars?.map((name) => calendarNumber(context.calendars?.get(name)));
  return `${base}\n${JSON.stringify([exclude, calendars, numbers, spec.onExcluded, spec.startAt, spec.endAt, spec.window])}`;
}

function ownKey(key: string, { seed, anchor }: Dependence, context: CompileContext): string {
  return `${key}\n${seed ? context.seed : ''}\n${anchor ? context.anchor : ''}`;
}

function calendarNumber(calendar: CalendarDefinition | undefined): number {
  if (!calendar) return 0;
  const known = calendarNumbers.get(calendar);
  if (known !== undefined) return known;
  lastCalendarNumber += 1;
  calendarNumbers.set(calendar, lastCalendarNumber);
  return lastCalendarNumber;
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  const [oldest] = map.size >= MAX_ENTRIES ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
