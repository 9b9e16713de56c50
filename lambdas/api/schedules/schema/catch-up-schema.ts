import * as z from 'zod';
import { durationSchema } from '../../request/common-schema.ts';
import { API_LIMITS } from '../../request/limits.ts';

const modeSchema = z.enum(['skip', 'latest', 'all']);

/** Of missed times: which are run, how old, how many, and over how long they are spread. */
export const catchUpFields = {
  mode: modeSchema,
  maxAge: durationSchema('PT0S', 'P366D'),
  maxRuns: z.int().min(1).max(API_LIMITS.catchUpRuns),
  spreadOver: durationSchema('PT0S', 'P1D'),
};

/** For one occasion: what is left off is as the schedule has it. */
export const catchUpOnceSchema = z
  .union(
    [
      modeSchema,
      z.strictObject({
        mode: modeSchema,
        maxAge: catchUpFields.maxAge.optional(),
        maxRuns: catchUpFields.maxRuns.optional(),
        spreadOver: catchUpFields.spreadOver.optional(),
      }),
    ],
    { error: 'skip, latest, all, or an object with one of them as "mode".' },
  )
  .meta({ id: 'CatchUpOnce' });
