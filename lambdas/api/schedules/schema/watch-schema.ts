import * as z from 'zod';
import { timestampSchema } from '../../request/common-schema.ts';

/** How a schedule stands with its `expectSuccessWithin`; there only where it has one. */
export const watchFields = {
  lastSuccessAt: timestampSchema
    .nullable()
    .optional()
    .meta({ description: 'When an attempt last succeeded, not counting backfills; null if never.' }),
  successExpectedBy: timestampSchema.nullable().optional().meta({
    description:
      'An alarm is raised if nothing has succeeded by then; null while it is paused or has no coming time.',
  }),
  successOverdue: z.boolean().optional().meta({ description: 'That time has passed.' }),
};
