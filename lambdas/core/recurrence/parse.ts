import type { EpochMs } from '../time.ts';
import { hasAnyDay } from './cron/days.ts';
import { type Dialect, EVENTBRIDGE, EXTENDED, FIELDS, type FieldName, QUARTZ } from './cron/dialect.ts';
import { readCron } from './cron/reader.ts';
import type { CronExpression, Expression, IntervalExpression, OnceExpression } from './expression.ts';
import { durationOf, type Period, readGoPeriod, readIsoPeriod, readRate } from './period.ts';
import { type Origin, quote, refusal } from './refusal.ts';
import { readRRule } from './rrule/read.ts';
import { readMoment, wallAt } from './zones/local.ts';
import type { Zone } from './zones/zone.ts';

/** What reading a text depends on besides the text. */
export interface ParseContext {
  readonly zone: Zone;
  /** The schedule id, for `H`. */
  readonly seed: string;
  /** The anchor of an interval that names none: `startAt`, or the creation. */
  readonly anchor: EpochMs;
  /** Whether it is `startAt`, and then itself the first time of such an interval. */
  readonly startsAtAnchor: boolean;
  /** Whether both day fields of crontab text must match. */
  readonly bothDays?: boolean;
}

/** Longest text: a list of all minutes is 170 characters, an RRULE with fifty exceptions under 1,000. */
export const MAX_EXPRESSION = 4_096;

/** crontab(5), with Kubernetes' `@midnight`. */
const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const ICALENDAR = /^(DTSTART[;:]|RRULE:|EXDATE[;:]|RDATE[;:]|FREQ=)/i;

/** Reads one time text. Throws `expression.*` naming `origin.field`. */
export function parseExpression(origin: Origin, context: ParseContext): Expression {
  const text = checkText(origin);
  const call = /^(cron|quartz|rate|at)[ \t]*\((.*)\)$/i.exec(text);
  if (call) return parseCall((call[1] ?? '').toLowerCase(), (call[2] ?? '').trim(), origin, context);
  if (ICALENDAR.test(text)) return readRRule(origin, text, context);
  if (text.startsWith('@')) return parseMacro(text, origin, context);
  if (/^every[ \t]/i.test(text)) return parseEvery(text, origin, context);
  if (/^R-?\d*\//i.test(text)) return parseRepeating(text, origin, context);
  if (/^\d{4}-\d\d-\d\d([T ]|$)/.test(text))
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is a time and no expression: to fire once, write at(${text.slice(0, 40)}).`,
    );
  return parseCron(text, EXTENDED, origin, context);
}

/** Trims, and refuses what would be read otherwise than it looks. */
function checkText(origin: Origin): string {
  const { text } = origin;
  if (typeof text !== 'string')
    throw refusal({ ...origin, text: String(text) }, 'expression.invalid', 'An expression is text.');
  if (text.length > MAX_EXPRESSION)
    throw refusal(
      origin,
      'expression.too-long',
      `The expression has ${text.length} characters; at most ${MAX_EXPRESSION} are allowed.`,
    );
  let trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '');
  // iCalendar is made of lines, long ones folded; everything else is one line.
  if (ICALENDAR.test(trimmed))
    trimmed = trimmed
      .replace(/\r?\n[ \t]/g, '')
      .replace(/\s+/g, ' ')
      .trim();
  if (trimmed === '')
    throw refusal(origin, 'expression.empty', 'The expression is empty; give one such as "0 9 * * MON-FRI".');
  const strange = /[^\x20-\x7e\t]/.exec(trimmed);
  if (strange)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(trimmed)} has the character U+${strange[0].codePointAt(0)?.toString(16).padStart(4, '0')}: ` +
        'only printable ASCII, with blanks or tabs between fields, is allowed, on one line.',
    );
  if (/^(cron_)?tz=/i.test(trimmed))
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(trimmed)} names a zone: give it as timezone instead.`,
    );
  return trimmed;
}

function parseCall(name: string, inside: string, origin: Origin, context: ParseContext): Expression {
  switch (name) {
    case 'cron':
      return parseCron(inside, EVENTBRIDGE, origin, context);
    case 'quartz':
      return parseCron(inside, QUARTZ, origin, context);
    case 'rate':
      return interval(readRate(origin, inside), undefined, origin, context);
    default:
      return once(readMoment(origin, inside, context.zone), context.zone);
  }
}

function parseMacro(text: string, origin: Origin, context: ParseContext): Expression {
  const every = /^@every[ \t]+(.+)$/i.exec(text);
  if (every) {
    const amount = every[1] ?? '';
    const period = /^p/i.test(amount) ? readIsoPeriod(origin, amount) : readGoPeriod(origin, amount);
    return interval(period, undefined, origin, context);
  }
  const cron = MACROS[text.toLowerCase()];
  if (cron === undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is not a macro: ${Object.keys(MACROS).join(', ')} and @every 90s are allowed.`,
    );
  return parseCron(cron, EXTENDED, origin, context);
}

