import { sourceOf } from '../build.ts';
import { DAY_SECONDS } from '../civil.ts';
import { daySet } from '../cron/days.ts';
import { bits } from '../cron/fields.ts';
import { type CronWalls, cronWalls } from '../cron/walls.ts';
import type { CronExpression } from '../expression.ts';
import { readMoment } from '../local.ts';
import { type ParseContext, parseExpression } from '../parse.ts';
import { type Origin, quote, refusal } from '../refusal.ts';
import { fires } from '../union.ts';
import { readDates } from './dates.ts';
import { closedDay, type Exclusion, wallExclusion } from './stretch.ts';

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
    return wallExclusion(label, true, context.zone, (wall) =>
      wall >= walls.from && wall < walls.to ? walls : undefined,
    );
  }
  if (/^\d{4}-\d\d-\d\d[T ]/.test(text)) return timeExclusion(label, origin, context);
  const expression = parseExpression(origin, context);
  if (expression.kind === 'cron') return cronExclusion(label, expression);
  const source = sourceOf(expression, {});
  return {
    label,
    closesDays: false,
    covers: (at) => (fires(source, at) ? { from: at, to: at + 1 } : undefined),
  };
}

function timeExclusion(label: string, origin: Origin, context: ParseContext): Exclusion {
  const [first = '', second, ...more] = origin.text.split('/');
  const from = 1_000 * readMoment(origin, first, context.zone);
  const to = second === undefined ? from + 1_000 : 1_000 * readMoment(origin, second, context.zone);
  if (more.length > 0 || to <= from)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(origin.text)}: a range of times is <earlier>/<later>.`,
    );
  return {
    label,
    closesDays: false,
    covers: (at) => (at >= from && at < to ? { from, to } : undefined),
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
    return wallExclusion(label, true, zone, (wall) => closedDay(wall, days.has));
  }
  const walls: CronWalls = cronWalls(fields);
  return wallExclusion(label, false, zone, (wall) =>
    walls.next(wall) === wall ? { from: wall, to: walls.runEnd(wall) } : undefined,
  );
}
