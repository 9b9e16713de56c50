import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { OPEN_INDEX, openPartition } from '../../../contract/tables.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../../core/occurrence/occurrence.ts';
import { batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import type { Item } from '../item.ts';
import { type ItemKey, occurrenceRange, SHARD_COUNT_KEY, schedulePk } from '../keys.ts';
import { openAmong } from './occurrence-items.ts';

/** Megabytes of a schedule's own ledger that are read, newest first: 5,000 records and more, within a tenth of a second. */
const LEDGER_PAGES = 4;
/** Shards of the index that are read side by side for what is older than those. */
const CONCURRENCY = 8;

/**
 * All occurrences of a schedule that are not terminal, oldest first. Its own partition is read consistently, and is all
 * there is to read for nearly every schedule. Only behind thousands of newer records are older ones (a retry that
 * waits, a backlog) taken from the `open` index: what that does not show yet cannot start under an old definition all
 * the same, since a worker looks at the head after its claim.
 */
export async function openOf(
  context: StoreContext,
  schedule: ScheduleId,
): Promise<(PendingOccurrence | RunningOccurrence)[]> {
  const { items, readTo } = await newestOf(context, schedule);
  const older = readTo === undefined ? [] : await openBefore(context, readTo);
  return openAmong([...older, ...items.toReversed()]);
}

async function newestOf(context: StoreContext, schedule: ScheduleId) {
  const { low, high } = occurrenceRange();
  const items: Item[] = [];
  let readTo: ItemKey | undefined;
  for (let page = 0; page < LEDGER_PAGES; page += 1) {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
        FilterExpression: '#status IN (:pending, :running)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':pk': schedulePk(schedule),
          ':low': low,
          ':high': high,
          ':pending': 'pending',
          ':running': 'running',
        },
        ScanIndexForward: false,
        ConsistentRead: true,
        ...(readTo && { ExclusiveStartKey: readTo }),
      }),
    );
    items.push(...(answer.Items ?? []));
    readTo = answer.LastEvaluatedKey as ItemKey | undefined;
    if (!readTo) break;
  }
  return { items, readTo };
}

/** Older than this one of the same schedule. In every shard: it stays in the one that it was created in. */
async function openBefore(context: StoreContext, { pk, sk }: ItemKey): Promise<Item[]> {
  const shards = Array.from({ length: await largestShardCount(context) }, (_, shard) => shard);
  const parts = shards.flatMap((shard) => [openPartition('work', shard), openPartition('pull', shard)]);
  const keys = await pMap(parts, (part) => openKeysBefore(context, part, { pk, sk }), {
    concurrency: CONCURRENCY,
  });
  const inOrder = keys.flat().sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return batchGet(context.client, context.occurrencesTable, inOrder);
}

async function largestShardCount({ client, schedulesTable, shardCount }: StoreContext): Promise<number> {
  const { Item } = await client.send(new GetCommand({ TableName: schedulesTable, Key: SHARD_COUNT_KEY }));
  return Math.max(shardCount, (Item?.largest as number | undefined) ?? 0);
}

async function openKeysBefore(context: StoreContext, part: number, { pk, sk }: ItemKey): Promise<ItemKey[]> {
  const keys: ItemKey[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        IndexName: OPEN_INDEX.indexName,
        KeyConditionExpression: 'open_shard = :part',
        FilterExpression: 'pk = :pk AND sk < :sk',
        ExpressionAttributeValues: { ':part': part, ':pk': pk, ':sk': sk },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    keys.push(...((answer.Items ?? []) as unknown as ItemKey[]));
    start = answer.LastEvaluatedKey;
  } while (start);
  return keys;
}
