import * as z from 'zod';
import { nameSchema } from './common.ts';
import {
  eventBusTargetSchema,
  lambdaTargetSchema,
  snsTargetSchema,
  sqsTargetSchema,
  stateMachineTargetSchema,
} from './target-aws.ts';
import { httpTargetSchema } from './target-http.ts';

export const pullTargetSchema = z
  .strictObject({
    kind: z.literal('pull'),
    queue: nameSchema.meta({ description: 'Workers claim from it with POST /pull/{queue}/claim.' }),
  })
  .meta({ id: 'PullTarget', description: 'Not called: workers anywhere claim what is due.' });

export const targetSchema = z
  .discriminatedUnion(
    'kind',
    [
      httpTargetSchema,
      lambdaTargetSchema,
      sqsTargetSchema,
      snsTargetSchema,
      eventBusTargetSchema,
      stateMachineTargetSchema,
      pullTargetSchema,
    ],
    { error: 'An object whose "kind" is http, lambda, sqs, sns, eventBus, stateMachine or pull.' },
  )
  .meta({ id: 'Target', description: 'What is called.' });
