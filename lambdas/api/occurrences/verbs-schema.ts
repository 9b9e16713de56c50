import * as z from 'zod';
import { OVERLAP_POLICIES } from '../../core/schedule/definition.ts';
import { isDate } from '../../core/time.ts';
import { cursorField, momentSchema, pageQuery, timestampSchema } from '../request/common-schema.ts';
import { inputSchema } from '../request/input-schema.ts';
import { API_LIMITS } from '../request/limits.ts';
import { occurrenceFilter } from './occurrence-schema.ts';

export const triggerBody = z
  .strictObject({
    overlap: z.enum(OVERLAP_POLICIES).optional().meta({
      description: 'For this occurrence, instead of the policy of the schedule.',
    }),
    input: inputSchema
      .optional()
      .meta({ description: 'For this occurrence, instead of that of the schedule.' }),
  })
  .meta({ id: 'TriggerSchedule', examples: [{ input: { reason: 'by hand' } }] });

const replayInput = z.enum(['original', 'current']).default('original').meta({
  description: '`current`: the input of the definition in force; all else stays as it was.',
});

export const replayBody = z
  .strictObject({ input: replayInput })
  .meta({ id: 'ReplayOccurrence', examples: [{ input: 'current' }] });

/** Statuses that a replay starts again. A coalesced record stands for many times; a backfill runs those. */
export const REPLAYABLE = ['succeeded', 'failed', 'cancelled', 'skipped', 'missed'] as const;

export const replayManyBody = z
  .strictObject({
    status: z.enum(REPLAYABLE),
    ...occurrenceFilter,
    input: replayInput,
    ratePerMinute: z
      .int()
      .min(1)
      .max(API_LIMITS.replayPerMinute)
      .default(60)
      .meta({ description: 'How many become due in each minute.' }),
    limit: z.int().min(1).max(API_LIMITS.replayMax).default(100),
    cursor: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .meta({ description: 'Continues where the previous answer ended.' }),
  })
  .meta({
    id: 'ReplaySchedule',
    examples: [{ status: 'failed', from: '2026-11-01T00:00:00Z', ratePerMinute: 30 }],
  });

export const replayedView = z
  .object({
    replayed: z.int().meta({ description: 'Occurrences that this request started again.' }),
    lastDueAt: timestampSchema.nullable().meta({ description: 'When the last of them is due.' }),
    cursor: cursorField,
  })
  .meta({ id: 'Replayed' });

export const comingBody = z
  .strictObject({
    scheduledTime: momentSchema.meta({
      description: 'A coming time of the schedule, as `upcoming` lists it.',
    }),
  })
  .meta({ id: 'ComingTime', examples: [{ scheduledTime: '2026-12-01T09:00:00Z' }] });

export const moveBody = comingBody
  .extend({ to: momentSchema.meta({ description: 'When it is to start instead.' }) })
  .meta({
    id: 'MoveComingTime',
    examples: [{ scheduledTime: '2026-12-01T09:00:00Z', to: '2026-12-01T11:30:00Z' }],
  });

export const attentionQuery = z.strictObject({
  status: z.enum(['failed', 'missed']).optional(),
  day: z
    .string()
    .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text), { error: 'A day as 2026-03-01.' })
    .optional()
    .meta({
      description: 'The UTC day on which it ended; today when absent.',
      format: 'date',
      examples: ['2026-03-01'],
    }),
  ...pageQuery,
});
