import * as z from 'zod';
import {
  integerQuery,
  momentSchema,
  noteSchema,
  recurrenceText,
  timestampSchema,
} from '../request/common-schema.ts';
import { API_LIMITS } from '../request/limits.ts';
import { recurrenceFields } from '../schedules/schema/recurrence-schema.ts';
import { STATES } from '../schedules/schema/schedule-schema.ts';

export const fireView = z
  .object({
    scheduledTime: timestampSchema,
    local: z.string().meta({
      description: 'The same instant in the time zone.',
      examples: ['2026-12-01T10:00:00.000+01:00'],
    }),
    notes: z.array(noteSchema).meta({ description: 'Where daylight saving or another rule decided.' }),
  })
  .meta({ id: 'Fire' });

export const planBody = z
  .strictObject({
    ...recurrenceFields,
    from: momentSchema.optional().meta({ description: 'Fires strictly after this; now when absent.' }),
    to: momentSchema.optional().meta({ description: 'Latest time, inclusive.' }),
    previous: z
      .boolean()
      .default(false)
      .meta({ description: 'Lists the latest times before `from` instead, going back.' }),
    count: z
      .int()
      .min(1)
      .max(API_LIMITS.planFires)
      .optional()
      .meta({
        description: `Maximum number of times; defaults to 10, or with \`to\` to ${API_LIMITS.planFires}.`,
      }),
    schedule: z
      .string()
      .max(129)
      .default('')
      .meta({ description: 'The `group/name` that `H` and the window are hashed from.' }),
  })
  .meta({
    id: 'Plan',
    examples: [{ expression: '0 9 * * MON-FRI', timezone: 'America/New_York', count: 3 }],
  });

export const planView = z
  .object({
    items: z.array(fireView),
    warnings: z.array(noteSchema),
    recurrence: recurrenceText,
  })
  .meta({ id: 'PlannedFires' });

export const upcomingQuery = z.strictObject({
  count: integerQuery(1, API_LIMITS.upcoming, 10),
});

export const upcomingView = z
  .object({
    state: z.enum(STATES).meta({ description: 'While paused, nothing is coming.' }),
    items: z.array(fireView),
  })
  .meta({ id: 'Upcoming' });
