import * as z from 'zod';
import { timestampSchema } from './common.ts';

/** How a schedule stands with its `expectSuccessWithin`; there only where it has one. */
export const watchFields = {
  lastSuccessAt: timestampSchema
    .nullable()
    .optional()
    .meta({ description: 'When an attempt of it last succeeded, backfills apart; null for never.' }),
  successExpectedBy: timestampSchema.nullable().optional().meta({
    description: 'An alarm is raised when none has by then; null while it is paused or nothing is to come.',
  }),
  successOverdue: z.boolean().optional().meta({ description: 'That time has passed.' }),
};
