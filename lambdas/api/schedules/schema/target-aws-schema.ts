import * as z from 'zod';

const ACCOUNT = '[a-z0-9-]{1,32}:\\d{12}';

/** An ARN of `service`, whose resource part is as `resource` says. */
function arnSchema(service: string, resource: string, error: string, example: string) {
  return z
    .string()
    .regex(new RegExp(`^arn:aws[a-z-]*:${service}:${ACCOUNT}:${resource}$`), { error })
    .meta({ examples: [`arn:aws:${service}:eu-west-1:123456789012:${example}`] });
}

const messageGroupIdSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, { error: '1 to 128 visible ASCII characters.' })
  .optional()
  .meta({ description: 'For FIFO only; the schedule id when absent.' });

export const lambdaTargetSchema = z
  .strictObject({
    kind: z.literal('lambda'),
    functionArn: arnSchema(
      'lambda',
      'function:[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]{1,128})?',
      'The ARN of a function, with or without a version or alias.',
      'function:report',
    ),
  })
  .meta({ id: 'LambdaTarget' });

export const sqsTargetSchema = z
  .strictObject({
    kind: z.literal('sqs'),
    queueArn: arnSchema('sqs', '[A-Za-z0-9_-]{1,80}(\\.fifo)?', 'The ARN of a queue.', 'reports'),
    messageGroupId: messageGroupIdSchema,
  })
  .meta({ id: 'SqsTarget' });

export const snsTargetSchema = z
  .strictObject({
    kind: z.literal('sns'),
    topicArn: arnSchema('sns', '[A-Za-z0-9_-]{1,256}(\\.fifo)?', 'The ARN of a topic.', 'reports'),
    messageGroupId: messageGroupIdSchema,
  })
  .meta({ id: 'SnsTarget' });

export const eventBusTargetSchema = z
  .strictObject({
    kind: z.literal('eventBus'),
    eventBusArn: arnSchema(
      'events',
      'event-bus/[A-Za-z0-9._/-]{1,256}',
      'The ARN of an event bus.',
      'event-bus/jobs',
    ),
    detailType: z.string().min(1).max(128).optional(),
  })
  .meta({ id: 'EventBusTarget' });

export const stateMachineTargetSchema = z
  .strictObject({
    kind: z.literal('stateMachine'),
    stateMachineArn: arnSchema(
      'states',
      'stateMachine:[A-Za-z0-9_-]{1,80}(:[A-Za-z0-9_-]{1,80})?',
      'The ARN of a state machine, with or without a version or alias.',
      'stateMachine:report',
    ),
  })
  .meta({ id: 'StateMachineTarget' });
