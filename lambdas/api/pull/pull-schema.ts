import * as z from 'zod';
import { nameSchema } from '../../core/targets/aws/name-schema.ts';
import { scheduleIdText, timestampSchema } from '../request/common-schema.ts';
import { API_LIMITS } from '../request/limits.ts';

const completionToken = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'As the target or the claim was given it; stale once the attempt has ended.' });

const detail = z
  .string()
  .max(API_LIMITS.detailLength)
  .optional()
  .meta({ description: 'How it went; the attempt log keeps the beginning.' });

export const completeBody = z
  .strictObject({
    completionToken,
    detail,
    output: z.unknown().optional().meta({ description: 'Kept like `detail`, as JSON, where there is none.' }),
  })
  .meta({ id: 'CompleteAttempt', examples: [{ completionToken: 'as-it-was-given', detail: '1,204 rows' }] });

export const failBody = z
  .strictObject({
    completionToken,
    detail,
    retryable: z.boolean().default(true).meta({ description: 'False: another attempt would not help.' }),
  })
  .meta({
    id: 'FailAttempt',
    examples: [{ completionToken: 'as-it-was-given', detail: 'no such table', retryable: false }],
  });

export const heartbeatBody = z
  .strictObject({ completionToken })
  .meta({ id: 'Heartbeat', examples: [{ completionToken: 'as-it-was-given' }] });

export const heartbeatView = z
  .object({
    leaseExpiresAt: timestampSchema.meta({ description: 'Silence after this counts as a failed attempt.' }),
    cancelRequested: z
      .boolean()
      .meta({ description: 'Someone asked to stop it: stop, and report it with `fail`.' }),
  })
  .meta({ id: 'LeaseExtended' });

export const pullParams = z.object({ queue: nameSchema });

export const pullBody = z
  .strictObject({
    max: z.int().min(1).max(API_LIMITS.pullMax).default(1),
    holder: z
      .string()
      .regex(/^[\x21-\x7e]{1,64}$/, { error: 'A holder is 1 to 64 visible ASCII characters.' })
      .optional()
      .meta({ description: 'Name of the worker; shown with the attempt.' }),
    waitSeconds: z
      .int()
      .min(0)
      .max(API_LIMITS.pullWait)
      .default(0)
      .meta({ description: 'How long to wait for work while there is none.' }),
  })
  .meta({ id: 'PullClaim', examples: [{ max: 5, holder: 'worker-7' }] });

export const pulledView = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string(),
          schedule: scheduleIdText,
          scheduledTime: timestampSchema,
          previousScheduledTime: timestampSchema.nullable(),
          nextScheduledTime: timestampSchema.nullable(),
          attempt: z.int(),
          kind: z.string(),
          isCatchUp: z.boolean(),
          revision: z.int(),
          idempotencyKey: z.string(),
          fencingToken: z.int(),
          input: z.unknown(),
          completionToken: z.string(),
          leaseExpiresAt: timestampSchema,
        })
        .meta({ id: 'PulledOccurrence' }),
    ),
  })
  .meta({ id: 'Pulled' });
