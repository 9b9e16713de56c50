import type { CalendarStep } from './interval.ts';
import { type Origin, quote, refusal } from './refusal.ts';

/** How far apart the fires of an interval are: seconds of elapsed time, or steps on the calendar. */
export type Period =
  | { readonly kind: 'elapsed'; readonly seconds: number }
  | { readonly kind: 'calendar'; readonly step: CalendarStep };

/** A century; a longer interval is a mistake in the unit. */
const MAX_SECONDS = 100 * 366 * 86_400;
const MAX_MONTHS = 1_200;
const MAX_DAYS = 36_600;

const ISO =
  /^P(?!$)(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?!$)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;

const WORDS: readonly (readonly [RegExp, before: string, unit: string])[] = [
  [/^s(ec(ond)?s?)?$/i, 'PT', 'S'],
  [/^m(in(ute)?s?)?$/i, 'PT', 'M'],
  [/^h((ou)?rs?)?$/i, 'PT', 'H'],
  [/^d(ays?)?$/i, 'P', 'D'],
  [/^w(eeks?)?$/i, 'P', 'W'],
  [/^mo(nths?)?$/i, 'P', 'M'],
  [/^y(ears?)?$/i, 'P', 'Y'],
];

/** The ISO 8601 duration of `90 minutes`, `1d` or `hour`; undefined for anything else. */
export function durationOf(text: string): string | undefined {
  const [, amount = '1', word = ''] = /^(\d{1,9})?[ \t]*([a-z]{1,8})$/i.exec(text) ?? [];
  const unit = WORDS.find(([pattern]) => pattern.test(word));
  return unit && `${unit[1]}${amount}${unit[2]}`;
}

/** An ISO 8601 duration of whole numbers: `PT90S`, `P1D`, `P1M`. */
export function readIsoPeriod(origin: Origin, text: string): Period {
  const match = ISO.exec(text);
  const meant = match ? undefined : durationOf(text);
  if (meant !== undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is no ISO 8601 duration: it is written every ${meant}.`,
    );
  if (!match)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is not an interval: give an ISO 8601 duration of whole numbers, such as PT90S, PT2H, P1D or P1M.`,
    );
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const step = { months: years * 12 + months, days: weeks * 7 + days };
  const elapsed = hours * 3_600 + minutes * 60 + seconds;
  const onCalendar = step.months > 0 || step.days > 0;
  if (onCalendar && elapsed > 0)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} mixes calendar units (years to days) with clock units, which days of 23 or 25 hours make ` +
        'ambiguous: use one kind, such as P1D or PT36H.',
    );
  if (!onCalendar) return elapsedPeriod(origin, text, elapsed);
  if (step.months > MAX_MONTHS || step.days > MAX_DAYS) throw outOfRange(origin, text);
  return { kind: 'calendar', step };
}

/** The amount of `@every`, after Go: `90s`, `1h30m`, `1.5h`. */
export function readGoPeriod(origin: Origin, text: string): Period {
  const isGo = /^(\d{1,9}(\.\d{1,3})?[hms])+$/i.test(text);
  const meant = isGo ? undefined : durationOf(text);
  if (meant !== undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `@every takes hours, minutes and seconds: ${quote(text)} is written every ${meant}.`,
    );
  if (!isGo)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is not an interval for @every: give hours, minutes and seconds, such as 90s or 1h30m.`,
    );
  const unit: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1 };
  let seconds = 0;
  for (const [, amount, name] of text.matchAll(/([\d.]+)([hms])/gi))
    seconds += Number(amount) * (unit[(name ?? '').toLowerCase()] ?? 0);
  return elapsedPeriod(origin, text, seconds);
}

/**
 * The inside of EventBridge's `rate(value unit)`; its days are 24 hours.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#rate-based
 */
export function readRate(origin: Origin, text: string): Period {
  const match = /^(\d{1,15}) (minute|hour|day)s?$/i.exec(text);
  const unit: Readonly<Record<string, number>> = { minute: 60, hour: 3_600, day: 86_400 };
  const seconds = unit[(match?.[2] ?? '').toLowerCase()];
  const meant = match ? undefined : durationOf(text);
  if (meant !== undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(origin.text)}: rate takes minutes, hours or days, as in rate(5 minutes); this is written every ${meant}.`,
    );
  if (!match || seconds === undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(origin.text)}: rate takes a positive whole number and minutes, hours or days, as in rate(5 minutes).`,
    );
  return elapsedPeriod(origin, text, Number(match[1]) * seconds);
}

function elapsedPeriod(origin: Origin, text: string, seconds: number): Period {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_SECONDS) throw outOfRange(origin, text);
  return { kind: 'elapsed', seconds };
}

function outOfRange(origin: Origin, text: string) {
  return refusal(
    origin,
    'expression.out-of-range',
    `Interval ${quote(text)} is out of range: whole seconds, from one second to a hundred years.`,
  );
}
