import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { HttpRequest } from '@smithy/types';
import type { DynamoDBRecord } from 'aws-lambda';
import { createDocumentClient, createPlanningStore } from '../../../lambdas/adapters/dynamodb/index.ts';
import { SHARD_COUNT_KEY } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { type EpochMs, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { LOCAL_AWS } from '../../../local/engine/aws.ts';
import { openStream } from '../../../local/sources/stream-reader.ts';
import type { TestEngine } from '../../support/engine.ts';
import { NOON } from '../../support/fixtures.ts';
import { retryOfProcess, tapClient } from './dynamodb-tap.ts';

/** The version of the zone data that all processes compute with. */
export const ZONE_DATA = 'of the test';

/**
 * By the clock on the wall, which the time of a world knows nothing of: how long a busy machine takes is no fault of a call.
 * Those that get no answer wait by the world's clock.
 */
const PATIENCE = { connectWithin: MINUTE, answerWithin: 2 * MINUTE };

/** The engine wants to see a signature and does not check it; making a real one takes as long as the call. */
const signer = {
  async sign(request: HttpRequest): Promise<HttpRequest> {
    const headers = {
      ...request.headers,
      'x-amz-date': '20260301T120000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260301/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    };
    return Object.assign(request, { headers });
  },
};

/**
 * A pair of tables with its stream, for worlds that come one after the other: new tables for each of a thousand
 * worlds would take longer than the worlds do. Each has schedules of its own and begins at a later hour, and
 * when it has come to rest nothing of it is open any more.
 */
export async function openLane(engine: TestEngine, { shardCount = 1 } = {}) {
  const tables = await engine.freshTables();
  const base = { ...LOCAL_AWS, endpoint: engine.dynamodbEndpoint, signer };
  // Looks behind the scenes: never counted, never made to fail.
  const observer = createDocumentClient(base, PATIENCE);
  const { requestHandler } = observer.config;
  const client = createDocumentClient({ ...base, requestHandler, retryStrategy: retryOfProcess }, PATIENCE);
  tapClient(client);
  const streams = new DynamoDBStreamsClient(base);
  const stream = await openStream(streams, tables.occurrencesTable, undefined);
  const context = { ...tables, shardCount, retentionDays: 30 };
  // Walked for this version already. The first tick would make calls that those of later worlds do not make, and the
  // faults that are planned for a call of the first world would meet other calls in the next ones.
  const planning = createPlanningStore({ ...context, client: observer });
  for (let shard = 0; shard < shardCount; shard += 1)
    await planning.saveShardZones(shard, { zoneData: ZONE_DATA });
  let next = NOON;
  let worlds = 0;
  return {
    /** Of all processes; each has it under its own name (`ownedBy`). */
    client,
    context,
    observer,
    readStream: (): Promise<readonly DynamoDBRecord[]> => stream.read(),
    /** A number and a start for a world; it calls `leave` with the time at which it ended. */
    enter() {
      worlds += 1;
      return { number: worlds, start: next };
    },
    /** Forgets the largest shard count ever used, where a world has changed it. */
    async forgetShardCount() {
      const command = new DeleteCommand({ TableName: tables.schedulesTable, Key: { ...SHARD_COUNT_KEY } });
      await observer.send(command);
    },
    leave(at: EpochMs) {
      next = epochMs((Math.floor(at / HOUR) + 2) * HOUR);
    },
    close() {
      observer.destroy();
      streams.destroy();
    },
  };
}

export type Lane = Awaited<ReturnType<typeof openLane>>;
