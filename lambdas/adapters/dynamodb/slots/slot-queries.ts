import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { WAITING_INDEX } from '../../../contract/tables.ts';
import { type OccurrenceId, occurrenceId, parseOccurrenceId, type ScheduleId } from '../../../core/ids.ts';
import type { Occurrence, PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { Before, Waiting } from '../../../core/slots/store.ts';
import { DAY, type EpochMs, epochMs } from '../../../core/time.ts';
import { batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import type { Item } from '../item.ts';
import { type ItemKey, occurrenceItemKey, occurrenceRange, schedulePk } from '../keys.ts';
import { occurrenceOf, openAmong } from '../occurrences/occurrence-items.ts';
import { lineEnd, lineStart, slotOf, waitingOf, waitingShard } from './waiting-keys.ts';

/** Items of one page where only the first is wanted: mostly it is among the first. */
const FIRST_PAGE = 25;
/** Where those that are left go back beyond so many, they are forgotten: each start would read all of that. */
const MOST_PAGES = 8;
/** How far back is looked where it is not known what started last: a slot that was never used, or purged. */
const LOOK_BACK = 7 * DAY;

export async function waiting(context: StoreContext, slot: string, limit: number): Promise<Waiting[]> {
  const found: Waiting[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        IndexName: WAITING_INDEX.indexName,
        KeyConditionExpression: 'waiting_shard = :shard AND begins_with(waiting_key, :line)',
        ExpressionAttributeValues: { ':shard': waitingShard(slot), ':line': lineStart(slot) },
        Limit: limit - found.length,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    found.push(...(answer.Items ?? []).map(waitingOf));
    start = answer.LastEvaluatedKey;
  } while (start && found.length < limit);
  return found;
}

/** From one slot to the next, however many wait for each. */
export async function* waitedFor(
  context: StoreContext,
  shard: number,
  after?: string,
): AsyncGenerator<string> {
  let beyond = after === undefined ? '' : lineEnd(after);
  for (;;) {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        IndexName: WAITING_INDEX.indexName,
        KeyConditionExpression: `waiting_shard = :shard${beyond === '' ? '' : ' AND waiting_key > :beyond'}`,
        ExpressionAttributeValues: { ':shard': shard, ...(beyond !== '' && { ':beyond': beyond }) },
        Limit: 1,
      }),
    );
    const key = answer.Items?.[0]?.waiting_key as string | undefined;
    if (key === undefined) return;
    yield slotOf(key);
    beyond = lineEnd(slotOf(key));
  }
}

export async function readMany(
  context: StoreContext,
  ids: readonly OccurrenceId[],
): Promise<ReadonlyMap<OccurrenceId, Occurrence>> {
  const byKey = new Map<string, OccurrenceId>();
  const wanted: ItemKey[] = [];
  for (const id of ids) {
    const parsed = parseOccurrenceId(id);
    if (!parsed) continue;
    const key = occurrenceItemKey(parsed);
    byKey.set(`${key.pk} ${key.sk}`, id);
    wanted.push(key);
  }
  const items = await batchGet(context.client, context.occurrencesTable, wanted);
  return new Map(
    items.flatMap((item): [OccurrenceId, Occurrence][] => {
      const id = byKey.get(`${item.pk} ${item.sk}`);
      return id === undefined ? [] : [[id, occurrenceOf(item)]];
    }),
  );
}

/** The occurrences of a schedule in a range of nominal times that a filter lets pass, read consistently, page by page. */
async function* filtered(
  context: StoreContext,
  schedule: ScheduleId,
  { low, high }: { readonly low: string; readonly high: string },
  filter: { readonly text: string; readonly values: Readonly<Record<string, unknown>> },
  limit?: number,
): AsyncGenerator<Item[]> {
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
        FilterExpression: filter.text,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':pk': schedulePk(schedule),
          ':low': low,
          ':high': high,
          ...filter.values,
        },
        ConsistentRead: true,
        ...(limit !== undefined && { Limit: limit }),
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    yield answer.Items ?? [];
    start = answer.LastEvaluatedKey;
  } while (start);
}

export async function lookBefore(
  context: StoreContext,
  pending: PendingOccurrence,
  from: EpochMs | undefined,
  now: EpochMs,
): Promise<Before> {
  const { schedule, scheduledTime, firstDueAt } = pending;
  // One that was put off stands behind others of later times.
  const last = Math.max(scheduledTime, Math.min(firstDueAt, now));
  const range = occurrenceRange(from ?? epochMs(scheduledTime - LOOK_BACK), epochMs(last));
  if (range.low >= range.high) return {};
  const filter = {
    text: '#status IN (:pending, :running)',
    values: { ':pending': 'pending', ':running': 'running' },
  };
  let left: EpochMs | undefined;
  let pages = 0;
  for await (const items of filtered(context, schedule, range, filter, FIRST_PAGE)) {
    pages += 1;
    // Those of backfills run beside the schedule.
    const others = openAmong(items).filter(
      (one) => one.kind !== 'backfill' && occurrenceId(one) !== occurrenceId(pending),
    );
    const earlier = others.find((one) => one.dueAt <= now && isBefore(one, pending));
    if (earlier) return { earlier };
    left ??= others.find(({ status }) => status === 'pending')?.scheduledTime;
  }
  // One that is put off for long is not looked for in ever more that have ended.
  return left === undefined || pages > MOST_PAGES ? {} : { left };
}

/** In the order of the line. */
function isBefore(one: Occurrence, other: Occurrence): boolean {
  const by = one.firstDueAt - other.firstDueAt || one.scheduledTime - other.scheduledTime;
  return by < 0 || (by === 0 && occurrenceId(one) < occurrenceId(other));
}

export async function ownWaiting(
  context: StoreContext,
  schedule: ScheduleId,
  slot: string,
  from: EpochMs | undefined,
): Promise<PendingOccurrence[]> {
  // Of times before, which were replayed or moved, or where it is not known what started last: those that the index
  // shows, as they are.
  const shown = (await waiting(context, slot, FIRST_PAGE)).filter(
    ({ scheduledTime }) => from === undefined || scheduledTime < from,
  );
  const items = await batchGet(context.client, context.occurrencesTable, shown.map(occurrenceItemKey));
  const found = pendingAmong(items).filter(({ waitingFor }) => waitingFor === slot);
  if (from === undefined) return found;
  const filter = {
    text: '#status = :pending AND waiting_for = :slot',
    values: { ':pending': 'pending', ':slot': slot },
  };
  for await (const items of filtered(context, schedule, occurrenceRange(from), filter))
    found.push(...pendingAmong(items));
  return found;
}

const pendingAmong = (items: readonly Item[]) => openAmong(items).filter((one) => one.status === 'pending');
