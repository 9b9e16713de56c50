import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { DUE_INDEX, LAST_SUCCESS_ATTRIBUTE, TTL_ATTRIBUTE } from '../../../contract/tables.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import { purgeTime } from '../../../core/occurrence/retention.ts';
import type { FencedResult } from '../../../core/ports/fenced-result.ts';
import type { WatchStore } from '../../../core/ports/watch-store.ts';
import type { Watch } from '../../../core/schedule/watch.ts';
import { batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { and, type Expression, expression, placeholders } from '../conditions.ts';
import { indexPages } from '../index-pages.ts';
import { headKey, type ItemKey, scheduleIdOf, watchKey } from '../keys.ts';
import { createWholeHeads } from './head-reader.ts';
import { WATCH_SHARD, watchOf } from './watch-items.ts';

/** Days that the item of a watch that has ended is kept. */
const KEPT_DAYS = 1;

export function createWatchStore(context: StoreContext): WatchStore {
  const { client, schedulesTable } = context;
  const whole = createWholeHeads(context);

  async function update(id: ScheduleId, change: Expression, condition: Expression): Promise<FencedResult> {
    try {
      await client.send(
        new UpdateCommand({
          TableName: schedulesTable,
          Key: watchKey(id),
          UpdateExpression: change.text,
          ConditionExpression: condition.text,
          ...placeholders(change, condition),
        }),
      );
      return { kind: 'done' };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { kind: 'lost-lease' };
      throw error;
    }
  }

  const read = (keys: readonly ItemKey[]) => batchGet(client, schedulesTable, keys);

  return {
    async noteSuccess(schedule, at) {
      const isNewer = and(
        expression('attribute_exists(pk)'),
        expression(`attribute_not_exists(${LAST_SUCCESS_ATTRIBUTE}) OR ${LAST_SUCCESS_ATTRIBUTE} < :at`, [], {
          ':at': at,
        }),
      );
      // One attribute and no index: a worker has the right to write no other (lib/worker-function.ts).
      await update(schedule, expression(`SET ${LAST_SUCCESS_ATTRIBUTE} = :at`, [], { ':at': at }), isNewer);
    },

    async lastSuccesses(schedules) {
      const watches = (await read(schedules.map(watchKey))).map(watchOf);
      return new Map(
        watches.flatMap(({ schedule, lastSuccessAt }) =>
          lastSuccessAt === undefined ? [] : [[schedule, lastSuccessAt] as const],
        ),
      );
    },

    async *dueWatches(until) {
      for await (const keys of indexPages(client, schedulesTable, DUE_INDEX, WATCH_SHARD, until)) {
        const ids = keys.map(({ pk }) => scheduleIdOf(pk));
        const [items, headItems] = await Promise.all([read(ids.map(watchKey)), read(ids.map(headKey))]);
        const heads = new Map((await whole.heads(headItems)).map((head) => [head.id, head]));
        // The index may be behind: believe the item.
        yield items
          .filter(({ shard, next_due_at: at }) => shard === WATCH_SHARD && (at as number) <= until)
          .map(watchOf)
          .map((watch) => ({ watch, head: heads.get(watch.schedule) }));
      }
    },

    lookLater: (watch, at) =>
      update(watch.schedule, expression('SET next_due_at = :at', [], { ':at': at }), isStillSet(watch)),

    endWatch: (watch, now) =>
      update(
        watch.schedule,
        expression(`SET ${TTL_ATTRIBUTE} = :purge_at REMOVE #shard, next_due_at`, ['shard'], {
          ':purge_at': purgeTime([now], KEPT_DAYS),
        }),
        isStillSet(watch),
      ),
  };
}

/** No change of the schedule, and no other sweep, has moved it since. */
function isStillSet({ lookAt }: Watch): Expression {
  return expression('next_due_at = :seen', [], { ':seen': lookAt });
}
