import { sourceOf } from '../build.ts';
import { daySet } from '../cron/days.ts';
import { bits } from '../cron/fields.ts';
import { type CronWalls, cronWalls } from '../cron/walls.ts';
import type { CronExpression } from '../expression.ts';
import { type ParseContext, parseExpression } from '../parse.ts';
import { type Origin, quote, refusal } from '../refusal.ts';
import { DAY_SECONDS } from '../zones/civil.ts';
import { readMoment } from '../zones/local.ts';
import { readDates } from './dates.ts';
import { daySpan, type Exclusion, remembering, spanAmong, wallExclusion } from './stretch.ts';

/**
 * Reads an entry of `exclude`: a date, a range of dates (both included), a time, a range of times (the end not
 * included), or an expression. Cron text excludes what its fields match, whole minutes when it has no seconds:
 * `* * 25 12 *` is all of Christmas Day.
 */
export function readExclusion(origin: Origin, context: ParseContext): Exclusion {
  const { text } = origin;
  const label = `${origin.field} (${text})`;
  const dates = typeof text === 'string' && text.length < 64 ? readDates(origin, text) : undefined;
  if (dates) {
    const walls = { from: dates.from * DAY_SECONDS, to: (dates.to + 1) * DAY_SECONDS };
    return wallExclusion(label, true, context.zone, (wall) => spanAmong([walls], wall));
  }
  if (/^\d{4}-\d\d-\d\d[T ]/.test(text)) return timeExclusion(label, origin, context);
  const expression = parseExpression(origin, context);
  if (expression.kind === 'cron') return cronExclusion(label, expression);
  const source = sourceOf(expression, {});
  return {
    label,
    closesDays: false,
    spanAt: remembering((at) => {
      const next = source.next(at - 1);
      return next === at
        ? { from: at, to: at + 1, excluded: true }
        : { from: source.prev(at) + 1, to: next, excluded: false };
    }),
  };
}

function timeExclusion(label: string, origin: Origin, context: ParseContext): Exclusion {
  const [first = '', second, ...more] = origin.text.split('/');
  const from = readMoment(origin, first, context.zone);
  // A whole second is all of it, and a time to the millisecond is that alone.
  const to =
    second === undefined ? from + (from % 1_000 === 0 ? 1_000 : 1) : readMoment(origin, second, context.zone);
  if (more.length > 0 || to <= from)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(origin.text)}: a range of times is <earlier>/<later>.`,
    );
  return {
    label,
    closesDays: false,
    spanAt: (at) => spanAmong([{ from, to }], at),
  };
}

const SIXTY = Array.from({ length: 60 }, (_, value) => value);
const ALL_DAY = { hours: bits(Array.from({ length: 24 }, (_, value) => value)), parts: SIXTY.length };

function cronExclusion(label: string, expression: CronExpression): Exclusion {
  const { zone, fieldCount } = expression;
  const noSeconds = fieldCount === 5 || expression.dialect === 'eventbridge';
  const fields = noSeconds ? { ...expression.fields, seconds: SIXTY } : expression.fields;
  const allDay =
    bits(fields.hours) === ALL_DAY.hours &&
    fields.minutes.length === ALL_DAY.parts &&
    fields.seconds.length === ALL_DAY.parts;
  if (allDay) {
    const days = daySet(fields.days);
    return wallExclusion(label, true, zone, (wall) =>
      daySpan(wall, (day) => {
        const next = days.next(day);
        return next === day
          ? { from: day, to: day + 1, excluded: true }
          : { from: days.prev(day) + 1, to: next, excluded: false };
      }),
    );
  }
  const walls: CronWalls = cronWalls(fields);
  return wallExclusion(label, false, zone, (wall) => {
    const next = walls.next(wall);
    return next === wall
      ? { from: wall, to: walls.runEnd(wall), excluded: true }
      : { from: walls.prev(wall) + 1, to: next, excluded: false };
  });
}
