import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { LOCAL_AWS } from '../engine/aws.ts';
import type { Mapping } from './stream-mapping.ts';

/** AWS: the longest long poll. */
const WAIT_SECONDS = 20;
const ERROR_PAUSE = 1_000;
/**
 * AWS: Lambda starts with five invocations at once and adds 300 a minute while the queue is not empty. Here
 * that also keeps a burst from starting hundreds of claims at once, of which the first would end with the last.
 */
const FIRST_CONCURRENCY = 5;
const GROWTH_EVERY = 200;

export interface QueueMappingOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly invoke: (event: SQSEvent) => Promise<unknown>;
  readonly batchSize: number;
  /** Invocations under way at once, after growing to it. */
  readonly maxConcurrency: number;
  /** Receives under way at once; each starts an invocation and asks again without waiting for it. */
  readonly pollers: number;
  readonly onError: (message: string) => void;
}

/**
 * SQS → function: at least once. What the function does not report as failed is deleted; what it does, and
 * all of a batch whose invocation failed, is left to the visibility timeout.
 */
export function startQueueMapping(options: QueueMappingOptions): Mapping {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Set<Promise<void>>();
  let concurrency = Math.min(FIRST_CONCURRENCY, options.maxConcurrency);

  /** Until one of those under way has ended, or there may be one more. */
  async function spare(): Promise<void> {
    const grown = sleep(GROWTH_EVERY, 'grown', { signal }).catch(() => undefined);
    if ((await Promise.race([...running, grown])) !== 'grown') return;
    concurrency = Math.min(concurrency + 1, options.maxConcurrency);
  }

  async function poll(): Promise<void> {
    while (!signal.aborted) {
      if (running.size >= concurrency) {
        await spare();
        continue;
      }
      try {
        const messages = await receive(options, signal);
        if (messages.length === 0) {
          concurrency = Math.min(FIRST_CONCURRENCY, options.maxConcurrency);
          continue;
        }
        const invocation = work(options, messages).finally(() => running.delete(invocation));
        running.add(invocation);
      } catch (error) {
        if (signal.aborted) return;
        options.onError(`The work queue: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(ERROR_PAUSE, undefined, { signal }).catch(() => {});
      }
    }
  }

  const polling = Promise.all(Array.from({ length: options.pollers }, poll));
  return {
    async stop() {
      stopping.abort();
      await polling;
      await Promise.all(running);
    },
  };
}

async function receive({ client, queueUrl, batchSize }: QueueMappingOptions, abortSignal: AbortSignal) {
  const answer = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: WAIT_SECONDS,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
    { abortSignal },
  );
  return answer.Messages ?? [];
}

async function work(options: QueueMappingOptions, messages: readonly Message[]): Promise<void> {
  const { client, queueUrl, onError } = options;
  try {
    const answer = await options.invoke({
      Records: messages.map((message) => lambdaRecord(message, options.queueArn)),
    });
    const done = succeeded(answer, messages);
    if (done.length === 0) return;
    const entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const deleted = await client.send(
      new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }),
    );
    for (const failed of deleted.Failed ?? [])
      onError(`A message was not deleted and will come again: ${failed.Message}`);
  } catch (error) {
    onError(`A batch of the work queue failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** An identifier that is not of this batch, or none: Lambda then takes the whole batch as failed. */
function succeeded(answer: unknown, messages: readonly Message[]): readonly Message[] {
  const failures = (
    answer as { batchItemFailures?: { itemIdentifier?: unknown }[] | null } | null | undefined
  )?.batchItemFailures;
  const failed = new Set((failures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  const known = new Set<unknown>(messages.map(({ MessageId }) => MessageId));
  if ([...failed].some((id) => !known.has(id))) return [];
  return messages.filter(({ MessageId }) => !failed.has(MessageId));
}

function lambdaRecord(message: Message, eventSourceARN: string): SQSRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: (message.Attributes ?? {}) as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { StringValue, DataType }]) => [
        name,
        { stringValue: StringValue, dataType: DataType ?? 'String' },
      ]),
    ) as SQSRecord['messageAttributes'],
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: LOCAL_AWS.region,
  };
}
