import * as z from 'zod';
import { nameSchema } from '../../core/targets/aws/name-schema.ts';
import { readOnlyFields } from '../request/common-schema.ts';
import { API_LIMITS } from '../request/limits.ts';

export const groupParams = z.object({ group: nameSchema });

const limit = (max: number, description: string) =>
  z
    .int({ error: `A whole number from 1 to ${max}, or null for any number.` })
    .min(1)
    .max(max)
    .nullable()
    .meta({ description: `${description} null: any number.` });

const concurrencyLimit = limit(
  API_LIMITS.concurrency,
  'How many occurrences of all its schedules may run at once, the others wait.',
);

const quotas = {
  maxSchedules: limit(API_LIMITS.groupSchedules, 'How many schedules it may have.'),
  maxFiresPerMinute: limit(
    API_LIMITS.groupFiresPerMinute,
    'How many times a minute it may fire: each schedule counts with its busiest minute, and what people start ' +
      '(triggers, replays, backfills) with the minute that they start it in.',
  ),
  maxInputBytes: limit(
    API_LIMITS.groupInputBytes,
    'How many bytes the inputs of its schedules may have together, as JSON.',
  ),
};

export const groupBody = z
  .strictObject({
    concurrencyLimit,
    maxSchedules: quotas.maxSchedules.default(null),
    maxFiresPerMinute: quotas.maxFiresPerMinute.default(null),
    maxInputBytes: quotas.maxInputBytes.default(null),
    ...readOnlyFields(['group', 'use']),
  })
  .meta({
    id: 'GroupSettings',
    examples: [{ concurrencyLimit: 10, maxSchedules: 100, maxFiresPerMinute: 600 }],
  });

export const groupView = z
  .object({
    group: z.string(),
    concurrencyLimit,
    ...quotas,
    use: z
      .object({
        schedules: z.int(),
        firesPerMinute: z.int().meta({ description: 'What its schedules declare.' }),
        startedThisMinute: z.int().meta({ description: 'What people have started in this minute.' }),
        inputBytes: z.int(),
      })
      .nullable()
      .meta({ description: 'Of a group that has a quota; null: it is not counted.' }),
  })
  .meta({ id: 'Group' });
