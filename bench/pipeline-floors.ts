import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { LOCAL_AWS } from '../local/engine/aws.ts';
import { startDynoxide } from '../local/engine/dynoxide.ts';
import { createTables } from '../local/engine/tables.ts';
import { temporaryDirectory } from '../local/engine/temporary.ts';
import type { Receiver } from '../test/support/engine-receiver.ts';
import { percentile } from './pipeline-stats.ts';

export interface Floors {
  /** Puts a second into the occurrences table with its stream and indexes, from one client. */
  readonly writesPerSecond: number;
  /** Milliseconds; median POST to the receiver over a kept-alive connection. */
  readonly roundTripMs: number;
}

const WRITES = 3_000;
const ROUND_TRIPS = 500;

/** What the pieces do by themselves on this machine in this minute: what the pipeline is to be compared with. */
export async function measureFloors(receiver: Receiver): Promise<Floors> {
  return { writesPerSecond: await measureWrites(), roundTripMs: await measureRoundTrip(receiver.url) };
}

async function measureWrites(): Promise<number> {
  const directory = temporaryDirectory('punctual-bench-');
  const engine = await startDynoxide(directory.path, { throwAway: true });
  const tables = { schedulesTable: 'schedules', occurrencesTable: 'occurrences' };
  await createTables(engine.endpoint, tables);
  const client = new DynamoDBClient({ ...LOCAL_AWS, endpoint: engine.endpoint });
  const put = (index: number) =>
    client.send(
      new PutItemCommand({
        TableName: tables.occurrencesTable,
        Item: {
          pk: { S: `S#bench/job-${index}` },
          sk: { S: 'O#2026-01-01T00:00:00.000Z#1' },
          status: { S: 'pending' },
          open_shard: { N: String(index % 4) },
          due_at: { N: String(1_767_225_600_000 + index) },
        },
      }),
    );
  const indexes = Array.from({ length: WRITES }, (_, index) => index);
  await pMap(indexes.slice(0, 200), put, { concurrency: 16 });
  const startedAt = performance.now();
  await pMap(indexes, put, { concurrency: 16 });
  const rate = (WRITES / (performance.now() - startedAt)) * 1_000;
  await engine.stop();
  directory.remove();
  return rate;
}

async function measureRoundTrip(url: string): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < ROUND_TRIPS; index += 1) {
    const startedAt = performance.now();
    await (await fetch(url, { method: 'POST', body: '{}' })).text();
    times.push(performance.now() - startedAt);
  }
  return percentile(times, 50);
}
