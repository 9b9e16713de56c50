import * as z from 'zod';
import { DEFAULT_COMPLETION } from '../../../core/schedule/defaults.ts';
import { OVERLAP_POLICIES, retentionDays } from '../../../core/schedule/definition.ts';
import { nameSchema } from '../../../core/targets/aws/name-schema.ts';
import { durationSchema } from '../../request/common-schema.ts';
import { API_LIMITS } from '../../request/limits.ts';

const concurrencySchema = z
  .strictObject({
    key: nameSchema.meta({ description: 'Schedules that name the same key share one limit.' }),
    limit: z.int().min(1).max(API_LIMITS.concurrency),
  })
  .meta({
    id: 'Concurrency',
    description: 'How many occurrences of all schedules with this key may run at once; the others wait.',
  });

const { min, max } = API_LIMITS.retentionDays;

const retentionSchema = z
  .string()
  .refine(
    (text) => {
      const days = retentionDays(text);
      return days !== undefined && days >= min && days <= max;
    },
    { error: `A number of days from P${min}D to P${max}D.` },
  )
  .meta({
    description:
      'How long finished occurrences are kept, in days. Defaults to the setting of the deployment.',
    examples: ['P90D'],
  });

/** How the occurrences of a schedule run, end and are kept. */
export const runPolicyFields = {
  overlap: z
    .enum(OVERLAP_POLICIES)
    .optional()
    .meta({
      description:
        'What an occurrence does that comes due while another of this schedule runs: run beside it, be skipped, ' +
        'wait (one or all of them), or stop it. When absent: `skip`, or `allow` for a single `at(…)`, which only ' +
        'triggers could overlap.',
    }),
  concurrency: concurrencySchema.optional(),
  completion: z.enum(['immediate', 'callback']).default(DEFAULT_COMPLETION).meta({
    description:
      '`callback`: a call that succeeded only began; the attempt ends through the API with its completion token.',
  }),
  heartbeatTimeout: durationSchema(API_LIMITS.heartbeat.min, API_LIMITS.heartbeat.max)
    .optional()
    .meta({
      description:
        'How long an attempt that continues elsewhere may stay silent. Defaults to `timeout`. ' +
        'For `callback` and the targets http and pull.',
    }),
  retention: retentionSchema.optional(),
  pauseAfterFailures: z.int().min(1).max(API_LIMITS.failures).optional().meta({
    description: 'Pauses the schedule after this many consecutive failures since it was last changed.',
  }),
  expectSuccessWithin: durationSchema(API_LIMITS.expectSuccessWithin.min, API_LIMITS.expectSuccessWithin.max)
    .optional()
    .meta({
      description:
        'Raises an alarm when no occurrence has succeeded for this long since the last success or change of the ' +
        'schedule; where its next time is further off than that, or its only one, since that time. Backfills do not count.',
      examples: ['PT26H'],
    }),
  metrics: z
    .boolean()
    .default(false)
    .meta({
      description:
        'Metrics of its own in CloudWatch, with the dimensions `group` and `schedule`: start delay, duration, outcomes. ' +
        'Three to seven metrics, each paid for: for the few schedules that a person looks at, not for thousands.',
    }),
  deleteAfterCompletion: z.boolean().default(false).meta({
    description: 'Deletes the schedule once it has no time left and its last occurrence is finished.',
  }),
};
