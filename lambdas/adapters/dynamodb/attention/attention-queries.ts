import type { Occurrence, PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { OccurrenceStore } from '../../../core/ports/occurrence-store.ts';
import type { Page } from '../../../core/ports/page.ts';
import type { EpochMs } from '../../../core/time.ts';
import { BATCH_GET_KEYS, batchGet } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { decodeCursor, encodeCursor, foreignCursor, refuseForeignCursor } from '../cursor.ts';
import { occurrenceOf, openAmong } from '../occurrences/occurrence-items.ts';
import { dayBuckets, pullBuckets } from './attention-buckets.ts';
import { type AttentionKey, mergedKeys } from './attention-keys.ts';

/** Keys of a pull queue that are looked through for one claim: the index may show what others have just claimed. */
const MAX_PULL_KEYS = 1_000;

/** Pending ones of a queue that outside workers claim from, oldest due first. What waits for a slot is not among them. */
export async function pullable(
  context: StoreContext,
  queue: string,
  now: EpochMs,
  limit: number,
): Promise<PendingOccurrence[]> {
  const ready: PendingOccurrence[] = [];
  const pageSize = Math.min(BATCH_GET_KEYS, Math.max(limit, 10));
  const keys = mergedKeys(context, pullBuckets(queue), { until: now, pageSize });
  for (let looked = 0; looked < MAX_PULL_KEYS && ready.length < limit; looked += pageSize) {
    const some = await take(keys, pageSize);
    const items = await batchGet(context.client, context.occurrencesTable, some);
    const open = openAmong(items).filter((one) => one.status === 'pending');
    ready.push(
      ...open.filter((one) => one.pullQueue === queue && one.dueAt <= now && one.waitingFor === undefined),
    );
    if (some.length < pageSize) break;
  }
  return ready.slice(0, limit);
}

async function take(keys: AsyncGenerator<AttentionKey>, count: number): Promise<AttentionKey[]> {
  const taken: AttentionKey[] = [];
  while (taken.length < count) {
    const next = await keys.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

/** What ended without success on a UTC day, across schedules, newest first. */
export async function listAttention(
  context: StoreContext,
  query: Parameters<OccurrenceStore['listAttention']>[0],
): Promise<Page<Occurrence>> {
  const { status, limit } = query;
  const scope = `attention:${query.day}:${status ?? ''}`;
  const after: Record<string, AttentionKey> =
    query.cursor === undefined ? {} : positionsOf(scope, query.cursor);
  const keys = mergedKeys(context, dayBuckets(query.day), {
    newestFirst: true,
    pageSize: limit + 1,
    after,
  });
  // One more than asked for tells whether there is another page.
  const read = await refuseForeignCursor(query.cursor, () => take(keys, limit + 1));
  const page = read.slice(0, limit);
  // Replayed since: the index may not know yet.
  const found = (await batchGet(context.client, context.occurrencesTable, page)).map(occurrenceOf);
  const items = found.filter((one) =>
    status === undefined ? one.status === 'failed' || one.status === 'missed' : one.status === status,
  );
  if (read.length <= limit) return { items };
  for (const key of page) after[key.attention_day] = key;
  return { items, cursor: encodeCursor(scope, textOf(after)) };
}

/** A cursor holds, for each bucket that gave something, where it goes on: equal times have no order across buckets. */
function textOf(positions: Readonly<Record<string, AttentionKey>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(positions).map(([bucket, { attention_at, pk, sk }]) => [
      bucket,
      JSON.stringify([attention_at, pk, sk]),
    ]),
  );
}

function positionsOf(scope: string, cursor: string): Record<string, AttentionKey> {
  const text = Object.entries(decodeCursor(scope, cursor));
  try {
    return Object.fromEntries(
      text.map(([bucket, position]) => {
        const [attention_at, pk, sk] = JSON.parse(String(position));
        return [bucket, { attention_day: bucket, attention_at, pk, sk }];
      }),
    );
  } catch {
    throw foreignCursor(cursor);
  }
}