/** `every PT2H`, `every P1D from 2026-03-07T09:00:00` */
function parseEvery(text: string, origin: Origin, context: ParseContext): IntervalExpression {
  const match = /^every[ \t]+(\S+)(?:[ \t]+from[ \t]+(\S+))?$/i.exec(text);
  const duration = match ? undefined : durationOf(text.slice(6).trim());
  if (duration !== undefined)
    throw refusal(origin, 'expression.invalid', `${quote(text)} is written every ${duration}.`);
  if (!match)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)}: write every <ISO 8601 duration>, and from <time> when it counts from a given one, ` +
        'as in every P1D from 2026-03-07T09:00:00.',
    );
  return interval(readIsoPeriod(origin, match[1] ?? ''), match[2], origin, context);
}

/** ISO 8601 repeating intervals: `R/<start>/<duration>`, or `R5/…` for five fires. */
function parseRepeating(text: string, origin: Origin, context: ParseContext): IntervalExpression {
  const match = /^R(\d{1,9}|-1)?\/([^/]+)\/([^/]+)$/i.exec(text);
  if (!match || !/^p/i.test(match[3] ?? ''))
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)}: of repeating intervals R/<start>/<duration> and R5/<start>/<duration> are allowed, ` +
        'as in R/2026-03-07T09:00:00/P1D.',
    );
  const [, repeats = '-1', start = '', duration = ''] = match;
  if (Number(repeats) === 0)
    throw refusal(origin, 'expression.never-fires', `${quote(text)} never fires: R0 repeats no time at all.`);
  const endless = interval(readIsoPeriod(origin, duration), start, origin, context);
  if (repeats === '-1') return endless;
  return { ...endless, count: Number(repeats), terms: { first: 0, last: Number(repeats) - 1 } };
}

function parseCron(text: string, dialect: Dialect, origin: Origin, context: ParseContext): CronExpression {
  const read = readCron({ ...origin, text: text === '' ? origin.text : text }, text, dialect, context.seed);
  const fields = context.bothDays ? { ...read, days: { ...read.days, bothDays: true } } : read;
  if (!hasAnyDay(fields.days))
    throw refusal(
      origin,
      'expression.never-fires',
      `${quote(text)} never fires: no day of the calendar matches its day and month fields.`,
    );
  const parts = text.split(/[ \t]+/);
  const layout = dialect.layouts[parts.length] ?? [];
  const weekday = parts[layout.indexOf('day-of-week')] ?? '';
  return {
    kind: 'cron',
    dialect: dialect.name,
    fields,
    zone: context.zone,
    fieldCount: parts.length,
    questionMark: parts.includes('?'),
    numericWeekday: /(^|[,-])\d/.test(weekday),
    steps: stepsOf(parts, layout),
    hashed: dialect.hash && /(^|[ \t,])h($|[ \t,(/])/i.test(text),
  };
}

function stepsOf(parts: readonly string[], layout: readonly FieldName[]): CronExpression['steps'] {
  const steps = parts.flatMap((part, index) => {
    const [, from, step] = /^(\*|\d+)\/(\d+)$/.exec(part) ?? [];
    const name = layout[index];
    if (from === undefined || name === undefined) return [];
    const fromStart = from === '*' || Number(from) === FIELDS[name].min;
    return fromStart ? [[name, Number(step)] as const] : [];
  });
  return Object.fromEntries(steps);
}

function once(at: number, zone: Zone): OnceExpression {
  return { kind: 'once', at, zone };
}

function interval(
  period: Period,
  from: string | undefined,
  origin: Origin,
  context: ParseContext,
): IntervalExpression {
  const { zone, startsAtAnchor } = context;
  const anchored = from !== undefined || startsAtAnchor;
  return {
    kind: 'interval',
    period,
    ...anchorAt(from === undefined ? context.anchor : readMoment(origin, from, zone)),
    anchored,
    terms: { first: anchored ? 0 : 1, last: Infinity },
    count: Infinity,
    zone,
  };

  function anchorAt(at: number): Pick<IntervalExpression, 'anchor' | 'anchorWall'> {
    // The creation in whole seconds: with its milliseconds each fire would be between two seconds for ever.
    const anchor = anchored ? at : 1_000 * Math.floor(at / 1_000);
    return { anchor, anchorWall: wallAt(zone, Math.floor(anchor / 1_000)) };
  }
}
