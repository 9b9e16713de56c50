import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { describe, expect, it } from 'vitest';
import { openStream } from '../../local/sources/stream-reader.ts';

/** A shard of a stream that was made up: its records by sequence number, and whether it is closed. */
interface MadeUpShard {
  readonly id: string;
  readonly numbers: readonly number[];
  closed: boolean;
}

/** A stream of several shards, as DynamoDB Local has them; an iterator is `shard:position`. */
function streamsOf(shards: readonly MadeUpShard[]): DynamoDBStreamsClient {
  const find = (id: unknown) => shards.find((shard) => shard.id === id) as MadeUpShard;
  const answers: Record<string, (input: Record<string, unknown>) => unknown> = {
    ListStreamsCommand: () => ({ Streams: [{ StreamArn: 'arn:stream' }] }),
    DescribeStreamCommand: () => ({
      StreamDescription: {
        Shards: shards.map(({ id, numbers, closed }) => ({
          ShardId: id,
          SequenceNumberRange: {
            StartingSequenceNumber: String(numbers[0] ?? 0),
            ...(closed && { EndingSequenceNumber: String(numbers.at(-1) ?? 0) }),
          },
        })),
      },
    }),
    GetShardIteratorCommand: ({ ShardId, SequenceNumber }) => {
      const position =
        SequenceNumber === undefined ? 0 : find(ShardId).numbers.indexOf(Number(SequenceNumber)) + 1;
      return { ShardIterator: `${ShardId}:${position}` };
    },
    GetRecordsCommand: ({ ShardIterator }) => {
      const [id, position] = String(ShardIterator).split(':');
      const shard = find(id);
      const Records = shard.numbers.slice(Number(position)).map((number) => ({
        eventID: String(number),
        dynamodb: { SequenceNumber: String(number) },
      }));
      return shard.closed ? { Records } : { Records, NextShardIterator: `${id}:${shard.numbers.length}` };
    },
  };
  const send = async (command: { readonly input: Record<string, unknown> }) =>
    answers[command.constructor.name]?.(command.input);
  return { send } as unknown as DynamoDBStreamsClient;
}

async function readAll(shards: readonly MadeUpShard[], after?: string): Promise<(string | undefined)[]> {
  const reader = await openStream(streamsOf(shards), 'occurrences', after);
  const seen: (string | undefined)[] = [];
  for (let reads = 0; reads < 10; reads += 1) {
    seen.push(...(await reader.read()).map(({ eventID }) => eventID));
  }
  return seen;
}

describe('a stream of several shards', () => {
  const three = () => [
    { id: 'a', numbers: [1, 2, 3], closed: true },
    { id: 'b', numbers: [4, 5], closed: true },
    { id: 'c', numbers: [6], closed: false },
  ];

  it('is read from the oldest shard to the newest, each record once', async () => {
    expect(await readAll(three())).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('is read from behind a checkpoint in whichever shard that is', async () => {
    expect(await readAll(three(), '2')).toEqual(['3', '4', '5', '6']);
    expect(await readAll(three(), '4')).toEqual(['5', '6']);
    expect(await readAll(three(), '6')).toEqual([]);
  });

  it('goes on in a shard that is opened only after the last one was closed', async () => {
    const shards: MadeUpShard[] = [{ id: 'a', numbers: [1], closed: false }];
    const reader = await openStream(streamsOf(shards), 'occurrences', undefined);
    expect(await reader.read()).toHaveLength(1);
    (shards[0] as MadeUpShard).closed = true;
    expect(await reader.read()).toEqual([]);
    shards.push({ id: 'b', numbers: [2], closed: false });
    expect(await reader.read()).toEqual([]);
    expect((await reader.read()).map(({ eventID }) => eventID)).toEqual(['2']);
  });
});
