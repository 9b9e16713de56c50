import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ATTENTION_INDEX, OPEN_INDEX } from '../../contract/tables.ts';
import { type ScheduleId, shardOf } from '../../core/ids.ts';
import type { Occurrence, PendingOccurrence, RunningOccurrence } from '../../core/occurrence.ts';
import type { OccurrenceQuery, OccurrenceStore, Page } from '../../core/ports.ts';
import type { EpochMs } from '../../core/time.ts';
import { BATCH_GET_KEYS, batchGet } from './batch-get.ts';
import type { StoreContext } from './client.ts';
import { decodeCursor, encodeCursor, refuseForeignCursor } from './cursor.ts';
import type { Item } from './head-items.ts';
import { type ItemKey, occurrenceKeyOf, occurrenceRange, schedulePk } from './keys.ts';
import { occurrenceOf, openAmong, pullBucket } from './occurrence-items.ts';

/** Items read for one page when a status filter leaves most of them out; the caller goes on with the cursor. */
const MAX_READ_PER_PAGE = 5_000;

export async function listOccurrences(
  context: StoreContext,
  query: OccurrenceQuery,
): Promise<Page<Occurrence>> {
  const pk = schedulePk(query.schedule);
  const { low, high } = occurrenceRange(query.from, query.to);
  const { status, kind, reason, oldestFirst = false } = query;
  const scope = `occurrences:${pk}:${low}:${high}:${[status, kind, reason, oldestFirst].join(':')}`;
  const filter = filterOf({ status, reason });
  let start = query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor);
  const items: Item[] = [];
  let scanned = 0;
  do {
    const answer = await refuseForeignCursor(query.cursor, () =>
      context.client.send(
        new QueryCommand({
          TableName: context.occurrencesTable,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
          ScanIndexForward: oldestFirst,
          ConsistentRead: true,
          ...filter.request,
          ExpressionAttributeValues: { ':pk': pk, ':low': low, ':high': high, ...filter.values },
          // One more than asked for tells whether there is another page.
          ...(!filter.request && kind === undefined && { Limit: query.limit + 1 - items.length }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      ),
    );
    // The kind is in the key, which a filter expression may not look at.
    const found = (answer.Items ?? []).filter(
      (item) => kind === undefined || occurrenceKeyOf(item as unknown as ItemKey).kind === kind,
    );
    items.push(...found);
    scanned += answer.ScannedCount ?? 0;
    start = answer.LastEvaluatedKey;
  } while (start && items.length <= query.limit && scanned < MAX_READ_PER_PAGE);

  const page = items.slice(0, query.limit);
  const last = items.length > query.limit ? (page.at(-1) as ItemKey | undefined) : undefined;
  const next = last ? { pk: last.pk, sk: last.sk } : start;
  const occurrences = page.map(occurrenceOf);
  return next ? { items: occurrences, cursor: encodeCursor(scope, next) } : { items: occurrences };
}

function filterOf(wanted: Readonly<Record<'status' | 'reason', string | undefined>>) {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  if (given.length === 0) return { request: undefined, values: {} };
  return {
    request: {
      FilterExpression: given.map(([name]) => `#${name} = :${name}`).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
    },
    values: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
  };
}

/**
 * Occurrences of a schedule that are not terminal: those from `since` on by a consistent read of the table,
 * older ones (a retry that waits, a backlog) as far as the `open` index shows them. What the index does not
 * show yet cannot start under an old definition all the same: see the worker's look at the head.
 */
export async function openOf(
  context: StoreContext,
  schedule: ScheduleId,
  since: EpochMs,
): Promise<(PendingOccurrence | RunningOccurrence)[]> {
  const pk = schedulePk(schedule);
  const { low, high } = occurrenceRange(since);
  const [recent, olderKeys] = await Promise.all([
    queryAll(context, {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
      FilterExpression: '#status IN (:pending, :running)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':pk': pk,
        ':low': low,
        ':high': high,
        ':pending': 'pending',
        ':running': 'running',
      },
      ConsistentRead: true,
    }),
    queryAll(context, {
      IndexName: OPEN_INDEX.indexName,
      KeyConditionExpression: 'open_shard = :shard',
      FilterExpression: 'pk = :pk AND sk < :low',
      ExpressionAttributeValues: { ':shard': shardOf(schedule, context.shardCount), ':pk': pk, ':low': low },
    }),
  ]);
  const older = await batchGet(
    context.client,
    context.occurrencesTable,
    olderKeys.slice(0, BATCH_GET_KEYS) as unknown as ItemKey[],
  );
  return openAmong([...older, ...recent]);
}

async function queryAll(
  context: StoreContext,
  query: Omit<ConstructorParameters<typeof QueryCommand>[0], 'TableName'>,
): Promise<Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        ...query,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    items.push(...(answer.Items ?? []));
    start = answer.LastEvaluatedKey;
  } while (start);
  return items;
}

/** Pages of a pull queue that are looked through: the front may be full of what waits for a slot. */
const MAX_PULL_PAGES = 10;

/**
 * Pending ones of a queue that outside workers claim from, oldest due first. What waits for a slot comes last and
 * one at a time: it is woken when its turn comes, and this is for a wake-up that was lost.
 */
export async function pullable(
  context: StoreContext,
  queue: string,
  now: EpochMs,
  limit: number,
): Promise<PendingOccurrence[]> {
  const due: PendingOccurrence[] = [];
  let start: Record<string, unknown> | undefined;
  const ready = () => due.filter(({ waitingFor }) => waitingFor === undefined);
  for (let pages = 0; pages < MAX_PULL_PAGES && ready().length < limit; pages += 1) {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        IndexName: ATTENTION_INDEX.indexName,
        KeyConditionExpression: 'attention_day = :bucket AND attention_at <= :now',
        ExpressionAttributeValues: { ':bucket': pullBucket(queue), ':now': now },
        Limit: Math.min(BATCH_GET_KEYS, Math.max(limit, 10)),
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    const keys = (answer.Items ?? []) as unknown as ItemKey[];
    const items = await batchGet(context.client, context.occurrencesTable, keys);
    const open = openAmong(items).filter((one) => one.status === 'pending');
    due.push(...open.filter((one) => one.pullQueue === queue && one.dueAt <= now));
    start = answer.LastEvaluatedKey;
    if (!start) break;
  }
  const waiting = due.filter(({ waitingFor }) => waitingFor !== undefined);
  return [...ready().slice(0, limit), ...waiting.slice(0, 1)];
}

/** What ended without success on a UTC day, across schedules, newest first. */
export async function listAttention(
  context: StoreContext,
  query: Parameters<OccurrenceStore['listAttention']>[0],
): Promise<Page<Occurrence>> {
  const scope = `attention:${query.day}:${query.status ?? ''}`;
  const start = query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor);
  const answer = await refuseForeignCursor(query.cursor, () =>
    context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        IndexName: ATTENTION_INDEX.indexName,
        KeyConditionExpression: 'attention_day = :day',
        ExpressionAttributeValues: { ':day': query.day },
        ScanIndexForward: false,
        Limit: query.limit,
        ...(start && { ExclusiveStartKey: start }),
      }),
    ),
  );
  const keys = (answer.Items ?? []) as unknown as ItemKey[];
  // Replayed since: the index may not know yet.
  const found = (await batchGet(context.client, context.occurrencesTable, keys)).map(occurrenceOf);
  const items = found.filter(({ status }) =>
    query.status === undefined ? status === 'failed' || status === 'missed' : status === query.status,
  );
  return answer.LastEvaluatedKey
    ? { items, cursor: encodeCursor(scope, answer.LastEvaluatedKey) }
    : { items };
}
