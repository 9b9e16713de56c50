import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { OPEN_INDEX, openPartition } from '../../../contract/tables.ts';
import type { OpenPosition, SweepMemory, SweepStore } from '../../../core/ports/sweep-store.ts';
import { epochMs } from '../../../core/time.ts';
import { BATCH_GET_KEYS, batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { type ItemKey, occurrenceItemKey, occurrenceKeyOf, sweepMemoryKey } from '../keys.ts';
import { openAmong } from './occurrence-items.ts';

export function createSweepStore({ client, schedulesTable, occurrencesTable }: StoreContext): SweepStore {
  return {
    async openPage({ kind, shard }, until, after) {
      const answer = await client.send(
        new QueryCommand({
          TableName: occurrencesTable,
          IndexName: OPEN_INDEX.indexName,
          KeyConditionExpression: 'open_shard = :part AND due_at <= :until',
          ExpressionAttributeValues: { ':part': openPartition(kind, shard), ':until': until },
          Limit: BATCH_GET_KEYS,
          ...(after && { ExclusiveStartKey: JSON.parse(after.key) }),
        }),
      );
      const keys = ((answer.Items ?? []) as unknown as ItemKey[]).map(occurrenceKeyOf);
      const next = answer.LastEvaluatedKey;
      return next ? { keys, next: positionOf(next) } : { keys };
    },

    async readOpen(keys) {
      return openAmong(await batchGet(client, occurrencesTable, keys.map(occurrenceItemKey)));
    },

    async readMemory(name) {
      const { Item } = await client.send(
        new GetCommand({ TableName: schedulesTable, Key: sweepMemoryKey(name) }),
      );
      return Item?.memory === undefined ? undefined : (JSON.parse(Item.memory) as SweepMemory);
    },

    async writeMemory(name, memory) {
      await client.send(
        new UpdateCommand({
          TableName: schedulesTable,
          Key: sweepMemoryKey(name),
          UpdateExpression: 'SET memory = :memory',
          ExpressionAttributeValues: { ':memory': JSON.stringify(memory) },
        }),
      );
    },
  };
}

const positionOf = (key: Record<string, unknown>): OpenPosition => ({
  key: JSON.stringify(key),
  at: epochMs(key.due_at as number),
});
