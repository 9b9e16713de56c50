import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  ResourceNotFoundException,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { LOCAL_AWS } from '../engine/aws.ts';

/** AWS: GetRecords gives at most this many. */
export const MAX_RECORDS = 1000;

export interface StreamReader {
  readonly streamArn: string;
  /** The next records in order; none when the end is reached for now. */
  read(): Promise<readonly DynamoDBRecord[]>;
}

/** Where a reader is: in which shard, and behind which record of it. */
interface Position {
  readonly shardId: string | undefined;
  readonly after: string | undefined;
}

/**
 * Reads a table's stream from behind `after`, or from its oldest record, shard by shard from parent to child. The
 * embedded engine keeps one shard; DynamoDB Local closes a shard every few hours and goes on in the next.
 */
export async function openStream(
  client: DynamoDBStreamsClient,
  tableName: string,
  after: string | undefined,
): Promise<StreamReader> {
  const { Streams } = await client.send(new ListStreamsCommand({ TableName: tableName }));
  const streamArn = Streams?.at(-1)?.StreamArn;
  if (streamArn === undefined) throw new Error(`Table ${tableName} has no stream.`);
  let at: Position = { shardId: undefined, after };
  let iterator: string | undefined;

  async function open(): Promise<string | undefined> {
    const shards = await readShards(client, streamArn as string);
    const shard = shards.find(({ ShardId }) => ShardId === at.shardId) ?? shardWith(shards, at.after);
    at = { ...at, shardId: shard?.ShardId };
    return shard && iteratorAfter(client, streamArn as string, shard, at.after);
  }

  /** The shard that was read is closed and empty from here on: on to the one behind it, if there is one yet. */
  async function moveOn(): Promise<void> {
    const shards = await readShards(client, streamArn as string);
    const next = shards[shards.findIndex(({ ShardId }) => ShardId === at.shardId) + 1];
    if (next) at = { shardId: next.ShardId, after: undefined };
  }

  return {
    streamArn,
    async read() {
      try {
        iterator ??= await open();
        if (iterator === undefined) return [];
        const answer = await client.send(
          new GetRecordsCommand({ ShardIterator: iterator, Limit: MAX_RECORDS }),
        );
        iterator = answer.NextShardIterator;
        const records = (answer.Records ?? []).map((record) => lambdaRecord(record, streamArn));
        at = { ...at, after: records.at(-1)?.dynamodb?.SequenceNumber ?? at.after };
        if (iterator === undefined && records.length === 0) await moveOn();
        return records;
      } catch (error) {
        if (error instanceof ExpiredIteratorException) iterator = undefined;
        else if (error instanceof TrimmedDataAccessException || isUnknownSequence(error)) {
          // What the checkpoint names is older than the stream keeps: go on with the oldest that is left.
          at = { shardId: undefined, after: undefined };
          iterator = undefined;
        } else throw error;
        return [];
      }
    },
  };
}

/** A checkpoint that this stream never wrote, e.g. of a database that was thrown away. */
function isUnknownSequence(error: unknown): boolean {
  return error instanceof ResourceNotFoundException || (error as Error).name === 'ValidationException';
}

/** Parents come before their children. */
async function readShards(client: DynamoDBStreamsClient, streamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let from: string | undefined;
  do {
    const { StreamDescription } = await client.send(
      new DescribeStreamCommand({
        StreamArn: streamArn,
        ...(from !== undefined && { ExclusiveStartShardId: from }),
      }),
    );
    shards.push(...(StreamDescription?.Shards ?? []));
    from = StreamDescription?.LastEvaluatedShardId;
  } while (from !== undefined);
  return shards;
}

/** The shard that a sequence number is in, else the oldest one. */
function shardWith(shards: readonly Shard[], sequenceNumber: string | undefined): Shard | undefined {
  if (sequenceNumber === undefined || !/^\d+$/.test(sequenceNumber)) return shards[0];
  const position = BigInt(sequenceNumber);
  const covers = ({ SequenceNumberRange: range }: Shard) =>
    BigInt(range?.StartingSequenceNumber ?? 0) <= position &&
    (range?.EndingSequenceNumber === undefined || position <= BigInt(range.EndingSequenceNumber));
  return shards.find(covers) ?? shards[0];
}

async function iteratorAfter(
  client: DynamoDBStreamsClient,
  streamArn: string,
  shard: Shard,
  after: string | undefined,
) {
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shard.ShardId,
      ...(after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }),
    }),
  );
  return ShardIterator;
}

/** As Lambda hands it over: times in epoch seconds. (Binary attributes, which ours have none of, would be base64.) */
function lambdaRecord(record: _Record, eventSourceARN: string): DynamoDBRecord {
  const { ApproximateCreationDateTime: createdAt, ...change } = record.dynamodb ?? {};
  return {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: LOCAL_AWS.region,
    dynamodb: { ...change, ...(createdAt && { ApproximateCreationDateTime: createdAt.getTime() / 1000 }) },
    eventSourceARN,
  } as DynamoDBRecord;
}
