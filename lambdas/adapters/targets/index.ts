import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { AllowList } from '../../contract/allow/allow-list.ts';
import type { TargetCaller } from '../../core/ports.ts';
import { targetClient } from '../aws/clients.ts';
import { byRegion } from '../by-region.ts';
import { createSecretFetcher } from '../secrets/fetch-secret.ts';
import { createSecretStore } from '../secrets/secret-store.ts';
import { createEventBusCaller } from './event-bus.ts';
import { createAddressGuard } from './http/address-guard.ts';
import { createHttpCaller } from './http/call.ts';
import { createConnections } from './http/connections.ts';
import { createRequestSender } from './http/request.ts';
import { createLambdaCaller } from './lambda.ts';
import { onlyAllowed } from './only-allowed.ts';
import { createSnsCaller } from './sns.ts';
import { createSqsCaller } from './sqs.ts';
import { createStateMachineCaller } from './state-machine.ts';

/** One caller for every kind of target. */
export function createTargetCaller(config: {
  readonly allowed: AllowList;
  /** CIDR ranges that http targets may reach although they are not public. */
  readonly httpAllowedRanges: readonly string[];
  readonly clock: { readonly now: () => number };
}): TargetCaller {
  const http = createHttpCaller(
    createRequestSender(createAddressGuard(config.httpAllowedRanges), createConnections(config.clock.now)),
    createSecretStore(createSecretFetcher(), config.clock),
  );
  const lambda = createLambdaCaller(byRegion((region) => targetClient(LambdaClient, { region })));
  // The endpoint is the Region's: a host that a request could choose would be sent signed requests.
  const sqs = createSqsCaller(
    byRegion((region) => targetClient(SQSClient, { region, useQueueUrlAsEndpoint: false })),
  );
  const sns = createSnsCaller(byRegion((region) => targetClient(SNSClient, { region })));
  const eventBus = createEventBusCaller(byRegion((region) => targetClient(EventBridgeClient, { region })));
  const stateMachine = createStateMachineCaller(byRegion((region) => targetClient(SFNClient, { region })));
  return onlyAllowed(config.allowed, {
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
        case 'canary':
          return { kind: 'succeeded' };
        case 'pull':
          throw new Error('A pull target is not called: workers claim what is due.');
      }
    },
  });
}
