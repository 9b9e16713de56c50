import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEventBusCaller } from '../../lambdas/adapters/targets/event-bus.ts';
import { createSnsCaller } from '../../lambdas/adapters/targets/sns.ts';
import { createStateMachineCaller } from '../../lambdas/adapters/targets/state-machine.ts';
import { scheduleId } from '../../lambdas/core/ids.ts';
import { invocation } from '../support/invocation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const never = new AbortController().signal;

describe('the sns target', () => {
  let server: FauxqsServer;
  let sns: SNSClient;
  let sqs: SQSClient;
  beforeAll(async () => {
    server = await startFauxqs({ port: 0, logger: false });
    const config = { endpoint: server.address, region: 'us-east-1', credentials, maxAttempts: 1 };
    [sns, sqs] = [new SNSClient(config), new SQSClient(config)];
  });
  afterAll(async () => {
    sns.destroy();
    sqs.destroy();
    await server.stop();
  });

  it('publishes the payload with the idempotency key as an attribute', async () => {
    const { queueUrl } = server.createQueue('subscriber');
    const { topicArn } = server.createTopic('reports');
    server.subscribe({ topic: 'reports', queue: 'subscriber', attributes: { RawMessageDelivery: 'true' } });
    expect((await createSnsCaller(() => sns)({ kind: 'sns', topicArn }, invocation, never)).kind).toBe(
      'succeeded',
    );
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MessageAttributeNames: ['All'], WaitTimeSeconds: 2 }),
    );
    expect(JSON.parse(Messages?.[0]?.Body ?? '')).toMatchObject({ idempotencyKey: 'key-1' });
    expect(Messages?.[0]?.MessageAttributes?.['idempotency-key']?.StringValue).toBe('key-1');
  });

  it('fails for good when the topic does not exist', async () => {
    const topicArn = 'arn:aws:sns:us-east-1:000000000000:nowhere';
    expect(await createSnsCaller(() => sns)({ kind: 'sns', topicArn }, invocation, never)).toMatchObject({
      kind: 'failed',
      retryable: false,
    });
  });
});

// The real SDK clients against a server that speaks their protocol: these services cannot run here.
let service: Receiver | undefined;
afterEach(() => service?.close());

async function serving(status: number, body: unknown) {
  service = await startReceiver((_, response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  });
  return { endpoint: service.url, region: 'us-east-1', credentials, maxAttempts: 1 };
}

describe('an sns topic that is FIFO', () => {
  it('is given a message group that it takes, however long the names are', async () => {
    const client = new SNSClient(await serving(400, {}));
    const topicArn = 'arn:aws:sns:us-east-1:000000000000:ordered.fifo';
    const schedule = scheduleId('g'.repeat(64), 'n'.repeat(64));
    await createSnsCaller(() => client)({ kind: 'sns', topicArn }, { ...invocation, schedule }, never);
    const sent = new URLSearchParams(service?.received[0]?.body);
    expect(sent.get('MessageGroupId')).toBe(`${'g'.repeat(64)}.${'n'.repeat(63)}`);
    expect(sent.get('MessageDeduplicationId')).toBe('key-1');
  });
});

describe('the event bus target', () => {
  const target = { kind: 'eventBus', eventBusArn: 'arn:aws:events:us-east-1:1:event-bus/jobs' } as const;
  const call = async (status: number, body: unknown, changes = {}) => {
    const client = new EventBridgeClient(await serving(status, body));
    return createEventBusCaller(() => client)({ ...target, ...changes }, invocation, never);
  };

  it('puts one event with the payload as its detail', async () => {
    const answer = { FailedEntryCount: 0, Entries: [{ EventId: 'e1' }] };
    expect(await call(200, answer)).toEqual({ kind: 'succeeded', detail: 'EventBridge e1' });
    const sent = JSON.parse(service?.received[0]?.body ?? '').Entries[0];
    expect(sent).toMatchObject({
      EventBusName: target.eventBusArn,
      Source: 'punctual',
      DetailType: 'Scheduled Occurrence',
    });
    expect(JSON.parse(sent.Detail)).toMatchObject({ idempotencyKey: 'key-1', attempt: 2 });
  });

  it('takes the detail type of the schedule', async () => {
    await call(200, { FailedEntryCount: 0, Entries: [{ EventId: 'e1' }] }, { detailType: 'Report due' });
    expect(JSON.parse(service?.received[0]?.body ?? '').Entries[0].DetailType).toBe('Report due');
  });

  it.each([
    ['InternalFailure', true],
    ['ThrottlingException', true],
    ['MalformedDetail', false],
  ])('knows from an entry that failed with %s whether trying again can help', async (code, retryable) => {
    const answer = { FailedEntryCount: 1, Entries: [{ ErrorCode: code, ErrorMessage: 'no' }] };
    expect(await call(200, answer)).toMatchObject({ kind: 'failed', retryable, detail: `${code}: no` });
  });

  it('fails for good when the bus does not exist', async () => {
    expect(await call(400, { __type: 'ResourceNotFoundException', message: 'no' })).toMatchObject({
      kind: 'failed',
      retryable: false,
    });
  });
});

describe('the state machine target', () => {
  const target = {
    kind: 'stateMachine',
    stateMachineArn: 'arn:aws:states:us-east-1:1:stateMachine:m',
  } as const;
  const call = async (status: number, body: unknown) => {
    const client = new SFNClient(await serving(status, body));
    return createStateMachineCaller(() => client)(target, invocation, never);
  };

  it('starts an execution that is named by the idempotency key', async () => {
    const answer = { executionArn: 'arn:x', startDate: 1 };
    expect(await call(200, answer)).toEqual({ kind: 'succeeded', detail: 'Execution arn:x' });
    expect(JSON.parse(service?.received[0]?.body ?? '')).toMatchObject({ name: 'key-1' });
  });

  it('takes an execution that an earlier attempt started for its own', async () => {
    expect((await call(400, { __type: 'ExecutionAlreadyExists', message: 'exists' })).kind).toBe('succeeded');
  });

  it.each([
    ['StateMachineDoesNotExist', false],
    ['ExecutionLimitExceeded', true],
  ])('knows from %s whether trying again can help', async (type, retryable) => {
    expect(await call(400, { __type: type, message: 'no' })).toMatchObject({ kind: 'failed', retryable });
  });
});
