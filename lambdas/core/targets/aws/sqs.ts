import * as z from 'zod';
import { defineTargetKind } from '../kind.ts';
import { arnSchema, messageGroupIdSchema } from './arn.ts';

const ARN = { service: 'sqs', prefix: '' };

/** Sends a message to a queue. */
export const sqs = defineTargetKind({
  schema: z
    .strictObject({
      kind: z.literal('sqs'),
      queueArn: arnSchema(ARN, '[A-Za-z0-9_-]{1,80}(\\.fifo)?', 'The ARN of a queue.', 'reports'),
      messageGroupId: messageGroupIdSchema,
    })
    .meta({ id: 'SqsTarget' }),
  allowed: {
    ...ARN,
    by: 'arn',
    field: 'queueArn',
    arnOf: ({ queueArn }) => queueArn,
    entry: '[\\w*?.-]+',
    action: 'sqs:SendMessage',
  },
  placeholdersIn: [],
  mayFinishLater: false,
  aliases: { queueArn: 'arn queue queueurl url' },
});

export type SqsTarget = z.output<typeof sqs.schema>;
