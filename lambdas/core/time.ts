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

/** Parses an ISO 8601 instant **with** an offset or `Z`; anything else is `undefined`, never a guess. */
export function parseInstant(text: string): EpochMs | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : (at as EpochMs);
}
