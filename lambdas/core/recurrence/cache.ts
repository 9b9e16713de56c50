import { type Compiled, compile } from './compile.ts';
import type { CalendarDefinition, CompileContext, RecurrenceSpec } from './spec.ts';

/** Recurrences kept: a few kilobytes each. The oldest go first. */
const MAX_ENTRIES = 5_000;

/** What the answer for a spec depends on besides the spec. */
interface Dependence {
  readonly seed: boolean;
  readonly anchor: boolean;
}

const dependences = new Map<string, Dependence>();
const compiled = new Map<string, Compiled>();
const calendarNumbers = new WeakMap<CalendarDefinition, number>();
let lastCalendarNumber = 0;

/**
 * As `compile`, remembering what it compiled: tens of thousands of schedules with one expression share one
 * recurrence unless `H` or an unanchored interval makes it their own. A memo, so that it changes no answer.
 * Calendars are told apart by identity: a changed calendar must be a new object.
 */
export function compileCached(spec: RecurrenceSpec, context: CompileContext): Compiled {
  const key = keyOf(spec, context);
  const dependence = dependences.get(key);
  if (dependence) {
    const known = compiled.get(fullKey(key, dependence, context));
    if (known) return known;
  }
  const fresh = compile(spec, context);
  const depends = dependenceOf(fresh);
  remember(dependences, key, depends);
  remember(compiled, fullKey(key, depends, context), fresh);
  return fresh;
}

function dependenceOf({ expressions }: Compiled): Dependence {
  return {
    seed: expressions.some((expression) => expression.kind === 'cron' && expression.hashed),
    anchor: expressions.some((expression) => 'anchored' in expression && !expression.anchored),
  };
}

/** Built by hand where it can be: JSON of a whole spec costs more than the time that it finds. */
function keyOf(spec: RecurrenceSpec, context: CompileContext): string {
  const { expression, timezone, dst, exclude, calendars } = spec;
  const text = typeof expression === 'string' ? expression : JSON.stringify(expression);
  const base = `${text}\n${timezone}\n${dst?.gap}\n${dst?.overlap}`;
  if (!exclude && !calendars && spec.startAt === undefined && spec.endAt === undefined && !spec.window)
    return base;
  const numbers = calendars?.map((name) => calendarNumber(context.calendars?.get(name)));
  return `${base}\n${JSON.stringify([exclude, calendars, numbers, spec.onExcluded, spec.startAt, spec.endAt, spec.window])}`;
}

function fullKey(key: string, dependence: Dependence, context: CompileContext): string {
  if (!dependence.seed && !dependence.anchor) return key;
  return `${key}\n${dependence.seed ? context.seed : ''}\n${dependence.anchor ? context.anchor : ''}`;
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
