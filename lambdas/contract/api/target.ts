import * as z from 'zod';
import {
  eventBusTargetSchema,
  lambdaTargetSchema,
  snsTargetSchema,
  sqsTargetSchema,
  stateMachineTargetSchema,
} from './target-aws.ts';
import { httpTargetSchema } from './target-http.ts';

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
    ],
    { error: 'An object whose "kind" is http, lambda, sqs, sns, eventBus or stateMachine.' },
  )
  .meta({ id: 'Target', description: 'What is called.' });
