import { LambdaClient } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDeadLetters, createWorkQueue } from '../../lambdas/adapters/sqs/work-queue.ts';
import { createLambdaCaller } from '../../lambdas/adapters/targets/lambda.ts';
import { createSqsCaller } from '../../lambdas/adapters/targets/sqs.ts';
import { DEAD_LETTER_REASON } from '../../lambdas/contract/message.ts';
import { NOON } from '../support/fixtures.ts';
import { invocation } from '../support/invocation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const never = new AbortController().signal;

describe('the sqs target', () => {
  let server: FauxqsServer;
  let client: SQSClient;
  beforeAll(async () => {
    server = await startFauxqs({ port: 0, logger: false });
    client = new SQSClient({
      endpoint: server.address,
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
      useQueueUrlAsEndpoint: false,
    });
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  async function receive(QueueUrl: string) {
    const answer = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return answer.Messages ?? [];
  }

  it('sends the payload, with the idempotency key as an attribute', async () => {
    const { queueUrl, queueArn } = server.createQueue('plain');
    const result = await createSqsCaller(() => client)({ kind: 'sqs', queueArn }, invocation, never);
    expect(result.kind).toBe('succeeded');
    const [message] = await receive(queueUrl);
    expect(JSON.parse(message?.Body ?? '')).toMatchObject({ idempotencyKey: 'key-1', input: { order: 5 } });
    expect(message?.MessageAttributes?.['idempotency-key']?.StringValue).toBe('key-1');
  });

  it('lets a FIFO queue take one occurrence once, however many attempts there are', async () => {
    const { queueUrl, queueArn } = server.createQueue('ordered.fifo', { attributes: { FifoQueue: 'true' } });
    const call = createSqsCaller(() => client);
    await call({ kind: 'sqs', queueArn }, invocation, never);
    await call({ kind: 'sqs', queueArn }, { ...invocation, attempt: 3 }, never);
    const messages = await receive(queueUrl);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.Attributes).toMatchObject({ MessageDeduplicationId: 'key-1', MessageGroupId: 'g.n' });
  });

  it('fails for good when the queue does not exist', async () => {
    const { queueArn } = server.createQueue('gone');
    server.deleteQueue('gone');
    expect(await createSqsCaller(() => client)({ kind: 'sqs', queueArn }, invocation, never)).toMatchObject({
      kind: 'failed',
      retryable: false,
    });
  });

  it('may be tried again when the service does not answer', async () => {
    const nobody = new SQSClient({
      endpoint: 'http://127.0.0.1:9',
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
    });
    const target = { kind: 'sqs', queueArn: 'arn:aws:sqs:us-east-1:000000000000:q' } as const;
    expect(await createSqsCaller(() => nobody)(target, invocation, never)).toMatchObject({
      kind: 'failed',
      retryable: true,
    });
  });

  it('work queue: sends messages with their fair-queue group', async () => {
    const { queueUrl } = server.createQueue('work');
    const queue = createWorkQueue(client, queueUrl);
    expect(await queue.send([{ id: invocation.id, seq: 4, dueAt: NOON, group: 'g' }], NOON)).toEqual([]);
    const [message] = await receive(queueUrl);
    expect(JSON.parse(message?.Body ?? '')).toEqual({ id: invocation.id, seq: 4, dueAt: NOON });
  });

  it('dead letters: keep the message with the reason why it is there', async () => {
    const { queueUrl } = server.createQueue('dead');
    await createDeadLetters(client, queueUrl).reject('{broken', 'Not JSON');
    const [message] = await receive(queueUrl);
    expect(message?.Body).toBe('{broken');
    expect(message?.MessageAttributes?.[DEAD_LETTER_REASON]?.StringValue).toBe('Not JSON');
  });
});

describe('the lambda target', () => {
  // The real SDK client against a server that speaks the Invoke API: functions cannot run here.
  let service: Receiver | undefined;
  afterEach(() => service?.close());
  const target = {
    kind: 'lambda',
    functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:job',
  } as const;

  async function invokeWith(status: number, headers: Record<string, string>, body: unknown) {
    service = await startReceiver((_, response) => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    });
    const client = new LambdaClient({
      endpoint: service.url,
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
    });
    return createLambdaCaller(() => client)(target, invocation, never);
  }

  it('waits for the result and gives the function the payload', async () => {
    expect(await invokeWith(200, {}, { fine: true })).toEqual({ kind: 'succeeded', detail: 'Lambda 200' });
    const [request] = service?.received ?? [];
    expect(decodeURIComponent(request?.path ?? '')).toBe(
      '/2015-03-31/functions/arn:aws:lambda:us-east-1:123456789012:function:job/invocations',
    );
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ idempotencyKey: 'key-1', attempt: 2 });
  });

  it('fails when the function threw, and may be tried again', async () => {
    const result = await invokeWith(200, { 'x-amz-function-error': 'Unhandled' }, { errorMessage: 'boom' });
    expect(result).toMatchObject({
      kind: 'failed',
      retryable: true,
      detail: expect.stringContaining('boom'),
    });
  });

  it.each([
    [404, 'ResourceNotFoundException', false],
    [413, 'RequestTooLargeException', false],
    [429, 'TooManyRequestsException', true],
    [500, 'ServiceException', true],
  ])('on %i %s says whether trying again can help', async (status, type, retryable) => {
    const result = await invokeWith(status, { 'x-amzn-errortype': type }, { message: 'no', Type: 'User' });
    expect(result).toMatchObject({ kind: 'failed', retryable });
    expect(service?.received).toHaveLength(1);
  });
});
