import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCAL_AWS } from '../../local/engine/aws.ts';
import { type Queues, startQueues } from '../../local/engine/queues.ts';
import { type QueueMappingOptions, startQueueMapping } from '../../local/sources/queue-mapping.ts';

describe('the queue event source mapping', () => {
  let queues: Queues;
  let client: SQSClient;

  // A visibility of one second, so that what was left to it comes again within a test.
  beforeEach(async () => {
    queues = await startQueues({ name: 'test', visibilityTimeoutSeconds: 1, maxReceives: 2 });
    client = new SQSClient({ ...LOCAL_AWS, endpoint: queues.endpoint });
  });
  afterEach(() => queues.stop());

  const send = (...bodies: string[]) =>
    client.send(
      new SendMessageBatchCommand({
        QueueUrl: queues.work.url,
        Entries: bodies.map((body, index) => ({ Id: String(index), MessageBody: body })),
      }),
    );
  const start = (invoke: QueueMappingOptions['invoke'], overrides: Partial<QueueMappingOptions> = {}) =>
    startQueueMapping({
      client,
      queueUrl: queues.work.url,
      queueArn: queues.work.arn,
      invoke,
      batchSize: 10,
      maxConcurrency: 5,
      pollers: 1,
      onError: () => {},
      ...overrides,
    });
  const bodiesOf = (event: SQSEvent) => event.Records.map(({ body }) => body);
  const until = (condition: () => boolean | Promise<boolean>) =>
    vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 15_000, interval: 20 });
  async function counts() {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: queues.work.url, AttributeNames: ['All'] }),
    );
    return [Attributes?.ApproximateNumberOfMessages, Attributes?.ApproximateNumberOfMessagesNotVisible].map(
      Number,
    );
  }

  it('hands a batch over in Lambda’s form and deletes it when it succeeds', async () => {
    await send('a', 'b');
    const events: SQSEvent[] = [];
    const mapping = start(async (event) => {
      events.push(event);
    });
    await until(async () => events.length > 0 && (await counts()).join() === '0,0');
    await mapping.stop();
    expect(events.flatMap(bodiesOf)).toEqual(['a', 'b']);
    expect(events[0]?.Records[0]).toMatchObject({
      eventSource: 'aws:sqs',
      eventSourceARN: queues.work.arn,
      attributes: { ApproximateReceiveCount: '1' },
    });
  });

  it('deletes the successes of a batch and leaves its failures to the visibility timeout', async () => {
    await send('good', 'bad');
    const seen: string[] = [];
    const mapping = start(async (event) => {
      seen.push(...bodiesOf(event));
      const failed = event.Records.filter(
        ({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1',
      );
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    await until(() => seen.length === 3);
    await mapping.stop();
    expect(seen).toEqual(['good', 'bad', 'bad']);
  });

  it('takes a batch as failed when its invocation is, or when its answer names a message that is not in it', async () => {
    await send('one');
    let invocations = 0;
    const mapping = start(async () => {
      invocations += 1;
      if (invocations === 1) throw new Error('down');
      return { batchItemFailures: [{ itemIdentifier: 'unknown' }] };
    });
    await until(() => invocations === 2);
    // Two receives are allowed; the third look moves it to the dead-letter queue.
    const dead = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queues.deadLetters.url, WaitTimeSeconds: 10 }),
    );
    await mapping.stop();
    expect(dead.Messages?.map(({ Body }) => Body)).toEqual(['one']);
  });

  it('does not wait for a batch before it takes the next, up to its concurrency', async () => {
    const release = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const mapping = start(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await release.promise;
        running -= 1;
      },
      { batchSize: 1, maxConcurrency: 3 },
    );
    await send('a', 'b', 'c', 'd', 'e');
    await until(async () => running === 3 && (await counts())[1] === 3);
    release.resolve();
    await until(async () => (await counts()).join() === '0,0');
    await mapping.stop();
    expect(most).toBe(3);
  });

  it('lets what runs finish when it is stopped, and takes nothing more', async () => {
    const release = Promise.withResolvers<void>();
    const ended: string[] = [];
    let invocations = 0;
    const mapping = start(async (event) => {
      invocations += 1;
      await release.promise;
      ended.push(...bodiesOf(event));
    });
    await send('a');
    await until(() => invocations === 1);
    const stopped = mapping.stop();
    await send('late');
    release.resolve();
    await stopped;
    expect(ended).toEqual(['a']);
    expect(invocations).toBe(1);
  });
});
