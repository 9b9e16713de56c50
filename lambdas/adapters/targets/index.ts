import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { TargetCaller } from '../../core/ports.ts';
import { createAddressGuard } from './address-guard.ts';
import { createEventBusCaller } from './event-bus.ts';
import { createHttpCaller } from './http.ts';
import { createLambdaCaller } from './lambda.ts';
import { createSnsCaller } from './sns.ts';
import { createSqsCaller } from './sqs.ts';
import { createStateMachineCaller } from './state-machine.ts';

/** One call is one attempt: a retry of the SDK's would be an attempt that nobody recorded. */
const ONCE = { maxAttempts: 1 };

/** One caller for every kind of target. */
export function createTargetCaller(config: {
  readonly sqs: SQSClient;
  /** CIDR ranges that http targets may reach although they are not public. */
  readonly httpAllowedRanges: readonly string[];
}): TargetCaller {
  const http = createHttpCaller(createAddressGuard(config.httpAllowedRanges));
  const lambda = createLambdaCaller(new LambdaClient(ONCE));
  const sqs = createSqsCaller(config.sqs);
  const sns = createSnsCaller(new SNSClient(ONCE));
  const eventBus = createEventBusCaller(new EventBridgeClient(ONCE));
  const stateMachine = createStateMachineCaller(new SFNClient(ONCE));
  return {
    async call(target, invocation, now, signal) {
      switch (target.kind) {
        case 'http':
          return http(target, invocation, now, signal);
        case 'lambda':
          return lambda(target, invocation, signal);
        case 'sqs':
          return sqs(target, invocation, signal);
        case 'sns':
          return sns(target, invocation, signal);
        case 'eventBus':
          return eventBus(target, invocation, signal);
        case 'stateMachine':
          return stateMachine(target, invocation, signal);
        case 'pull':
          throw new Error('A pull target is not called: workers claim what is due.');
      }
    },
  };
}
