import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import type { Invocation } from '../../core/ports/target-caller.ts';
import type { SnsTarget } from '../../core/targets/aws/sns.ts';
import { targetClient } from '../aws/clients.ts';
import { byRegion } from '../by-region.ts';
import { awsCall } from './aws-call.ts';
import { fifoFields, messageAttributes } from './message-attributes.ts';
import { payloadOf } from './payload.ts';

const PERMANENT = new Set([
  'NotFoundException',
  'InvalidParameterException',
  'InvalidParameterValueException',
]);

/** Publishes one message. On a FIFO topic the idempotency key is the deduplication id, honoured for five minutes. */
export function createSnsCaller(
  clientFor: (arn: string) => SNSClient = byRegion((region) => targetClient(SNSClient, { region })),
) {
  return (target: SnsTarget, invocation: Invocation, signal: AbortSignal) =>
    awsCall(PERMANENT, signal, async () => {
      const answer = await clientFor(target.topicArn).send(
        new PublishCommand({
          TopicArn: target.topicArn,
          Message: payloadOf(invocation),
          MessageAttributes: messageAttributes(invocation),
          ...fifoFields(target.topicArn, target.messageGroupId, invocation),
        }),
        { abortSignal: signal },
      );
      return { kind: 'succeeded', detail: `SNS ${answer.MessageId}` };
    });
}
