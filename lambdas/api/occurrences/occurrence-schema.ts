import * as z from 'zod';
import { OCCURRENCE_KINDS } from '../../core/ids.ts';
import { OCCURRENCE_STATUSES } from '../../core/occurrence/occurrence.ts';
import { OVERLAP_POLICIES } from '../../core/schedule/definition.ts';
import {
  cursorField,
  momentSchema,
  noteSchema,
  pageQuery,
  scheduleIdText,
  timestampSchema,
} from '../request/common-schema.ts';

export const attemptView = z
  .object({
    attempt: z.int().meta({ description: '1 is the first.' }),
    startedAt: timestampSchema,
    finishedAt: timestampSchema,
    outcome: z.enum(['succeeded', 'failed', 'timed-out', 'lease-expired', 'cancelled']),
    detail: z.string().optional(),
  })
  .meta({ id: 'Attempt' });

export const occurrenceView = z
  .object({
    id: z.string(),
    schedule: scheduleIdText,
    revision: z.int(),
    kind: z.enum(OCCURRENCE_KINDS),
    scheduledTime: timestampSchema,
    dueAt: timestampSchema.meta({
      description: 'When it may start; after retries, when the next attempt may.',
    }),
    startedAt: timestampSchema.nullable(),
    finishedAt: timestampSchema.nullable(),
    status: z.enum(OCCURRENCE_STATUSES),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it ended as it did; null when it has not, or well.' }),
    attempt: z.int().meta({ description: 'Attempts begun.' }),
    idempotencyKey: z.string().meta({ description: 'What every attempt of it carries.' }),
    attempts: z
      .array(attemptView)
      .meta({ description: 'Attempts that ended: the first and the latest ones.' }),
    notes: z.array(noteSchema),
    leaseExpiresAt: timestampSchema
      .optional()
      .meta({ description: 'While it runs: when it must be renewed.' }),
    cancelRequested: z.literal(true).optional().meta({ description: 'It runs and was asked to stop.' }),
    blockedBy: z.string().optional().meta({ description: 'The occurrence that was in the way.' }),
    replays: z.int().optional().meta({ description: 'Times that a person asked to run it again.' }),
    inputRevision: z.int().optional().meta({ description: 'The revision whose input a replay uses.' }),
    overlap: z.enum(OVERLAP_POLICIES).optional().meta({ description: 'Chosen for it alone.' }),
    input: z
      .unknown()
      .optional()
      .meta({ description: 'Given for it alone; shown when it is read by its id.' }),
    coalesced: z
      .object({ count: z.int(), from: timestampSchema, to: timestampSchema })
      .optional()
      .meta({ description: 'The nominal times that were not run and that this one record stands for.' }),
  })
  .meta({ id: 'Occurrence' });

export const occurrenceList = z
  .object({ items: z.array(occurrenceView), cursor: cursorField })
  .meta({ id: 'Occurrences' });

/** By what occurrences of a schedule are picked out, beside their status. */
export const occurrenceFilter = {
  from: momentSchema.optional().meta({ description: 'Earliest scheduled time, inclusive.' }),
  to: momentSchema.optional().meta({ description: 'Latest scheduled time, inclusive.' }),
  kind: z.enum(OCCURRENCE_KINDS).optional(),
  reason: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .meta({ examples: ['superseded', 'attempts-exhausted'] }),
};

export const listOccurrencesQuery = z.strictObject({
  status: z.enum(OCCURRENCE_STATUSES).optional(),
  ...occurrenceFilter,
  ...pageQuery,
});

/** Any text: what no occurrence can be called is not found, like what none is called. */
export const occurrenceParams = z.object({ id: z.string() });

export type OccurrenceView = z.output<typeof occurrenceView>;
