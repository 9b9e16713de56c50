import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Invocation } from '../../core/ports/target-caller.ts';
import type { SqsTarget } from '../../core/targets/aws/sqs.ts';
import { targetClient } from '../aws/clients.ts';
import { byRegion } from '../by-region.ts';
import { awsCall } from './aws-call.ts';
import { fifoFields, messageAttributes } from './message-attributes.ts';
import { payloadOf } from './payload.ts';

const PERMANENT = new Set([
  'QueueDoesNotExist',
  'InvalidMessageContents',
  'UnsupportedOperation',
  'InvalidAddress',
]);

/**
 * Sends one message. On a FIFO queue the idempotency key is the deduplication id, which SQS honours for five
 * minutes; the consumer finds it as an attribute on either kind of queue.
 */
export function createSqsCaller(
  // The endpoint is the Region's: a host that a request could choose would be sent signed requests.
  clientFor: (arn: string) => SQSClient = byRegion((region) =>
    targetClient(SQSClient, { region, useQueueUrlAsEndpoint: false }),
  ),
) {
  return (target: SqsTarget, invocation: Invocation, signal: AbortSignal) =>
    awsCall(PERMANENT, signal, async () => {
      const answer = await clientFor(target.queueArn).send(
        new SendMessageCommand({
          QueueUrl: queueUrlOf(target.queueArn),
          MessageBody: payloadOf(invocation),
          MessageAttributes: messageAttributes(invocation),
          ...fifoFields(target.queueArn, target.messageGroupId, invocation),
        }),
        { abortSignal: signal },
      );
      return { kind: 'succeeded', detail: `SQS ${answer.MessageId}` };
    });
}

const DNS_SUFFIX: Readonly<Record<string, string>> = { 'aws-cn': 'amazonaws.com.cn' };

/** SQS knows a queue by its URL only, and looks at the path of it. */
function queueUrlOf(arn: string): string {
  const [, partition = '', , region, account, name] = arn.split(':');
  return `https://sqs.${region}.${DNS_SUFFIX[partition] ?? 'amazonaws.com'}/${account}/${name}`;
}
