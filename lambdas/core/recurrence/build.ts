import { assertNever } from '../errors.ts';
import { firstOf, lastOf, MAX_COUNTED } from './count.ts';
import { cronWalls } from './cron/walls.ts';
import type {
  CronExpression,
  Expression,
  IntervalExpression,
  OnceExpression,
  RRuleExpression,
} from './expression.ts';
import { calendarWalls, elapsedSource, onceSource } from './interval.ts';
import { isDayBased } from './rrule/rule.ts';
import { rruleSource, ruleSource } from './rrule/source.ts';
import type { Source } from './source.ts';
import type { DstPolicy } from './types.ts';
import { type DstRule, zonedSource } from './zones/zoned.ts';

/** The fires of an expression under the schedule's DST choice, where it made one. */
export function sourceOf(expression: Expression, dst: Partial<DstPolicy>): Source {
  switch (expression.kind) {
    case 'cron':
      return zonedSource(cronWalls(expression.fields), expression.zone, dstRule(expression, dst));
    case 'interval':
      return intervalSource(expression, dst);
    case 'once':
      return onceSource(expression.at);
    case 'rrule': {
      const rule = dstRule(expression, dst);
      const { count } = expression;
      if (count === Infinity || isEmpty(dst)) return rruleSource(expression, rule, expression.last);
      return rruleSource(expression, rule, lastOf(ruleSource(expression, rule), count));
    }
    default:
      return assertNever(expression);
  }
}

function intervalSource(expression: IntervalExpression, dst: Partial<DstPolicy>): Source {
  const { period, terms, anchor, count } = expression;
  if (period.kind === 'elapsed') return elapsedSource(anchor, period.seconds * 1_000, terms);
  const bounded = count > MAX_COUNTED ? terms : { ...terms, last: Infinity };
  const walls = calendarWalls(expression.anchorWall, period.step, bounded);
  const zoned = zonedSource(walls, expression.zone, dstRule(expression, dst));
  const all = later(zoned, anchor - 1_000 * Math.floor(anchor / 1_000));
  // Of more fires than can be counted the steps are: a change of clocks is a difference of one in thirty years.
  return count > MAX_COUNTED ? all : firstOf(all, count);
}

/** The fires of a source so many milliseconds later: walls are whole seconds. */
function later(source: Source, millis: number): Source {
  if (millis === 0) return source;
  return {
    next: (after) => source.next(after - millis) + millis,
    prev: (before) => source.prev(before - millis) + millis,
    notes: (at) => source.notes(at - millis),
  };
}

function isEmpty({ gap, overlap }: Partial<DstPolicy>): boolean {
  return gap === undefined && overlap === undefined;
}

/**
 * The DST rule in force: what the schedule chose, for every jump; else the habit of the dialect. Habits:
 *
 * - Debian's cron(8) for crontabs: jobs with `*` in the hour or minute "are run based on the new time immediately",
 *   others run soon after a gap and not again in an overlap. "Time changes of more than 3 hours are considered to
 *   be corrections to the clock, and the new time is used immediately."
 * - EventBridge and Quartz skip what a gap skips and run once in an overlap, whatever the text, so that a schedule
 *   can be moved over unchanged.
 * - RFC 5545, 3.3.5, for RRULEs: a skipped time is read with the offset before the gap, of a repeated one the first
 *   counts. Rules that count hours, minutes or seconds count elapsed time (rrule/elapsed.ts): no time is skipped, and
 *   in a repeated hour both passes are hours.
 */
export function dstRule(expression: Ruled, dst: Partial<DstPolicy>): DstRule {
  const { gap, overlap, long } = habit(expression);
  return {
    gap: dst.gap ?? gap,
    overlap: dst.overlap ?? overlap,
    longGap: dst.gap ?? (long === 'real-time' ? 'skip' : gap),
    longOverlap: dst.overlap ?? (long === 'real-time' ? 'both' : overlap),
    notesBoth: dst.overlap !== undefined,
  };
}

/** What the rule depends on. */
type Ruled =
  | Pick<CronExpression, 'kind' | 'dialect' | 'fields'>
  | Pick<RRuleExpression, 'kind' | 'rule'>
  | Pick<IntervalExpression | OnceExpression, 'kind'>;

/** `long` says what jumps of three hours and more do: the same, or nothing special. */
interface Habit extends DstPolicy {
  readonly long: 'same' | 'real-time';
}

const FIXED: Habit = { gap: 'run-after', overlap: 'first', long: 'real-time' };
const REAL_TIME: Habit = { gap: 'skip', overlap: 'both', long: 'real-time' };
const ONCE: Habit = { gap: 'skip', overlap: 'first', long: 'same' };
const ICALENDAR: Habit = { gap: 'shift', overlap: 'first', long: 'same' };

function habit(expression: Ruled): Habit {
  switch (expression.kind) {
    case 'cron':
      if (expression.dialect !== 'extended') return ONCE;
      return expression.fields.wildcardTime ? REAL_TIME : FIXED;
    case 'rrule':
      return expression.rule && !isDayBased(expression.rule.frequency) ? REAL_TIME : ICALENDAR;
    default:
      return FIXED;
  }
}
