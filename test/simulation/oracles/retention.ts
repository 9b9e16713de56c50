import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { TTL_ATTRIBUTE } from '../../../lambdas/contract/tables.ts';
import { isTerminal, type OccurrenceStatus } from '../../../lambdas/core/occurrence/occurrence.ts';
import { DAY, SECOND, toIso } from '../../../lambdas/core/time.ts';
import type { Item } from '../world/observer.ts';

/**
 * Invariant 9: only what is finished is ever purged, and not before its own times have passed by what is to be kept:
 * when it ended, when it was due, and the nominal times that it stands for, which the planner may have to come to yet.
 */
export function purgeFaults(records: readonly DynamoDBRecord[]): string[] {
  return records.flatMap(({ dynamodb }) => {
    const { Keys, NewImage } = dynamodb ?? {};
    if (!Keys?.sk?.S?.startsWith('O#') || !NewImage) return [];
    return purgeFaultsOf(unmarshall(NewImage as Record<string, AttributeValue>));
  });
}

function purgeFaultsOf(item: Item): string[] {
  const purgeAt = item[TTL_ATTRIBUTE] as number | undefined;
  if (purgeAt === undefined) return [];
  const name = `${item.pk} ${item.sk}`;
  if (!isTerminal(item.status as OccurrenceStatus)) return [`${name} is ${item.status} and to be purged`];
  const { scheduledTime } = occurrenceKeyOf(item as never);
  const range = item.coalesced as { readonly to: number } | undefined;
  const own = [item.finished_at, item.due_at, scheduledTime, range?.to];
  const last = Math.max(...own.filter((time) => typeof time === 'number'));
  const keptFor = ((item.retention_days as number | undefined) ?? 1) * DAY;
  return purgeAt * SECOND >= last + keptFor
    ? []
    : [`${name} is purged at ${toIso(purgeAt * SECOND)}, too soon after ${toIso(last)}`];
}
