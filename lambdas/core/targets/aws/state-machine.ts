import * as z from 'zod';
import { defineTargetKind } from '../kind.ts';
import { arnSchema } from './arn.ts';

const ARN = { service: 'states', prefix: 'stateMachine:' };

/** Starts an execution of a state machine. */
export const stateMachine = defineTargetKind({
  schema: z
    .strictObject({
      kind: z.literal('stateMachine'),
      stateMachineArn: arnSchema(
        ARN,
        '[A-Za-z0-9_-]{1,80}(:[A-Za-z0-9_-]{1,80})?',
        'The ARN of a state machine, with or without a version or alias.',
        'report',
      ),
    })
    .meta({ id: 'StateMachineTarget' }),
  allowed: {
    ...ARN,
    by: 'arn',
    field: 'stateMachineArn',
    arnOf: ({ stateMachineArn }) => stateMachineArn,
    // IAM asks for the state machine, whichever version or alias is started.
    granted: (arn) => arn.split(':').slice(0, 7).join(':'),
    entry: '[\\w*?-]+',
    action: 'states:StartExecution',
  },
  placeholdersIn: [],
  mayFinishLater: false,
  aliases: { stateMachineArn: 'arn statemachine' },
});

export type StateMachineTarget = z.output<typeof stateMachine.schema>;
