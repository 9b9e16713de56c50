import * as z from 'zod';

/** Media type of every error (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

const fault = {
  field: z.string().optional().meta({ description: 'The request field at fault, dotted.' }),
  value: z.unknown().optional().meta({ description: 'What it was, shortened.' }),
};

export const problemView = z
  .object({
    type: z
      .string()
      .meta({ description: 'A URI reference for the code.', examples: ['urn:punctual:schedule.not-found'] }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What is wrong and the way out.' }),
    code: z
      .string()
      .meta({ description: 'Stable; programs switch on it.', examples: ['schedule.not-found'] }),
    ...fault,
    errors: z
      .array(z.object({ ...fault, message: z.string() }))
      .optional()
      .meta({ description: 'Each fault of the request, where there is more than one.' }),
    limit: z
      .object({
        group: z.string(),
        name: z.enum(['maxSchedules', 'maxFiresPerMinute', 'maxInputBytes']),
        limit: z.int(),
        used: z.int().meta({ description: 'In use now.' }),
        wanted: z.int().meta({ description: 'What was asked for on top.' }),
      })
      .optional()
      .meta({ description: 'Of a 429: the limit of a group that leaves no room.' }),
    instance: z.string().meta({ description: 'The id of the request, as in the logs.' }),
  })
  .meta({ id: 'Problem' });

export type Problem = z.output<typeof problemView>;
