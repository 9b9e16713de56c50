import * as z from 'zod';
import {
  BACKFILL_ORDERS,
  BACKFILL_STATES,
  MAX_BACKFILL_CONCURRENCY,
  MAX_BACKFILL_TIMES,
  REPROCESS,
} from '../../core/backfill/backfill.ts';
import { OCCURRENCE_STATUSES } from '../../core/occurrence/occurrence.ts';
import {
  cursorField,
  momentSchema,
  pageQuery,
  scheduleIdText,
  scheduleParams,
  timestampSchema,
} from '../request/common-schema.ts';

export const createBackfillBody = z
  .strictObject({
    from: momentSchema.meta({ description: 'Earliest nominal time, inclusive.' }),
    to: momentSchema.meta({
      description: `Latest nominal time, inclusive; not after now. At most ${MAX_BACKFILL_TIMES} times lie between.`,
    }),
    order: z.enum(BACKFILL_ORDERS).default('oldest-first'),
    maxConcurrent: z.int().min(1).max(MAX_BACKFILL_CONCURRENCY).default(1).meta({
      description: 'How many of its occurrences run at once.',
    }),
    reprocess: z.enum(REPROCESS).default('none').meta({
      description:
        '`none`: only times that nothing ran for. `failed`: those whose run failed, too. `all`: every time.',
    }),
    dryRun: z.boolean().default(false).meta({ description: 'Answer what it would do, and do nothing.' }),
  })
  .meta({
    id: 'CreateBackfill',
    examples: [{ from: '2026-11-01T00:00:00Z', to: '2026-11-08T00:00:00Z', maxConcurrent: 2, dryRun: true }],
  });

const countField = (description: string) => z.int().meta({ description });

export const backfillView = z
  .object({
    id: z.string(),
    schedule: scheduleIdText,
    state: z.enum(BACKFILL_STATES),
    reason: z.enum(['user', 'deleted']).optional().meta({ description: 'Why it was cancelled.' }),
    revision: z.int().meta({ description: 'The definition that was in force, which its runs keep.' }),
    from: timestampSchema,
    to: timestampSchema,
    order: z.enum(BACKFILL_ORDERS),
    maxConcurrent: z.int(),
    reprocess: z.enum(REPROCESS),
    counts: z.object({
      total: countField('Nominal times in the range: skipped, created and left.'),
      skipped: countField('Left alone, by `reprocess`, because an occurrence was there.'),
      created: countField('Occurrences made: waiting, running, succeeded, failed and cancelled.'),
      waiting: countField('Made and not started, or between two attempts.'),
      running: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: countField('Ended without having run: cancelled, or skipped by a person.'),
      left: countField('Not decided on yet.'),
    }),
    left: z
      .object({ next: timestampSchema, until: timestampSchema })
      .nullable()
      .meta({ description: 'The times that are left: from `next` on to `until`, in its order.' }),
    open: z
      .array(z.object({ id: z.string(), scheduledTime: timestampSchema, status: z.string() }))
      .meta({ description: 'Its occurrences that have not ended.' }),
    createdAt: timestampSchema,
    createdBy: z.string(),
    updatedAt: timestampSchema,
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'Backfill' });

export const backfillPlanView = z
  .object({
    dryRun: z.literal(true),
    revision: z.int(),
    total: countField('Nominal times in the range.'),
    existing: z
      .partialRecord(z.enum(OCCURRENCE_STATUSES), z.int())
      .meta({ description: 'Times that have an occurrence, by its status.' }),
    toCreate: countField('Times that it would run.'),
    toSkip: countField('Times that it would leave alone.'),
  })
  .meta({ id: 'BackfillPlan' });

/** Without what takes a read of every occurrence under way. */
export const backfillSummary = backfillView
  .omit({ counts: true, left: true, open: true })
  .extend({
    counts: backfillView.shape.counts.omit({ waiting: true, running: true }).extend({
      open: countField('Made and not seen to have ended.'),
    }),
    left: backfillView.shape.left,
  })
  .meta({ id: 'BackfillSummary' });

export const backfillList = z
  .object({ items: z.array(backfillSummary), cursor: cursorField })
  .meta({ id: 'Backfills' });

export const listBackfillsQuery = z.strictObject({ ...pageQuery });

/** Any text: what no backfill can be called is not found, like what none is called. */
export const backfillParams = scheduleParams.extend({ backfill: z.string() });

export type CreateBackfillBody = z.output<typeof createBackfillBody>;
export type BackfillView = z.output<typeof backfillView>;
export type BackfillSummary = z.output<typeof backfillSummary>;
export type BackfillPlanView = z.output<typeof backfillPlanView>;
