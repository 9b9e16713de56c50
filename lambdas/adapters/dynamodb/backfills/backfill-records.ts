import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Records } from '../../../core/backfill/store.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { OccurrenceStatus } from '../../../core/occurrence/occurrence.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import { type ItemKey, occurrenceKeyOf, occurrenceRange, schedulePk } from '../keys.ts';

/** Pages of 1 MB read for one answer. */
const MAX_PAGES = 20;

/** The statuses in the ledger from `from` to `to`, in that order, as far as `MAX_PAGES` go. */
export async function recordsBetween(
  context: StoreContext,
  schedule: ScheduleId,
  from: EpochMs,
  to: EpochMs,
): Promise<Records> {
  const forward = from <= to;
  const { low, high } = forward ? occurrenceRange(from, to) : occurrenceRange(to, from);
  const statuses = new Map<EpochMs, OccurrenceStatus[]>();
  let through: EpochMs | null = null;
  let start: Record<string, unknown> | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const answer = await context.client.send(
      new QueryCommand({
        TableName: context.occurrencesTable,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
        ProjectionExpression: 'pk, sk, #status',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':pk': schedulePk(schedule), ':low': low, ':high': high },
        ScanIndexForward: forward,
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    for (const item of answer.Items ?? []) {
      const { scheduledTime, kind } = occurrenceKeyOf(item as unknown as ItemKey);
      through = scheduledTime;
      // A trigger makes its own time; that this is a nominal one too means nothing.
      if (kind === 'manual') continue;
      const there = statuses.get(scheduledTime) ?? [];
      statuses.set(scheduledTime, [...there, item.status as OccurrenceStatus]);
    }
    start = answer.LastEvaluatedKey;
    if (!start) return { statuses, through: null };
  }
  return { statuses, through };
}
