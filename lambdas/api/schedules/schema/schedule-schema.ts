import * as z from 'zod';
import {
  DEFAULT_CATCH_UP,
  DEFAULT_GROUP,
  DEFAULT_RETRY,
  DEFAULT_TIMEOUT,
} from '../../../core/schedule/defaults.ts';
import { nameSchema } from '../../../core/targets/aws/name-schema.ts';
import {
  cursorField,
  durationSchema,
  flagQuery,
  noteSchema,
  pageQuery,
  readOnlyFields,
  recurrenceText,
  timestampSchema,
} from '../../request/common-schema.ts';
import { inputSchema } from '../../request/input-schema.ts';
import { API_LIMITS } from '../../request/limits.ts';
import { catchUpFields } from './catch-up-schema.ts';
import { pauseFields } from './pause-schema.ts';
import { recurrenceFields, runsFields } from './recurrence-schema.ts';
import { runPolicyFields } from './run-policy-schema.ts';
import { targetSchema } from './target-schema.ts';
import { watchFields } from './watch-schema.ts';

const retrySchema = z
  .strictObject({
    maxAttempts: z
      .int()
      .min(1)
      .max(API_LIMITS.attempts)
      .default(DEFAULT_RETRY.maxAttempts)
      .meta({ description: 'Includes the first attempt.' }),
    initialDelay: durationSchema('PT0S', 'PT24H').default(DEFAULT_RETRY.initialDelay),
    factor: z.number().min(1).max(10).default(DEFAULT_RETRY.factor),
    maxDelay: durationSchema('PT0S', 'PT24H').default(DEFAULT_RETRY.maxDelay),
    jitter: z.number().min(0).max(1).default(DEFAULT_RETRY.jitter).meta({
      description: 'Share of a delay that may be taken off, so that retries do not all happen at once.',
    }),
    maxAge: durationSchema('PT0S', 'P30D')
      .default(DEFAULT_RETRY.maxAge)
      .meta({ description: 'No attempt starts later than this after the occurrence was first due.' }),
  })
  .meta({ id: 'RetryPolicy' });

const catchUpSchema = z
  .strictObject({
    mode: catchUpFields.mode.default(DEFAULT_CATCH_UP.mode),
    maxAge: catchUpFields.maxAge.default(DEFAULT_CATCH_UP.maxAge),
    maxRuns: catchUpFields.maxRuns.default(DEFAULT_CATCH_UP.maxRuns),
    spreadOver: catchUpFields.spreadOver.default(DEFAULT_CATCH_UP.spreadOver),
  })
  .meta({
    id: 'CatchUpPolicy',
    description: 'What happens to times that were missed during an outage.',
  });

const tagsSchema = z
  .record(z.string().min(1).max(API_LIMITS.tagKeyLength), z.string().max(API_LIMITS.tagValueLength))
  .refine((tags) => Object.keys(tags).length <= API_LIMITS.tags, {
    error: `At most ${API_LIMITS.tags} tags.`,
  });

const definitionFields = {
  ...recurrenceFields,
  ...runsFields,
  target: targetSchema,
  input: inputSchema.default(null).meta({
    description: `Any JSON value of at most ${API_LIMITS.inputBytes} bytes; handed to the target.`,
  }),
  retry: retrySchema.prefault({}),
  timeout: durationSchema(API_LIMITS.timeout.min, API_LIMITS.timeout.max).default(DEFAULT_TIMEOUT),
  startDeadline: durationSchema('PT1S', 'P30D').optional().meta({
    description: 'An occurrence that could not start within this time is missed instead of run late.',
  }),
  catchUp: catchUpSchema.prefault({}),
  ...runPolicyFields,
  tags: tagsSchema.default({}),
  description: z.string().max(API_LIMITS.descriptionLength).optional(),
};

/** Of `scheduleView`, but for `state`, which says something that a reader may want to change. */
const shownFields = {
  state: z.unknown().optional().meta({
    readOnly: true,
    description: 'The present state; `pause` and `resume` change it.',
  }),
  ...readOnlyFields([
    'revision',
    'version',
    'createdAt',
    'updatedAt',
    'nextScheduledTime',
    'remainingRuns',
    'recurrence',
    'warnings',
    ...(Object.keys(pauseFields) as (keyof typeof pauseFields)[]),
    ...(Object.keys(watchFields) as (keyof typeof watchFields)[]),
  ]),
};

const EXAMPLE = {
  expression: '0 9 * * MON-FRI',
  timezone: 'Europe/Berlin',
  target: { kind: 'http', url: 'https://example.com/hooks/report' },
  input: { report: 'sales' },
  retry: { maxAttempts: 5 },
};

export const createScheduleBody = z
  .strictObject({
    group: nameSchema.default(DEFAULT_GROUP),
    name: nameSchema,
    ...definitionFields,
    ...shownFields,
  })
  .meta({ id: 'CreateSchedule', examples: [{ group: 'billing', name: 'nightly', ...EXAMPLE }] });

/** `group` and `name` may be repeated, and must then be those of the path. */
export const replaceScheduleBody = z
  .strictObject({
    group: nameSchema.optional(),
    name: nameSchema.optional(),
    ...definitionFields,
    ...shownFields,
  })
  .meta({ id: 'ReplaceSchedule', examples: [EXAMPLE] });

/** Checked as a whole after merging: a part that is valid alone may not be so beside the rest. */
export const patchScheduleBody = z.record(z.string(), z.unknown()).meta({
  id: 'PatchSchedule',
  description: 'A JSON merge patch (RFC 7396) of the fields of ReplaceSchedule.',
  examples: [{ timezone: 'Europe/Paris', description: null }],
});

const dryRunField = flagQuery.meta({
  description: 'Changes nothing, and returns what the request would change in the next ten times.',
});

export const createQuery = z.strictObject({ dryRun: dryRunField });

export const editQuery = z.strictObject({
  pending: z
    .enum(['cancel', 'keep'])
    .optional()
    .meta({
      description:
        '`cancel`: nothing of the old definition that has not started starts. `keep`: what is planned already still ' +
        'runs, as it was, and the new definition goes on behind it. When absent, an edit of tags and description ' +
        'only keeps; any other cancels what is to come, and what is pending of times that have passed (it waits ' +
        'for a retry, or within its window) goes on by the new definition.',
    }),
  dryRun: dryRunField,
});

export const STATES = ['enabled', 'paused', 'completed'] as const;

export const scheduleView = z
  .object({
    group: z.string(),
    name: z.string(),
    state: z.enum(STATES),
    revision: z.int().meta({ description: 'Number of the definition in force; +1 on each edit.' }),
    version: z.int().meta({ description: 'Part of the ETag; +1 on each change, pauses included.' }),
    ...definitionFields,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
    nextScheduledTime: timestampSchema
      .nullable()
      .meta({ description: 'The next nominal time; null when paused or when there is none.' }),
    ...pauseFields,
    ...watchFields,
    remainingRuns: z.int().optional().meta({ description: 'With `maxRuns`: runs that are not planned yet.' }),
    recurrence: recurrenceText,
    warnings: z
      .array(noteSchema)
      .meta({ description: 'What is valid in the expression but probably not intended.' }),
  })
  .meta({ id: 'Schedule' });

export const scheduleList = z
  .object({ items: z.array(scheduleView), cursor: cursorField })
  .meta({ id: 'Schedules' });

export const listSchedulesQuery = z.strictObject({
  group: nameSchema.optional(),
  state: z.enum(STATES).optional(),
  ...pageQuery,
});

export type ScheduleBody = z.output<typeof replaceScheduleBody>;
export type ScheduleView = z.output<typeof scheduleView>;
