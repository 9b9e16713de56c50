import * as z from 'zod';
import { defineTargetKind } from '../kind.ts';
import { arnSchema, messageGroupIdSchema } from './arn.ts';

const ARN = { service: 'sns', prefix: '' };

/** Publishes a message to a topic. */
export const sns = defineTargetKind({
  schema: z
    .strictObject({
      kind: z.literal('sns'),
      topicArn: arnSchema(ARN, '[A-Za-z0-9_-]{1,256}(\\.fifo)?', 'The ARN of a topic.', 'reports'),
      messageGroupId: messageGroupIdSchema,
    })
    .meta({ id: 'SnsTarget' }),
  allowed: {
    ...ARN,
    by: 'arn',
    field: 'topicArn',
    arnOf: ({ topicArn }) => topicArn,
    entry: '[\\w*?.-]+',
    action: 'sns:Publish',
  },
  placeholdersIn: [],
  mayFinishLater: false,
  aliases: { topicArn: 'arn topic' },
});

export type SnsTarget = z.output<typeof sns.schema>;
