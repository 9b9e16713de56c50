import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RELAY_FILTER } from '../../lambdas/contract/tables.ts';
import { LOCAL_AWS } from '../../local/engine/aws.ts';
import { trimStreamRecords } from '../../local/engine/stream-records.ts';
import { type StreamMappingOptions, startStreamMapping } from '../../local/sources/stream-mapping.ts';
import { openStream } from '../../local/sources/stream-reader.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';

const namesOf = (records: readonly DynamoDBRecord[]) =>
  records.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S ?? '');

describe('the stream event source mapping on the engine', () => {
  let engine: TestEngine;
  let client: DynamoDBClient;
  let streams: DynamoDBStreamsClient;
  let table: string;
  let checkpoint: string | undefined;

  beforeAll(async () => {
    engine = await startEngine();
    client = new DynamoDBClient({ ...LOCAL_AWS, endpoint: engine.dynamodbEndpoint });
    streams = new DynamoDBStreamsClient({ ...LOCAL_AWS, endpoint: engine.dynamodbEndpoint });
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    table = (await engine.freshTables()).occurrencesTable;
    checkpoint = undefined;
  });

  const put = (pk: string, status: string) =>
    client.send(
      new PutItemCommand({
        TableName: table,
        Item: { pk: { S: pk }, sk: { S: 'O#1' }, status: { S: status } },
      }),
    );

  async function start(overrides: Partial<StreamMappingOptions>) {
    return startStreamMapping({
      reader: await openStream(streams, table, checkpoint),
      invoke: async () => undefined,
      filter: RELAY_FILTER,
      batchSize: 100,
      policy: { maxAttempts: 2, pauseMs: 1, maxPauseMs: 1 },
      saveCheckpoint: async (sequenceNumber) => {
        checkpoint = sequenceNumber;
      },
      keepFailed: async () => {},
      onError: (message) => expect.fail(message),
      ...overrides,
    });
  }
  const until = (condition: () => boolean) =>
    vi.waitFor(() => expect(condition()).toBe(true), { timeout: 10_000, interval: 10 });

  it('hands over what the filter wants, in Lambda’s form and in batches, from the oldest record on', async () => {
    for (let index = 0; index < 5; index += 1) await put(`S#${index}`, index === 2 ? 'running' : 'pending');
    const events: DynamoDBStreamEvent[] = [];
    const seen: string[] = [];
    const mapping = await start({
      batchSize: 3,
      invoke: async (event) => {
        events.push(event as DynamoDBStreamEvent);
      },
      observe: (records) => seen.push(...namesOf(records)),
    });
    await until(() => events.length === 2);
    await mapping.stop();
    expect(events.map(({ Records }) => namesOf(Records))).toEqual([['S#0', 'S#1', 'S#3'], ['S#4']]);
    expect(seen).toEqual(['S#0', 'S#1', 'S#2', 'S#3', 'S#4']);
    const [record] = events[0]?.Records ?? [];
    expect(record).toMatchObject({
      eventSource: 'aws:dynamodb',
      eventName: 'INSERT',
      awsRegion: 'us-east-1',
    });
    expect(record?.dynamodb?.NewImage).toEqual({
      pk: { S: 'S#0' },
      sk: { S: 'O#1' },
      status: { S: 'pending' },
    });
    expect(record?.dynamodb?.ApproximateCreationDateTime).toBeCloseTo(Date.now() / 1000, -2);
  });

  it('goes on behind its checkpoint after a restart, and delivers again what was not done', async () => {
    await put('S#first', 'pending');
    const first = await start({});
    await until(() => checkpoint !== undefined);
    await first.stop();

    await put('S#second', 'pending');
    let refused = 0;
    const second = await start({
      policy: { maxAttempts: 1_000, pauseMs: 1, maxPauseMs: 1 },
      invoke: async (event) => {
        refused += 1;
        const [record] = (event as DynamoDBStreamEvent).Records;
        return { batchItemFailures: [{ itemIdentifier: record?.dynamodb?.SequenceNumber }] };
      },
    });
    await until(() => refused > 0);
    await second.stop();

    const delivered: string[] = [];
    const third = await start({
      invoke: async (event) => {
        delivered.push(...namesOf((event as DynamoDBStreamEvent).Records));
      },
    });
    await until(() => delivered.length > 0);
    await third.stop();
    expect(delivered).toEqual(['S#second']);
  });

  it('keeps a record that nothing can be done with, and goes on behind it', async () => {
    for (const name of ['a', 'poison', 'b', 'c']) await put(name, 'pending');
    const delivered: string[] = [];
    const kept: { names: string[]; reason: string }[] = [];
    const mapping = await start({
      invoke: async (event) => {
        const names = namesOf((event as DynamoDBStreamEvent).Records);
        if (names.includes('poison')) throw new Error('cannot');
        delivered.push(...names);
      },
      keepFailed: async (records, reason) => {
        kept.push({ names: namesOf(records), reason });
      },
    });
    await until(() => delivered.length === 3);
    await mapping.stop();
    expect(delivered).toEqual(['a', 'b', 'c']);
    expect(kept).toEqual([{ names: ['poison'], reason: 'Error: cannot' }]);
  });

  it('reads from the oldest record that is left when its checkpoint was trimmed', async () => {
    for (const name of ['old', 'last']) await put(name, 'pending');
    const first = await start({ batchSize: 1, policy: { maxAttempts: 1, pauseMs: 1, maxPauseMs: 1 } });
    await until(() => checkpoint !== undefined);
    await first.stop();
    checkpoint = '0';
    const inAnHour = Date.now() + 2 * 3_600_000;
    expect(trimStreamRecords(engine.databasePath, inAnHour)).toBeGreaterThan(0);
    await put('new', 'pending');
    const delivered: string[] = [];
    const second = await start({
      invoke: async (event) => {
        delivered.push(...namesOf((event as DynamoDBStreamEvent).Records));
      },
    });
    await until(() => delivered.length === 2);
    await second.stop();
    expect(delivered).toEqual(['last', 'new']);
  });
});
