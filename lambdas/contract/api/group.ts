import * as z from 'zod';
import { nameSchema } from './common.ts';
import { API_LIMITS } from './limits.ts';

export const groupParams = z.object({ group: nameSchema });

const limitSchema = z.int().min(1).max(API_LIMITS.concurrency);

export const groupBody = z
  .strictObject({
    concurrencyLimit: limitSchema.nullable().meta({
      description:
        'How many occurrences of all its schedules may run at once, the others wait; null: any number.',
    }),
  })
  .meta({ id: 'GroupSettings', examples: [{ concurrencyLimit: 10 }] });

export const groupView = z
  .object({ group: z.string(), concurrencyLimit: limitSchema.nullable() })
  .meta({ id: 'Group' });
