import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { DUE_INDEX } from '../../../contract/tables.ts';
import { shardOf } from '../../../core/ids.ts';
import type { CancelledOccurrence } from '../../../core/occurrence/occurrence.ts';
import { purgeTime } from '../../../core/occurrence/retention.ts';
import type { PlanningStore } from '../../../core/ports/planning-store.ts';
import type { Revival } from '../../../core/schedule/revival.ts';
import type { EpochMs } from '../../../core/time.ts';
import { batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { type Expression, expression, placeholders } from '../conditions.ts';
import { indexPages } from '../index-pages.ts';
import type { Item } from '../item.ts';
import { headKey, isRevivalKey, revivalKey, scheduleIdOf } from '../keys.ts';
import { revival as revivalOfOne } from '../occurrences/operator-transitions.ts';
import type { createWholeHeads } from '../schedules/head-reader.ts';
import type { WriteAction } from '../transact.ts';
import { updateItem } from '../update-item.ts';

/** Single writes under way at once. */
const CONCURRENCY = 16;
/** What is done is of no use to anybody. */
const KEPT_DAYS = 1;

function written(context: Pick<StoreContext, 'shardCount'>, { id, ...revival }: Revival): Expression {
  const { since, through, lookAt, cursor } = revival;
  return expression(
    'SET since = :since, #through = :through, next_due_at = :at, #shard = :shard' +
      (cursor === undefined ? ' REMOVE purge_at, #cursor' : ', #cursor = :cursor REMOVE purge_at'),
    ['through', 'cursor', 'shard'],
    {
      ':since': since,
      ':through': through,
      ':at': lookAt,
      ':shard': shardOf(id, context.shardCount),
      ...(cursor !== undefined && { ':cursor': cursor }),
    },
  );
}

/** With the end of the pause. An update, so that a tick needs no right to put items beside the heads. */
export function revivalAction(context: StoreContext, revival: Revival): WriteAction {
  const write = written(context, revival);
  return {
    Update: {
      TableName: context.schedulesTable,
      Key: revivalKey(revival),
      UpdateExpression: write.text,
      ...placeholders(write),
    },
  };
}

type RevivalStore = Pick<PlanningStore, 'dueRevivals' | 'putOffRevival' | 'endRevival'>;

export function createRevivals(
  context: StoreContext,
  whole: ReturnType<typeof createWholeHeads>,
): RevivalStore {
  const { client, schedulesTable } = context;

  /** Unless somebody has ended it. */
  async function write(revival: Revival, update: Expression): Promise<void> {
    const condition = expression('attribute_exists(next_due_at)');
    try {
      await client.send(
        new UpdateCommand({
          TableName: schedulesTable,
          Key: revivalKey(revival),
          UpdateExpression: update.text,
          ConditionExpression: condition.text,
          ...placeholders(update, condition),
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  return {
    async *dueRevivals(shard, until) {
      for await (const keys of indexPages(client, schedulesTable, DUE_INDEX, shard, until)) {
        const wanted = keys.filter(isRevivalKey);
        if (wanted.length === 0) continue;
        const due = (await batchGet(client, schedulesTable, wanted)).filter(isDueBy(until)).map(revivalOf);
        const heads = await whole.heads(
          await batchGet(
            client,
            schedulesTable,
            // Several pauses of a schedule may be over, one after the other.
            [...new Set(due.map(({ id }) => id))].map(headKey),
          ),
        );
        yield due.map((revival) => ({ revival, head: heads.find(({ id }) => id === revival.id) }));
      }
    },
    putOffRevival: (revival) => write(revival, written(context, revival)),
    endRevival: (revival, now) =>
      write(
        revival,
        expression('SET purge_at = :purge_at REMOVE next_due_at, #shard', ['shard'], {
          ':purge_at': purgeTime([now], KEPT_DAYS),
        }),
      ),
  };
}

/** The index may be behind: believe the item. */
const isDueBy =
  (until: EpochMs) =>
  ({ next_due_at: at }: Item) =>
    at !== undefined && (at as EpochMs) <= until;

function revivalOf(item: Item): Revival {
  return {
    id: scheduleIdOf(item.pk as string),
    since: item.since as EpochMs,
    through: item.through as EpochMs,
    lookAt: item.next_due_at as EpochMs,
    ...(item.cursor !== undefined && { cursor: item.cursor as string }),
  };
}

/** Each by itself: one that is no more as it was read was brought back already, or is not to be. */
export async function reviveHeld(context: StoreContext, held: readonly CancelledOccurrence[]): Promise<void> {
  await pMap(
    held,
    (one) => {
      const { key, update, condition } = revivalOfOne(context, one);
      return updateItem(context, key, update, condition);
    },
    { concurrency: CONCURRENCY },
  );
}
