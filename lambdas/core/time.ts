/**
 * Time as the core sees it: an integer number of milliseconds since 1970-01-01T00:00:00Z, branded so that
 * a duration or a count is not taken for an instant. ISO strings live at the edges only.
 */
export type EpochMs = number & { readonly __brand: 'EpochMs' };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The last instant that four-digit-year ISO text can name; nothing is scheduled beyond it. */
export const MAX_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999) as EpochMs;

export function epochMs(value: number): EpochMs {
  return value as EpochMs;
}

/** `2026-11-29T09:00:00.000Z`, always with milliseconds, so that text order is time order. */
export function toIso(at: number): string {
  return new Date(at).toISOString();
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** The first instant that four-digit-year ISO text in UTC can name. */
const MIN_INSTANT = Date.parse('0000-01-01T00:00:00Z');

/**
 * Parses an ISO 8601 instant **with** an offset or `Z`; anything else is `undefined`, never a guess. JavaScript would
 * take 30 February for 2 March, and lets an offset lead out of the years that have four digits.
 */
export function parseInstant(text: string): EpochMs | undefined {
  const date = INSTANT.exec(text)?.[1];
  if (date === undefined || !isDate(date)) return undefined;
  const at = Date.parse(text);
  return at >= MIN_INSTANT && at <= MAX_INSTANT ? epochMs(at) : undefined;
}

/** Whether the calendar has a day of this text, `2026-02-28`. */
export function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
