import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { backfillOf } from '../../../lambdas/adapters/dynamodb/backfills/backfill-items.ts';
import {
  backfillKey,
  headKey,
  type ItemKey,
  occurrenceItemKey,
  occurrenceRange,
  schedulePk,
  stripeKey,
} from '../../../lambdas/adapters/dynamodb/keys.ts';
import { revisionOf } from '../../../lambdas/adapters/dynamodb/schedules/head-items.ts';
import { createWholeHeads } from '../../../lambdas/adapters/dynamodb/schedules/head-reader.ts';
import { DUE_INDEX, type IndexSpec, OPEN_INDEX } from '../../../lambdas/contract/tables.ts';
import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import type { OccurrenceKey, ScheduleId } from '../../../lambdas/core/ids.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import type { Revision } from '../../../lambdas/core/schedule/revision.ts';
import type { Lane } from './lane.ts';
import type { VirtualTime } from './time.ts';

export type Item = Readonly<Record<string, unknown>>;

/** What the tables say, read without the code under test wherever that could hide a fault. */
export function observe(
  { observer, context }: Lane,
  time: VirtualTime,
  shardCounts: () => readonly number[],
) {
  const { schedulesTable, occurrencesTable } = context;
  // What a head refers to, and nothing of it ever changes.
  const whole = createWholeHeads({ client: observer, schedulesTable });

  async function get(TableName: string, Key: ItemKey): Promise<Item | undefined> {
    const command = new GetCommand({ TableName, Key: { ...Key }, ConsistentRead: true });
    const answer = await time.busy(() => observer.send(command));
    return answer.Item;
  }

  async function query(input: ConstructorParameters<typeof QueryCommand>[0]): Promise<Item[]> {
    const items: Item[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const command = new QueryCommand({ ...input, ...(start && { ExclusiveStartKey: start }) });
      const answer = await time.busy(() => observer.send(command));
      items.push(...(answer.Items ?? []));
      start = answer.LastEvaluatedKey;
    } while (start);
    return items;
  }

  /** All of an index, by partition key of the items themselves. */
  async function index(TableName: string, spec: IndexSpec): Promise<ReadonlyMap<unknown, Item[]>> {
    const shards = Array.from({ length: Math.max(...shardCounts()) }, (_, shard) =>
      query({
        TableName,
        IndexName: spec.indexName,
        KeyConditionExpression: '#shard = :shard',
        ExpressionAttributeNames: { '#shard': spec.partitionKey.name },
        ExpressionAttributeValues: { ':shard': shard },
      }),
    );
    return Map.groupBy((await Promise.all(shards)).flat(), ({ pk }) => pk);
  }

  const under = (TableName: string, id: ScheduleId, low: string, high: string) =>
    query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
      ExpressionAttributeValues: { ':pk': schedulePk(id), ':low': low, ':high': high },
      ConsistentRead: true,
    });

  return {
    headItem: (id: ScheduleId) => get(schedulesTable, headKey(id)),
    async head(id: ScheduleId): Promise<ScheduleHead | undefined> {
      const item = await get(schedulesTable, headKey(id));
      const [head] = item ? await time.busy(() => whole.heads([item])) : [];
      return head;
    },
    async revisions(id: ScheduleId): Promise<Revision[]> {
      return (await under(schedulesTable, id, 'R#', 'R#~')).map((item) => revisionOf(item));
    },
    async backfills(id: ScheduleId): Promise<Backfill[]> {
      const { sk } = backfillKey(id, '');
      return (await under(schedulesTable, id, sk, `${sk}~`)).map(backfillOf);
    },
    /** Pauses that are over, and of which not all that they held is back. */
    async revivals(id: ScheduleId): Promise<Item[]> {
      const all = await under(schedulesTable, id, 'H#', 'H#~');
      return all.filter(({ next_due_at }) => next_due_at !== undefined);
    },
    occurrence: (key: OccurrenceKey) => get(occurrencesTable, occurrenceItemKey(key)),
    occurrences(id: ScheduleId): Promise<Item[]> {
      const { low, high } = occurrenceRange();
      return under(occurrencesTable, id, low, high);
    },
    /** The entries of a slot of at most ten places: occurrence id → sequence. */
    async slot(slot: string): Promise<Readonly<Record<string, number>>> {
      const item = await get(occurrencesTable, stripeKey({ slot, stripe: 0 }));
      return (item?.h ?? {}) as Record<string, number>;
    },
    due: () => index(schedulesTable, DUE_INDEX),
    open: () => index(occurrencesTable, OPEN_INDEX),
  };
}

export type Observer = ReturnType<typeof observe>;
