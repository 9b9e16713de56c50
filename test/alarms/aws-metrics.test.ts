import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { outboxRecordOf } from '../../lambdas/adapters/dynamodb/stream.ts';
import { createDeadLetters } from '../../lambdas/adapters/sqs/work-queue.ts';
import { METRIC_NAMESPACE } from '../../lambdas/contract/metrics.ts';
import { RELAY_FILTER } from '../../lambdas/contract/tables.ts';
import { HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { relay } from '../../lambdas/relay/relay.ts';
import { handleMessage } from '../../lambdas/worker/message.ts';
import { LOCAL_AWS } from '../../local/engine/aws.ts';
import { type Queues, startQueues } from '../../local/engine/queues.ts';
import { startStreamMapping } from '../../local/sources/stream-mapping.ts';
import { openStream } from '../../local/sources/stream-reader.ts';
import { apiWith, openApi, pathOf, type TestApi } from '../functions/api/api.ts';
import { deployment } from '../support/alarms/deployment.ts';
import { type Minute, stateAfter } from '../support/alarms/evaluate.ts';
import { alarmsOf, type TemplateAlarm } from '../support/alarms/template.ts';
import { invoked } from '../support/emf.ts';
import { freshId } from '../support/fixtures.ts';
import { seedSchedule } from '../support/seed.ts';
import { testWorker } from '../support/worker.ts';

const ALARMS = alarmsOf();

function alarmOf(id: string): TemplateAlarm {
  const alarm = ALARMS.get(id);
  if (!alarm) throw new Error(`There is no alarm ${id}.`);
  return alarm;
}

/** The state after minutes in each of which the alarm's only metric had this one value, or none. */
function stateWith(id: string, values: readonly (number | undefined)[]): 'ALARM' | 'OK' {
  const alarm = alarmOf(id);
  const [metric, ...more] = alarm.metrics;
  if (!metric || more.length > 0) throw new Error(`${id} has more than one metric.`);
  return stateAfter(
    alarm,
    values.map((value) => (value === undefined ? {} : { [metric.name]: [value] })),
  );
}

let api: TestApi;
let queues: Queues;
let sqs: SQSClient;
beforeAll(async () => {
  api = await openApi();
  queues = await startQueues({ name: 'alarms', visibilityTimeoutSeconds: 60, maxReceives: 1 });
  sqs = new SQSClient({ ...LOCAL_AWS, endpoint: queues.endpoint });
});
afterAll(async () => {
  sqs.destroy();
  await queues.stop();
  await api.close();
});

/** AWS: Available CloudWatch metrics for Amazon SQS. */
async function visible(url: string): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages'] }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}

describe('dead-letters', () => {
  it('is on once a worker has put a message there', async () => {
    expect(stateWith('dead-letters', [await visible(queues.deadLetters.url)])).toBe('OK');
    const { deps } = testWorker(api.stores, async () => ({ kind: 'succeeded' }));
    const deadLetters = createDeadLetters(sqs, queues.deadLetters.url);
    await invoked(() => handleMessage({ ...deps, deadLetters }, 'no message', 'worker'));
    expect(stateWith('dead-letters', [await visible(queues.deadLetters.url)])).toBe('ALARM');
  });
});

describe('queue-age', () => {
  it('is on when a message has been there for longer than two workers could need', async () => {
    await sqs.send(new SendMessageCommand({ QueueUrl: queues.work.url, MessageBody: '{}' }));
    const { Messages: [message] = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queues.work.url,
        VisibilityTimeout: 0,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    );
    const sent = Number(message?.Attributes?.SentTimestamp);
    const ageAt = (now: number) => (now - sent) / SECOND;
    const minutesFrom = (from: number) => [0, 1, 2].map((minute) => ageAt(sent + from + minute * MINUTE));
    expect(stateWith('queue-age', minutesFrom(HOUR + 30 * MINUTE))).toBe('OK');
    expect(stateWith('queue-age', minutesFrom(2 * HOUR + MINUTE))).toBe('ALARM');
  });
});

/** Hands the records of the occurrences stream over as the event source mapping does. */
async function streamed(invoke: (records: readonly DynamoDBRecord[]) => Promise<unknown>) {
  const streams = new DynamoDBStreamsClient({ ...LOCAL_AWS, endpoint: api.stores.endpoint });
  const kept: DynamoDBRecord[] = [];
  let batches = 0;
  const mapping = startStreamMapping({
    reader: await openStream(streams, api.stores.occurrencesTable, undefined),
    invoke: async (event) => {
      batches += 1;
      return invoke((event as DynamoDBStreamEvent).Records);
    },
    filter: RELAY_FILTER,
    batchSize: 100,
    policy: { maxAttempts: 2, pauseMs: 1, maxPauseMs: 1 },
    saveCheckpoint: async () => {},
    keepFailed: async (records) => void kept.push(...records),
    onError: (message) => expect.fail(message),
  });
  const until = (condition: () => boolean) =>
    vi.waitFor(() => expect(condition()).toBe(true), { timeout: 10_000, interval: 10 });
  return { kept, batches: () => batches, until, stop: () => mapping.stop().then(() => streams.destroy()) };
}

describe('relay-behind', () => {
  it('is on when the relay is handed records that are older than half the lead', async () => {
    const created = Math.floor(Date.now() / SECOND);
    await seedSchedule(api.stores, [api.clock.now()]);
    const ages: number[] = [];
    const lateBy = 61 * SECOND;
    const mapping = await streamed(async (records) => {
      const last = records.at(-1)?.dynamodb?.ApproximateCreationDateTime ?? 0;
      // AWS: IteratorAge is the age of the last record of a batch when the function receives it. Here it comes at
      // once; what is added is what the function would have been late by.
      ages.push(Math.max(0, Date.now() - last * SECOND));
    });
    await mapping.until(() => ages.length > 0);
    await mapping.stop();
    const age = Math.max(...ages);
    expect(age).toBeLessThanOrEqual(Date.now() - created * SECOND);
    expect(stateWith('relay-behind', [age, age, age])).toBe('OK');
    expect(stateWith('relay-behind', [age + lateBy, age + lateBy, undefined])).toBe('OK');
    expect(stateWith('relay-behind', [age + lateBy, age + lateBy, age + lateBy])).toBe('ALARM');
  });
});

describe('records-failed and relay-errors', () => {
  it('are on when the queue takes nothing, until records are given up', async () => {
    await seedSchedule(api.stores, [api.clock.now()]);
    const broken = { send: () => Promise.reject(new Error('QueueDoesNotExist')) };
    let errors = 0;
    const mapping = await streamed(async (records) => {
      const { failed } = await relay({ queue: broken, clock: api.clock }, records.map(outboxRecordOf));
      return { batchItemFailures: failed.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
    });
    await mapping.until(() => mapping.kept.length > 0);
    await mapping.stop();
    expect(stateWith('records-failed', [0, undefined])).toBe('OK');
    // One delivery to the bucket is one event, whatever number of records is in it.
    expect(stateWith('records-failed', [1])).toBe('ALARM');
    // The relay answers which records come again, and throws only for what it cannot read at all.
    const unreadable = {
      dynamodb: { Keys: { sk: { S: 'O#1' } }, NewImage: { pk: { S: 'x' }, sk: { S: 'x' } } },
    };
    await Promise.resolve()
      .then(() => outboxRecordOf(unreadable as DynamoDBRecord))
      .catch(() => {
        errors += 1;
      });
    expect(stateWith('relay-errors', [errors, undefined, undefined, undefined, errors])).toBe('ALARM');
    expect(stateWith('relay-errors', [errors])).toBe('OK');
  });
});

describe('tick-errors', () => {
  it('is on when a schedule cannot be planned', async () => {
    const { minutes } = deployment(api);
    await seedSchedule(api.stores, [], { head: { nextDueAt: api.clock.now() } });
    const alarm = alarmOf('tick-errors');
    expect(stateAfter(alarm, await minutes(0, 1))).toBe('OK');
    expect(stateAfter(alarm, await minutes(20, 2, { unplannable: true }))).toBe('ALARM');
  });
});

/** A table that does not answer. */
const broken = new Proxy({}, { get: () => () => Promise.reject(new Error('The table does not answer.')) });

describe('api-5xx and the other functions’ errors', () => {
  it('are on when the table does not answer', async () => {
    const app = apiWith({ ...api.deps, schedules: broken as TestApi['deps']['schedules'] });
    const minute = async (): Promise<Minute> => {
      const { status } = await app.get(pathOf(freshId()));
      return { '5xx': status >= 500 ? [1] : [] };
    };
    expect(stateAfter(alarmOf('api-5xx'), [await minute()])).toBe('OK');
    expect(stateAfter(alarmOf('api-5xx'), [await minute(), await minute()])).toBe('ALARM');
  });
});

describe('alarms on what only AWS can do', () => {
  // Lambda refusing to start a function, DynamoDB refusing a request, a mapping that cannot keep a record, a process
  // that is killed for its memory or time: no engine here does these. What is checked is when they would be heard.
  it.each([
    ['records-dropped', [1], [0]],
    ['functions-throttled', [1, 0, 1, 1], [1, 0, 0, 1]],
    ['schedules-throttled', [1, 1, 1, 1, 1], [5, 5, 5, 5, 0]],
    ['occurrences-throttled', [1, 1, 1, 1, 1], [5, 5, 5, 5, 0]],
    ['worker-errors', [1, 0, 0, 1], [9, 0, 0, 0, 0]],
    ['sweep-errors', [1, 1], [1, 0, 0, 0, 0]],
    ['api-errors', [1, 1], [1, 0, 0, 0, 0]],
  ])('%s is on after %j and off after %j events a minute', (id, on, off) => {
    const alarm = alarmOf(id);
    // Any of its metrics alone is enough.
    for (const { name } of alarm.metrics) {
      const of = (counts: readonly number[]): Minute[] =>
        counts.map((count) =>
          count > 0 ? { [name]: [count / alarm.metrics.filter((m) => m.name === name).length] } : {},
        );
      expect(stateAfter(alarm, of(on))).toBe('ALARM');
      expect(stateAfter(alarm, of(off))).toBe('OK');
    }
  });

  it('and those above are all alarms on metrics of AWS', () => {
    const drilled = [
      'dead-letters',
      'queue-age',
      'relay-behind',
      'records-failed',
      'relay-errors',
      'tick-errors',
    ];
    const checked = ['api-5xx', 'records-dropped', 'functions-throttled', 'schedules-throttled'];
    const rest = ['occurrences-throttled', 'worker-errors', 'sweep-errors', 'api-errors'];
    const foreign = [...ALARMS.values()].filter(({ metrics }) =>
      metrics.some(({ namespace }) => namespace !== METRIC_NAMESPACE),
    );
    expect(foreign.map(({ id }) => id).toSorted()).toEqual([...drilled, ...checked, ...rest].toSorted());
  });
});
