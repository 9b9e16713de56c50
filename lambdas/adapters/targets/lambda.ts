import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Invocation } from '../../core/ports/target-caller.ts';
import type { LambdaTarget } from '../../core/targets/aws/lambda.ts';
import { targetClient } from '../aws/clients.ts';
import { byRegion } from '../by-region.ts';
import { awsCall } from './aws-call.ts';
import { payloadOf } from './payload.ts';

const EXCERPT = 150;

/** Errors of the Invoke API that the same request meets again (AWS: API_Invoke). */
const PERMANENT = new Set([
  'ResourceNotFoundException',
  'InvalidRequestContentException',
  'InvalidParameterValueException',
  'RequestTooLargeException',
  'UnsupportedMediaTypeException',
  'InvalidRuntimeException',
]);

/**
 * Invokes a function and waits for its result, so that a function that throws is a failed attempt. The
 * client must not retry by itself: each call is one attempt, and its number is in the payload.
 */
export function createLambdaCaller(
  clientFor: (arn: string) => LambdaClient = byRegion((region) => targetClient(LambdaClient, { region })),
) {
  return (target: LambdaTarget, invocation: Invocation, signal: AbortSignal) =>
    awsCall(PERMANENT, signal, async () => {
      const answer = await clientFor(target.functionArn).send(
        new InvokeCommand({
          FunctionName: target.functionArn,
          InvocationType: 'RequestResponse',
          Payload: Buffer.from(payloadOf(invocation)),
        }),
        { abortSignal: signal },
      );
      if (answer.FunctionError === undefined)
        return { kind: 'succeeded', detail: `Lambda ${answer.StatusCode}` };
      const text = Buffer.from(answer.Payload ?? []).toString('utf8');
      return {
        kind: 'failed',
        retryable: true,
        detail: `${answer.FunctionError}: ${text.slice(0, EXCERPT)}`,
      };
    });
}
