import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { DEAD_LETTER_REASON, type WorkMessage } from '../../contract/message.ts';
import { MAX_DELAY_SECONDS } from '../../contract/topology.ts';
import type { Dispatch } from '../../core/occurrence/dispatch.ts';
import type { QueueCounts } from '../../core/occurrence/redispatch-pace.ts';
import type { DeadLetters, MessageVisibility, WorkQueue } from '../../core/ports/work-queue.ts';
import { type EpochMs, SECOND } from '../../core/time.ts';

/** AWS: API_SendMessageBatch. Ten of our messages are about 2 KB, far below its 1 MiB. */
export const MAX_BATCH = 10;

/**
 * Whole seconds until due, rounded down: the message arrives up to a second early and the worker waits out
 * the rest. Computed when it is sent, since a stream record may have waited.
 */
export function delaySeconds(dueAt: EpochMs, now: EpochMs): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.floor((dueAt - now) / SECOND)));
}

export function createWorkQueue(client: SQSClient, queueUrl: string): WorkQueue {
  return {
    async send(batch, now) {
      if (batch.length > MAX_BATCH)
        throw new Error(`A batch takes ${MAX_BATCH} messages, not ${batch.length}.`);
      const answer = await client.send(
        new SendMessageBatchCommand({
          QueueUrl: queueUrl,
          Entries: batch.map((dispatch, index) => ({
            Id: String(index),
            MessageBody: JSON.stringify(messageOf(dispatch)),
            DelaySeconds: delaySeconds(dispatch.dueAt, now),
            // On a standard queue this makes it a fair queue: one group's backlog does not hold up another's.
            MessageGroupId: dispatch.group,
          })),
        }),
      );
      return (answer.Failed ?? []).map((failed) => ({
        index: Number(failed.Id),
        reason: `${failed.Code ?? 'unknown'}: ${failed.Message ?? ''}`,
      }));
    },
  };
}

function messageOf(dispatch: Dispatch): WorkMessage {
  const { id, seq, dueAt, places } = dispatch;
  return { id, seq, dueAt, ...(places && { places }) };
}

/** What a worker may take now, and what workers hold; messages whose delay is not over are in neither. */
export async function countMessages(client: SQSClient, queueUrl: string): Promise<QueueCounts> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    visible: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
    inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
}

export function createMessageVisibility(client: SQSClient, queueUrl: string): MessageVisibility {
  return {
    async showAgain(receiptHandle, seconds) {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    },
  };
}

export function createDeadLetters(client: SQSClient, queueUrl: string): DeadLetters {
  return {
    async reject(body, reason) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: body,
          MessageAttributes: {
            [DEAD_LETTER_REASON]: { DataType: 'String', StringValue: reason.slice(0, 1024) },
          },
        }),
      );
    },
  };
}
