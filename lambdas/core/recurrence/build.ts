import { assertNever } from '../errors.ts';
import { cronWalls } from './cron/walls.ts';
import type { Expression } from './expression.ts';
import { calendarWalls, elapsedSource, onceSource } from './interval.ts';
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
 */
export function dstRule(expression: Expression, dst: Partial<DstPolicy>): DstRule {
  const debian = expression.kind !== 'cron' || expression.dialect === 'extended';
  const wildcard = expression.kind === 'cron' && expression.fields.wildcardTime;
  const gap = debian && !wildcard ? 'run-after' : 'skip';
  const overlap = debian && wildcard ? 'both' : 'first';
  return {
    gap: dst.gap ?? gap,
    overlap: dst.overlap ?? overlap,
    longGap: dst.gap ?? 'skip',
    longOverlap: dst.overlap ?? (debian ? 'both' : 'first'),
    notesBoth: dst.overlap !== undefined,
  };
}
