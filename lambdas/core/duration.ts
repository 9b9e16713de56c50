import { Duration } from 'luxon';

/** Weeks, days, hours, minutes and seconds, at least one of them; a `T` has something behind it. */
export const DURATION_PATTERN = /^P(?!$)(\d+W)?(\d+D)?(T(?!$)(\d+H)?(\d+M)?(\d+(\.\d{1,3})?S)?)?$/;

/**
 * Milliseconds of an ISO 8601 duration made of elapsed-time units (`PT30S`, `PT1H30M`, `P1D` as 24 hours,
 * `P1W`). Calendar units (months, years) have no fixed length: `undefined`, as for text that is no duration.
 */
export function durationMs(text: string): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  const millis = Duration.fromISO(text).toMillis();
  return Number.isSafeInteger(millis) ? millis : undefined;
}

/** As `durationMs`, for text that has been validated already; anything else is a fault of ours. */
export function knownDurationMs(text: string): number {
  const millis = durationMs(text);
  if (millis === undefined) throw new Error(`Not an elapsed ISO 8601 duration: ${text}`);
  return millis;
}
