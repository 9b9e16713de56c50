import * as z from 'zod';
import { momentSchema, timestampSchema } from '../../request/common-schema.ts';
import { API_LIMITS } from '../../request/limits.ts';
import { catchUpOnceSchema } from './catch-up-schema.ts';

export const pauseBody = z
  .strictObject({
    note: z.string().max(API_LIMITS.pauseNoteLength).optional(),
    until: momentSchema.nullable().optional().meta({
      description:
        'Resumes automatically, in time for the first nominal time from then on. null: it stays paused until you resume it.',
    }),
  })
  .meta({ id: 'PauseSchedule', examples: [{ note: 'The warehouse moves.', until: '2027-01-04T06:00:00Z' }] });

export const resumeBody = z
  .strictObject({
    catchUp: catchUpOnceSchema.optional().meta({
      description: 'What happens to times that passed during the pause. Defaults to skip.',
    }),
  })
  .meta({ id: 'ResumeSchedule', examples: [{ catchUp: 'latest' }] });

/** What a schedule says of its pause; there only while it is paused. */
export const pauseFields = {
  pauseNote: z.string().optional(),
  pausedSince: timestampSchema.optional(),
  pausedBy: z
    .string()
    .optional()
    .meta({ description: 'Who paused it; `punctual` when it paused by itself.' }),
  pausedUntil: timestampSchema.optional().meta({ description: 'When it resumes by itself.' }),
};

export type ResumeBody = z.output<typeof resumeBody>;
