import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Occurrence } from '../../../core/occurrence/occurrence.ts';
import type { OccurrenceQuery } from '../../../core/ports/occurrence-store.ts';
import type { Page } from '../../../core/ports/page.ts';
import type { StoreContext } from '../client.ts';
import { decodeCursor, encodeCursor, refuseForeignCursor } from '../cursor.ts';
import type { Item } from '../item.ts';
import { type ItemKey, occurrenceKeyOf, occurrenceRange, schedulePk } from '../keys.ts';
import { occurrenceOf } from './occurrence-items.ts';

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
