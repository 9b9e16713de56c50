import { assertNever } from '../errors.ts';
import { cronWalls } from './cron/walls.ts';
import type { Expression } from './expression.ts';
import { calendarWalls, elapsedSource, onceSource } from './interval.ts';
import { isDayBased } from './rrule/rule.ts';
import { rruleSource } from './rrule/source.ts';
import type { Source } from './source.ts';
import type { DstPolicy } from './types.ts';
import { type DstRule, zonedSource } from './zoned.ts';

/** The fires of an expression under the schedule's DST choice, where it made one. */
export function sourceOf(expression: Expression, dst: Partial<DstPolicy>): Source {
  switch (expression.kind) {
    case 'cron':
      return zonedSource(cronWalls(expression.fields), expression.zone, dstRule(expression, dst));
    case 'interval': {
      const { period, terms } = expression;
      if (period.kind === 'elapsed') return elapsedSource(expression.anchor, period.seconds, terms);
      const walls = calendarWalls(expression.anchorWall, period.step, terms);
      return zonedSource(walls, expression.zone, dstRule(expression, dst));
    }
    case 'once':
      return onceSource(expression.at);
    case 'rrule':
      return rruleSource(expression, dstRule(expression, dst));
    default:
      return assertNever(expression);
  }
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
 *   counts. Rules that count hours, minutes or seconds follow real time instead, or a repeated hour would be silent.
 */
export function dstRule(expression: Expression, dst: Partial<DstPolicy>): DstRule {
  const { gap, overlap, long } = habit(expression);
  return {
    gap: dst.gap ?? gap,
    overlap: dst.overlap ?? overlap,
    longGap: dst.gap ?? (long === 'real-time' ? 'skip' : gap),
    longOverlap: dst.overlap ?? (long === 'real-time' ? 'both' : overlap),
    notesBoth: dst.overlap !== undefined,
  };
}

/** `long` says what jumps of three hours and more do: the same, or nothing special. */
interface Habit extends DstPolicy {
  readonly long: 'same' | 'real-time';
}

const FIXED: Habit = { gap: 'run-after', overlap: 'first', long: 'real-time' };
const REAL_TIME: Habit = { gap: 'skip', overlap: 'both', long: 'real-time' };
const ONCE: Habit = { gap: 'skip', overlap: 'first', long: 'same' };
const ICALENDAR: Habit = { gap: 'shift', overlap: 'first', long: 'same' };

function habit(expression: Expression): Habit {
  switch (expression.kind) {
    case 'cron':
      if (expression.dialect !== 'extended') return ONCE;
      return expression.fields.wildcardTime ? REAL_TIME : FIXED;
    case 'rrule':
      return isDayBased(expression.rule.frequency) ? ICALENDAR : REAL_TIME;
    default:
      return FIXED;
  }
}
