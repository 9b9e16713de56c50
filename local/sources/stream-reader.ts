import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  ResourceNotFoundException,
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

/** Reads a table's stream from behind `after`, or from its oldest record. */
export async function openStream(
  client: DynamoDBStreamsClient,
  tableName: string,
  after: string | undefined,
): Promise<StreamReader> {
  const { Streams } = await client.send(new ListStreamsCommand({ TableName: tableName }));
  const streamArn = Streams?.[0]?.StreamArn;
  if (streamArn === undefined) throw new Error(`Table ${tableName} has no stream.`);
  let last = after;
  let iterator: string | undefined;
  return {
    streamArn,
    async read() {
      try {
        iterator ??= await iteratorAfter(client, streamArn, last);
        const answer = await client.send(
          new GetRecordsCommand({ ShardIterator: iterator, Limit: MAX_RECORDS }),
        );
        iterator = answer.NextShardIterator;
        const records = (answer.Records ?? []).map((record) => lambdaRecord(record, streamArn));
        last = records.at(-1)?.dynamodb?.SequenceNumber ?? last;
        return records;
      } catch (error) {
        if (error instanceof ExpiredIteratorException) iterator = undefined;
        else if (error instanceof TrimmedDataAccessException || isUnknownSequence(error)) {
          // What the checkpoint names is older than the stream keeps: go on with the oldest that is left.
          last = undefined;
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

/** The engine keeps one stream shard; AWS has many and reads them side by side. */
async function iteratorAfter(client: DynamoDBStreamsClient, streamArn: string, after: string | undefined) {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const shard = StreamDescription?.Shards?.[0];
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shard?.ShardId,
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
