import * as z from 'zod';
import { DURATION_PATTERN, durationMs } from '../../core/duration.ts';
import { parseMoment } from '../../core/recurrence/index.ts';
import { nameSchema } from '../../core/targets/aws/name-schema.ts';
import { MAX_INSTANT } from '../../core/time.ts';
import { API_LIMITS } from './limits.ts';

/** An elapsed ISO 8601 duration within bounds, both inclusive. */
export function durationSchema(min: string, max: string) {
  const [low, high] = [durationMs(min) ?? 0, durationMs(max) ?? 0];
  const isWithin = (text: string) => {
    const millis = durationMs(text);
    return millis !== undefined && millis >= low && millis <= high;
  };
  const error = ({ input }: { readonly input?: unknown }) => {
    const expected = `An ISO 8601 duration of weeks, days, hours, minutes and seconds from ${min} to ${max}`;
    const meant = durationMeantBy(input);
    return meant !== undefined && isWithin(meant) ? `${expected}: write "${meant}".` : `${expected}.`;
  };
  return z
    .string({ error })
    .max(40, { error })
    .refine(isWithin, { error })
    .meta({
      description: `ISO 8601 duration, ${min} to ${max}.`,
      format: 'duration',
      pattern: DURATION_PATTERN.source,
      examples: [max],
    });
}

const UNIT =
  /^\s*(\d{1,9}(?:\.\d{1,3})?)\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)?\s*$/i;

/** `30` and `30s` as seconds, `5m`, `2 hours`, `1d`: as ISO 8601 has them. */
function durationMeantBy(input: unknown): string | undefined {
  if (typeof input !== 'number' && typeof input !== 'string') return undefined;
  const [, amount, unit = 's'] = UNIT.exec(String(input)) ?? [];
  if (amount === undefined) {
    const upper = String(input).toUpperCase();
    // `pt30s`, and the prefix forgotten.
    return [upper, `P${upper}`, `PT${upper}`].find((text) => durationMs(text) !== undefined);
  }
  const letter = unit[0]?.toUpperCase();
  return letter === 'D' || letter === 'W' ? `P${amount}${letter}` : `PT${amount}${letter}`;
}

const momentError = ({ input }: { readonly input?: unknown }) => {
  const expected =
    'An ISO 8601 date and time, with "Z" or an offset such as 2026-12-01T09:00:00Z, or local such as ' +
    '2026-12-01T09:00:00';
  const meant = instantMeantBy(input);
  return meant === undefined ? `${expected}.` : `${expected}: write "${meant}".`;
};

/** Seconds or milliseconds since 1970, as most programs have time. */
function instantMeantBy(input: unknown): string | undefined {
  if (typeof input !== 'number' || !Number.isInteger(input)) return undefined;
  const millis = Math.abs(input) < 1e11 ? input * 1_000 : input;
  return Math.abs(millis) <= MAX_INSTANT ? new Date(millis).toISOString() : undefined;
}

/** Wherever a request names a moment. When a local one is, `momentOf` says, which knows the time zone. */
export const momentSchema = z
  .string({ error: momentError })
  .max(64, { error: momentError })
  .refine((text) => parseMoment(text) !== undefined, { error: momentError })
  .meta({ format: 'punctual-moment', examples: ['2026-12-01T09:00:00', '2026-12-01T09:00:00Z'] });

/** ISO 8601 in UTC with milliseconds, as every response gives time. */
export const timestampSchema = z
  .string()
  .meta({ format: 'date-time', examples: ['2026-12-01T09:00:00.000Z'] });

/** Of a schedule as of a preview. */
export const recurrenceText = z.string().meta({
  description: 'When it runs, in words.',
  examples: ['At 09:00, Monday to Friday, New York time'],
});

/** As a target is given it, and as occurrences, claims and backfills name theirs. */
export const scheduleIdText = z
  .string()
  .meta({ description: 'Of which schedule: `group/name`.', examples: ['billing/nightly'] });

export const dstSchema = z
  .strictObject({
    gap: z.enum(['run-after', 'shift', 'skip']).optional(),
    overlap: z.enum(['first', 'second', 'both']).optional(),
  })
  .meta({
    id: 'DstPolicy',
    description: 'How a local time that daylight saving skips (gap) or repeats (overlap) is treated.',
  });

export const noteSchema = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'Note', description: 'A code for programs and a sentence for people.' });

export const scheduleParams = z.object({ group: nameSchema, name: nameSchema });

/** A whole number as a query has it: digits only, where JavaScript would take `0x10`, ` 5` and `1e1`, too. */
export function integerQuery(min: number, max: number, fallback: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: `A whole number from ${min} to ${max}.` })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .default(fallback);
}

export const flagQuery = z
  .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'true or false.' })
  .default(false);

export const pageQuery = {
  limit: integerQuery(1, API_LIMITS.pageSize, 50),
  cursor: z.string().min(1).max(2048).optional().meta({ description: 'The cursor of the page before.' }),
};

export const cursorField = z
  .string()
  .optional()
  .meta({ description: 'Where the next page begins; absent on the last one.' });

export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'An Idempotency-Key is 1 to 255 visible ASCII characters.' })
  .optional()
  .meta({ description: 'Makes it safe to repeat the request; remembered for 24 hours.' });

export const ifMatchSchema = z
  .string()
  .max(1000)
  .optional()
  .meta({ description: 'The ETag that the change is based on; 412 when the schedule has moved on.' });

export const ifNoneMatchSchema = z
  .literal('*', { error: 'A PUT takes If-None-Match only as "*": create, never replace.' })
  .optional()
  .meta({ description: '`*`: create, never replace.' });

/** The body of a verb that has no options: none, or an empty object. */
export const noOptions = z.strictObject({}).meta({ id: 'NoOptions' });

/**
 * What an answer shows beside what may be set: taken back unread, so that what was read can be changed and put back.
 * Most of it has moved on by then, such as the next time.
 */
export function readOnlyFields<const Name extends string>(names: readonly Name[]) {
  const field = z
    .unknown()
    .optional()
    .meta({ readOnly: true, description: 'Read-only; ignored in requests.' });
  return Object.fromEntries(names.map((name) => [name, field])) as Record<Name, typeof field>;
}
