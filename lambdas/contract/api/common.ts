import * as z from 'zod';
import { DURATION_PATTERN, durationMs } from '../../core/duration.ts';
import { NAME_PATTERN } from '../../core/ids.ts';
import { parseInstant } from '../../core/time.ts';
import { API_LIMITS } from './limits.ts';

export const nameSchema = z
  .string()
  .regex(NAME_PATTERN, {
    error: 'A name has 1 to 64 letters, digits, "_", "-" or "." and starts with a letter or digit.',
  })
  .meta({ examples: ['nightly-report'] });

/** An elapsed ISO 8601 duration within bounds, both inclusive. */
export function durationSchema(min: string, max: string) {
  const [low, high] = [durationMs(min) ?? 0, durationMs(max) ?? 0];
  return z
    .string()
    .max(40)
    .refine(
      (text) => {
        const millis = durationMs(text);
        return millis !== undefined && millis >= low && millis <= high;
      },
      { error: `An ISO 8601 duration of weeks, days, hours, minutes and seconds from ${min} to ${max}.` },
    )
    .meta({
      description: `ISO 8601 duration, ${min} to ${max}.`,
      format: 'duration',
      pattern: DURATION_PATTERN.source,
      examples: [max],
    });
}

export const instantSchema = z
  .string()
  .refine((text) => parseInstant(text) !== undefined, {
    error: 'An ISO 8601 instant with "Z" or an offset, such as 2026-12-01T09:00:00Z.',
  })
  .meta({ format: 'date-time' });

/** ISO 8601 in UTC with milliseconds, as every response gives time. */
export const timestampSchema = z
  .string()
  .meta({ format: 'date-time', examples: ['2026-12-01T09:00:00.000Z'] });

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
  .meta({ description: 'Makes it safe to send the request again; remembered for 24 hours.' });

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
