import * as z from 'zod';
import { DEFAULT_TIMEZONE } from '../../../core/schedule/defaults.ts';
import { nameSchema } from '../../../core/targets/aws/name-schema.ts';
import { dstSchema, durationSchema, momentSchema } from '../../request/common-schema.ts';
import { API_LIMITS } from '../../request/limits.ts';

const expressionSchema = z.string().meta({ format: 'punctual-expression' });

/** When a schedule runs. What a text means is for the recurrence engine to say, which names the field at fault. */
export const recurrenceFields = {
  expression: z
    .union([expressionSchema, z.array(expressionSchema).min(1).max(API_LIMITS.expressions)], {
      error: `A text, or a list of 1 to ${API_LIMITS.expressions} whose times are united.`,
    })
    .meta({
      description:
        'When: cron text of 5 or 6 fields, "every PT5M", "at(2026-12-01T09:00:00)", an RRULE, and more; or a list of ' +
        'them whose times are united.',
      examples: ['0 9 * * MON-FRI'],
    }),
  timezone: z
    .string()
    .default(DEFAULT_TIMEZONE)
    .meta({ description: 'An IANA zone.', format: 'iana-time-zone', examples: ['Europe/Berlin'] }),
  dst: dstSchema.optional(),
  dayRule: z
    .enum(['or', 'and'])
    .optional()
    .meta({
      description:
        'When crontab text restricts day-of-month and day-of-week: `or` fires when either matches, as crontabs do, `and` ' +
        'when both do, as Spring, Temporal, APScheduler and Cronos do. `or` when absent.',
    }),
  exclude: z
    .array(z.string())
    .max(API_LIMITS.exclusions)
    .optional()
    .meta({
      description:
        'Times that do not fire: dates, ranges of dates or times, and expressions (`* * 25 12 *` is all of a day).',
      examples: [['2026-12-25', '2026-12-24/2027-01-01']],
    }),
  calendars: z
    .array(nameSchema)
    .max(API_LIMITS.calendars)
    .refine((names) => new Set(names).size === names.length, { error: 'A calendar is named once.' })
    .optional()
    .meta({ description: 'Names of calendars whose closed days do not fire.', examples: [['holidays']] }),
  onExcluded: z
    .enum(['skip', 'next-business-day', 'previous-business-day'])
    .optional()
    .meta({ description: 'What becomes of a time on a closed day; `skip` when absent.' }),
  startAt: momentSchema
    .optional()
    .meta({ description: 'The first time that may fire, local or an instant.' }),
  endAt: momentSchema.optional().meta({ description: 'The last time that may fire, local or an instant.' }),
  window: durationSchema('PT0S', 'P1D').optional().meta({
    description:
      'Starts are spread over it by a hash of the schedule and the time, never past the next time.',
  }),
};

/** How often in all. Of a schedule only: a preview has run nothing yet. */
export const runsFields = {
  maxRuns: z.int().min(1).max(API_LIMITS.maxRuns).optional().meta({
    description:
      'Number of scheduled runs after which it is completed. Editing it, or the times, restarts the count.',
  }),
};
