import * as z from 'zod';
import { momentSchema, noteSchema, timestampSchema } from '../../request/common-schema.ts';

export const explainQuery = z.strictObject({
  at: momentSchema.meta({
    description: 'An instant, or a local time of the schedule, which may be one that clocks skip.',
    examples: ['2026-03-08T02:30:00', '2026-03-08T07:30:00Z'],
  }),
});

/** `unknown`: it was a time of the schedule, and what became of it is no longer kept. */
export const DECISIONS = ['ran', 'will-run', 'did-not-run', 'will-not-run', 'unknown'] as const;

export const explanationView = z
  .object({
    at: timestampSchema.nullable().meta({ description: 'Null when clocks skip the local time.' }),
    local: z.string().meta({ description: 'The same on the clocks of the schedule.' }),
    decision: z.enum(DECISIONS),
    rule: z.string().meta({
      description:
        'What decided: of the ledger (`succeeded`, `failed.not-retryable`, `pending`, `skipped.overlap`, `coalesced.catch-up` …), of the ' +
        'schedule (`paused`, `completed`, `deleted`, `before-creation`, `max-runs`, `expired`, `due`) or of its times ' +
        '(`matches`, `no-match`, `excluded`, `moved`, `dst.gap`, `dst.overlap`, `before-start`, `after-end`).',
      examples: ['excluded'],
    }),
    message: z.string(),
    occurrence: z.string().optional().meta({ description: 'The id of the occurrence or record, if any.' }),
    revision: z.int().meta({ description: 'Number of the definition that was in force then.' }),
    notes: z.array(noteSchema),
    previous: timestampSchema
      .nullable()
      .meta({ description: 'The nominal time before it, by that definition.' }),
    next: timestampSchema.nullable(),
  })
  .meta({ id: 'Explanation' });

export type ExplanationView = z.output<typeof explanationView>;
