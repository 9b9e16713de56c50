import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { DUE_INDEX } from '../../../contract/tables.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { PlanningStore } from '../../../core/ports/planning-store.ts';
import type { EpochMs } from '../../../core/time.ts';
import { batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { expression, placeholders, shardIsFree } from '../conditions.ts';
import { indexPages } from '../index-pages.ts';
import { headKey, SHARD_COUNT_KEY, shardKey } from '../keys.ts';
import { createWholeHeads } from '../schedules/head-reader.ts';
import { materialise } from './materialise.ts';
import { retire, retireLater } from './retire-schedule.ts';
import { createRevivals } from './revivals.ts';

const { sk: HEAD } = headKey('' as ScheduleId);

export function createPlanningStore(context: StoreContext): PlanningStore {
  const { client, schedulesTable } = context;
  const whole = createWholeHeads(context);

  return {
    async *dueHeads(shard, until, from) {
      for await (const keys of indexPages(client, schedulesTable, DUE_INDEX, shard, until, from)) {
        // Backfills and revivals are in the index too: they are looked at once all heads are on their way.
        const wanted = keys.filter(({ sk }) => sk === HEAD);
        const heads = await whole.heads(await batchGet(client, schedulesTable, wanted));
        // The index may be behind: believe the head. One that moved to another shard is still planned here.
        yield heads.filter(
          ({ state, nextDueAt }) => state !== 'deleted' && nextDueAt !== null && nextDueAt <= until,
        );
      }
    },

    ...createRevivals(context, whole),

    materialise: (batch, now) => materialise(context, batch, now),

    retire: (head, now) => retire(context, head, now),
    retireLater: (head, at) => retireLater(context, head, at),

    async recordShardCount(count) {
      try {
        await client.send(
          new UpdateCommand({
            TableName: schedulesTable,
            Key: SHARD_COUNT_KEY,
            UpdateExpression: 'SET largest = :count',
            ConditionExpression: 'attribute_not_exists(largest) OR largest < :count',
            ExpressionAttributeValues: { ':count': count },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return count;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
        return unmarshall(error.Item).largest as number;
      }
    },

    async acquireShard(shard, lease, now) {
      const condition = shardIsFree(lease.holder, now);
      const update = expression('SET holder = :holder, lease_expires_at = :lease_end', [], {
        ':holder': lease.holder,
        ':lease_end': lease.expiresAt,
      });
      try {
        await client.send(
          new UpdateCommand({
            TableName: schedulesTable,
            Key: shardKey(shard),
            UpdateExpression: update.text,
            ConditionExpression: condition.text,
            ...placeholders(update, condition),
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    async watermarks(shards) {
      const items = await batchGet(client, schedulesTable, shards.map(shardKey));
      const through = new Map(items.map((item) => [item.pk, item.scanned_through as EpochMs | undefined]));
      return shards.map((shard) => through.get(shardKey(shard).pk));
    },

    async shardZones(shard) {
      const [item] = await batchGet(client, schedulesTable, [shardKey(shard)]);
      const { zone_data: zoneData, walking, walked_to: walkedTo, older_tick_at: olderTickAt } = item ?? {};
      return {
        ...(zoneData !== undefined && { zoneData: zoneData as string }),
        ...(walking !== undefined && { walking: walking as string }),
        ...(walkedTo !== undefined && { walkedTo: walkedTo as EpochMs }),
        ...(olderTickAt !== undefined && { olderTickAt: olderTickAt as EpochMs }),
      };
    },

    async saveShardZones(shard, { zoneData, walking, walkedTo, olderTickAt }) {
      const update = settingOnly({
        zone_data: zoneData,
        walking,
        walked_to: walkedTo,
        older_tick_at: olderTickAt,
      });
      await client.send(
        new UpdateCommand({
          TableName: schedulesTable,
          Key: shardKey(shard),
          UpdateExpression: update.text,
          ...placeholders(update),
        }),
      );
    },

    async releaseShard(shard, holder, scannedThrough) {
      const release = (through: EpochMs | null) =>
        client.send(
          new UpdateCommand({
            TableName: schedulesTable,
            Key: shardKey(shard),
            UpdateExpression:
              through === null
                ? 'REMOVE holder, lease_expires_at'
                : 'SET scanned_through = :through REMOVE holder, lease_expires_at',
            ConditionExpression:
              through === null
                ? 'holder = :holder'
                : 'holder = :holder AND (attribute_not_exists(scanned_through) OR scanned_through <= :through)',
            ExpressionAttributeValues: {
              ':holder': holder,
              ...(through !== null && { ':through': through }),
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
      try {
        await release(scannedThrough).catch((error: unknown) => {
          // By a clock that was set back since: the shard is planned up to where it was, and that is kept.
          const isAhead =
            error instanceof ConditionalCheckFailedException && error.Item?.holder?.S === holder;
          if (!isAhead) throw error;
          return release(null);
        });
      } catch (error) {
        // Our lease ran out and another scanner has the shard: it is theirs to give back.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
  };
}

/** Sets what has a value and removes what has none. */
function settingOnly(attributes: Readonly<Record<string, string | number | undefined>>) {
  const names = Object.keys(attributes);
  const [sets, removes] = [true, false].map((has) =>
    names.filter((name) => (attributes[name] !== undefined) === has),
  ) as [string[], string[]];
  return expression(
    [
      sets.length > 0 ? `SET ${sets.map((name) => `#${name} = :${name}`).join(', ')}` : '',
      removes.length > 0 ? `REMOVE ${removes.map((name) => `#${name}`).join(', ')}` : '',
    ].join(' '),
    names,
    Object.fromEntries(sets.map((name) => [`:${name}`, attributes[name]])),
  );
}
