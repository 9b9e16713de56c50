import { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { TargetCaller } from '../../core/ports.ts';
import { createAddressGuard } from './address-guard.ts';
import { createHttpCaller } from './http.ts';
import { createLambdaCaller } from './lambda.ts';
import { createSqsCaller } from './sqs.ts';

/** One caller for every kind of target. */
export function createTargetCaller(config: {
  readonly sqs: SQSClient;
  /** CIDR ranges that http targets may reach although they are not public. */
  readonly httpAllowedRanges: readonly string[];
}): TargetCaller {
  const http = createHttpCaller(createAddressGuard(config.httpAllowedRanges));
  // One call is one attempt: a retry of the SDK's would be an attempt that nobody recorded.
  const lambda = createLambdaCaller(new LambdaClient({ maxAttempts: 1 }));
  const sqs = createSqsCaller(config.sqs);
  return {
    async call(target, invocation, now, signal) {
      switch (target.kind) {
        case 'http':
          return http(target, invocation, now, signal);
        case 'lambda':
          return lambda(target, invocation, signal);
        case 'sqs':
          return sqs(target, invocation, signal);
      }
    },
  };
}
