import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ATTENTION_INDEX } from '../../../contract/tables.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import type { ItemKey } from '../keys.ts';

/** A key of the `attention` index, as DynamoDB gives it and takes it back to go on behind it. */
export interface AttentionKey extends ItemKey {
  readonly attention_day: string;
  readonly attention_at: number;
}

export interface MergeOptions {
  /** Not later than this. */
  readonly until?: EpochMs;
  readonly newestFirst?: boolean;
  /** Keys read of one bucket at a time. */
  readonly pageSize: number;
  /** For each bucket the key to go on behind. */
  readonly after?: Readonly<Record<string, AttentionKey>>;
}

interface Reading {
  readonly bucket: string;
  readonly page: AttentionKey[];
  start: AttentionKey | undefined;
  isThrough: boolean;
}

/** Keys of several buckets in the one order of their times, in as few reads as that takes. */
export async function* mergedKeys(
  context: StoreContext,
  buckets: readonly string[],
  options: MergeOptions,
): AsyncGenerator<AttentionKey> {
  const readings = buckets.map(
    (bucket): Reading => ({ bucket, page: [], start: options.after?.[bucket], isThrough: false }),
  );
  const isBefore = options.newestFirst
    ? (a: AttentionKey, b: AttentionKey) => a.attention_at > b.attention_at
    : (a: AttentionKey, b: AttentionKey) => a.attention_at < b.attention_at;
  for (;;) {
    // What comes next is known once each bucket has shown its first: a bucket that was not read may hold it.
    const empty = readings.filter(({ page, isThrough }) => page.length === 0 && !isThrough);
    await Promise.all(empty.map((reading) => readOn(context, reading, options)));
    let next: Reading | undefined;
    for (const reading of readings) {
      const [head] = reading.page;
      const [best] = next?.page ?? [];
      if (head && (!best || isBefore(head, best))) next = reading;
    }
    const key = next?.page.shift();
    if (key) yield key;
    else if (readings.every(({ isThrough }) => isThrough)) return;
  }
}

async function readOn(
  { client, occurrencesTable }: StoreContext,
  reading: Reading,
  { until, newestFirst = false, pageSize }: MergeOptions,
): Promise<void> {
  const answer = await client.send(
    new QueryCommand({
      TableName: occurrencesTable,
      IndexName: ATTENTION_INDEX.indexName,
      KeyConditionExpression: `attention_day = :bucket${until === undefined ? '' : ' AND attention_at <= :until'}`,
      ExpressionAttributeValues: {
        ':bucket': reading.bucket,
        ...(until !== undefined && { ':until': until }),
      },
      ScanIndexForward: !newestFirst,
      Limit: pageSize,
      ...(reading.start && { ExclusiveStartKey: reading.start }),
    }),
  );
  reading.page.push(...((answer.Items ?? []) as unknown as AttentionKey[]));
  reading.start = answer.LastEvaluatedKey as AttentionKey | undefined;
  reading.isThrough = reading.start === undefined;
}
