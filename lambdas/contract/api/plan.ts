import * as z from 'zod';
import { DEFAULT_TIMEZONE } from '../../core/schedule.ts';
import { dstSchema, instantSchema, noteSchema, timestampSchema } from './common.ts';
import { API_LIMITS } from './limits.ts';
import { STATES } from './schedule.ts';

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
    expression: z.string(),
    timezone: z.string().default(DEFAULT_TIMEZONE),
    dst: dstSchema.optional(),
    from: instantSchema.optional().meta({ description: 'Fires after this; now when absent.' }),
    count: z.int().min(1).max(API_LIMITS.planFires).default(10),
  })
  .meta({ id: 'Plan' });

export const planView = z
  .object({ fires: z.array(fireView), warnings: z.array(noteSchema), description: z.string() })
  .meta({ id: 'PlannedFires' });

export const upcomingQuery = z.strictObject({
  count: z.coerce.number().int().min(1).max(API_LIMITS.upcoming).default(10),
});

export const upcomingView = z
  .object({
    state: z.enum(STATES).meta({ description: 'While paused, nothing is coming.' }),
    items: z.array(fireView),
  })
  .meta({ id: 'Upcoming' });
