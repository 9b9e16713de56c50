import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { DUE_INDEX } from '../../../contract/tables.ts';
import { type Backfill, backfillSlot, occurrenceKeyIn } from '../../../core/backfill/backfill.ts';
import type { BackfillStore } from '../../../core/backfill/store.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { Occurrence } from '../../../core/occurrence/occurrence.ts';
import { planningPolicy } from '../../../core/schedule/head.ts';
import { stripesFor } from '../../../core/slots/store.ts';
import type { EpochMs } from '../../../core/time.ts';
import { batchGet, getItem } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { expression, placeholders } from '../conditions.ts';
import { decodeCursor, encodeCursor, refuseForeignCursor } from '../cursor.ts';
import { indexPages } from '../index-pages.ts';
import { backfillKey, isBackfillKey, occurrenceItemKey, schedulePk, stripeKey } from '../keys.ts';
import { commitCreating, createActions } from '../occurrences/creates.ts';
import { occurrenceOf } from '../occurrences/occurrence-items.ts';
import { createBesideLiveSchedule } from '../schedules/create-if-schedule-live.ts';
import { createScheduleStore } from '../schedules/schedule-store.ts';
import type { WriteAction } from '../transact.ts';
import { updateItem } from '../update-item.ts';
import { backfillItem, backfillOf, purgeAfterAll } from './backfill-items.ts';
import { recordsBetween } from './backfill-records.ts';

/** Nobody wrote since it was read. */
const isAsSeen = ({ version }: Backfill) =>
  expression('#version = :seen_version', ['version'], { ':seen_version': version });

export function createBackfillStore(context: StoreContext): BackfillStore {
  const { client, schedulesTable, occurrencesTable, shardCount, retentionDays } = context;
  const schedules = createScheduleStore(context);

  return {
    async readBackfill(schedule, id) {
      const item = await getItem(client, schedulesTable, backfillKey(schedule, id));
      return item && backfillOf(item);
    },

    listBackfills: (query) => listBackfills(context, query),

    createBackfill({ backfill, idempotency, now }) {
      const Item = backfillItem(backfill, shardCount, retentionDays);
      const put = { TableName: schedulesTable, Item };
      return createBesideLiveSchedule(context, backfill, { put, idempotency, now });
    },

    async *dueBackfills(shard, until) {
      for await (const keys of indexPages(client, schedulesTable, DUE_INDEX, shard, until)) {
        const wanted = keys.filter(isBackfillKey);
        if (wanted.length === 0) continue;
        const found = (await batchGet(client, schedulesTable, wanted)).map(backfillOf);
        // The index may be behind: believe the item.
        yield found.filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= until);
      }
    },

    async scheduleOf({ schedule, revision }) {
      const head = await schedules.readHead(schedule);
      // The head has a copy of what planning needs, without the input, which may be large.
      if (!head || head.revision === revision) return { head, policy: head?.policy };
      const older = await schedules.readRevision(schedule, revision);
      return { head, policy: older && planningPolicy(older.definition, older.calendars) };
    },

    async openOccurrences(backfill) {
      const keys = backfill.open.map((time) => occurrenceItemKey(occurrenceKeyIn(backfill, time)));
      const items = await batchGet(client, occurrencesTable, keys);
      return new Map(items.map(occurrenceOf).map((one): [EpochMs, Occurrence] => [one.scheduledTime, one]));
    },

    recordsBetween: (schedule, from, to) => recordsBetween(context, schedule, from, to),

    async saveBackfill(seen, next, create) {
      const creates = createActions(context, create, [], next.updatedAt);
      const outcome = await commitCreating(context, [saveAction(context, seen, next)], creates);
      return outcome === 'committed' ? 'saved' : 'lost-race';
    },

    async retireSlot(backfill, now) {
      const slot = backfillSlot(backfill);
      const write = expression('SET purge_at = :purge_at', [], {
        ':purge_at': purgeAfterAll(backfill, retentionDays, now),
      });
      // One that is not there: none of its occurrences was ever claimed. Whoever takes one again takes the date away.
      for (let stripe = 0; stripe < stripesFor(backfill.maxConcurrent); stripe += 1)
        await updateItem(context, stripeKey({ slot, stripe }), write, expression('attribute_exists(pk)'));
    },
  };
}

/** An update, so that a tick needs no right to put items beside the heads. */
function saveAction(context: StoreContext, seen: Backfill, next: Backfill): WriteAction {
  const before = backfillItem(seen, context.shardCount, context.retentionDays);
  const { pk, sk, ...after } = backfillItem(next, context.shardCount, context.retentionDays);
  const sets = Object.keys(after);
  const removes = Object.keys(before).filter((name) => name !== 'pk' && name !== 'sk' && !(name in after));
  const write = expression(
    `SET ${sets.map((name) => `#${name} = :${name}`).join(', ')}` +
      (removes.length > 0 ? ` REMOVE ${removes.map((name) => `#${name}`).join(', ')}` : ''),
    [...sets, ...removes],
    Object.fromEntries(sets.map((name) => [`:${name}`, after[name]])),
  );
  const condition = isAsSeen(seen);
  return {
    Update: {
      TableName: context.schedulesTable,
      Key: { pk, sk },
      UpdateExpression: write.text,
      ConditionExpression: condition.text,
      ...placeholders(write, condition),
    },
  };
}

async function listBackfills(
  context: StoreContext,
  query: { readonly schedule: ScheduleId; readonly limit: number; readonly cursor?: string },
) {
  const pk = schedulePk(query.schedule);
  const scope = `backfills:${pk}`;
  const start = query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor);
  const answer = await refuseForeignCursor(query.cursor, () =>
    context.client.send(
      new QueryCommand({
        TableName: context.schedulesTable,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': backfillKey(query.schedule, '').sk },
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: query.limit,
        ...(start && { ExclusiveStartKey: start }),
      }),
    ),
  );
  const items = (answer.Items ?? []).map(backfillOf);
  const next = answer.LastEvaluatedKey;
  return next ? { items, cursor: encodeCursor(scope, next) } : { items };
}
