import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { CallResult, Invocation } from '../../core/ports.ts';
import type { SqsTarget } from '../../core/schedule.ts';
import { toIso } from '../../core/time.ts';
import { messageOf, payloadOf } from './payload.ts';

const PERMANENT = new Set([
  'QueueDoesNotExist',
  'InvalidMessageContents',
  'UnsupportedOperation',
  'InvalidAddress',
]);

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

/**
 * Sends one message. On a FIFO queue the idempotency key is the deduplication id, which SQS honours for five
 * minutes; the consumer finds it as an attribute on either kind of queue.
 */
export function createSqsCaller(client: SQSClient) {
  return async function call(
    target: SqsTarget,
    invocation: Invocation,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const fifo = target.queueUrl.endsWith('.fifo');
    try {
      const answer = await client.send(
        new SendMessageCommand({
          QueueUrl: target.queueUrl,
          MessageBody: payloadOf(invocation),
          MessageAttributes: {
            'idempotency-key': text(invocation.idempotencyKey),
            'punctual-scheduled-time': text(toIso(invocation.scheduledTime)),
            'punctual-attempt': text(String(invocation.attempt)),
            'punctual-fencing-token': text(String(invocation.fencingToken)),
          },
          ...(fifo && {
            MessageGroupId: target.messageGroupId ?? invocation.schedule.replaceAll('/', '.').slice(0, 128),
            MessageDeduplicationId: invocation.idempotencyKey,
          }),
        }),
        { abortSignal: signal },
      );
      return { kind: 'succeeded', detail: `SQS ${answer.MessageId}` };
    } catch (error) {
      const cause = signal.aborted && signal.reason instanceof Error ? signal.reason : error;
      return { kind: 'failed', retryable: !PERMANENT.has((error as Error).name), detail: messageOf(cause) };
    }
  };
}
