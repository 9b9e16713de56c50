import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { purgeTime } from '../../core/occurrence/retention.ts';
import type { IdempotencyRecord } from '../../core/ports/idempotency-record.ts';
import type { EpochMs } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import { conditioned, expression, isAbsent, or } from './conditions.ts';
import type { Item } from './item.ts';
import { idempotencyItemKey } from './keys.ts';
import { IDEMPOTENCY_DAYS } from './schedules/head-items.ts';
import type { WriteAction } from './transact.ts';

/** Remembers a request, in the transaction that carries it out; refused when it was carried out before. */
export function idempotencyAction(
  { schedulesTable: TableName }: Pick<StoreContext, 'schedulesTable'>,
  record: IdempotencyRecord,
  now: EpochMs,
): WriteAction {
  return { Put: { TableName, Item: idempotencyItem(record, now), ...conditioned(isFree(now)) } };
}

/** One that ran out but was not purged yet (TTL takes days) does not count. */
const isFree = (now: EpochMs) =>
  or(isAbsent, expression('purge_at < :now_seconds', [], { ':now_seconds': Math.floor(now / 1000) }));

/** Notes a request that is carried out by more than one write. */
export async function writeIdempotency(
  { client, schedulesTable: TableName }: StoreContext,
  record: IdempotencyRecord,
  before: string | undefined,
  now: EpochMs,
): Promise<boolean> {
  const isMine = expression('#result = :before OR #result = :result', ['result'], {
    ':before': before,
    ':result': record.result,
  });
  const condition = conditioned(before === undefined ? isFree(now) : isMine);
  try {
    await client.send(new PutCommand({ TableName, Item: idempotencyItem(record, now), ...condition }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

export function idempotencyItem(record: IdempotencyRecord, now: EpochMs): Item {
  return {
    ...idempotencyItemKey(record.key),
    request_hash: record.requestHash,
    result: record.result,
    purge_at: purgeTime([now], IDEMPOTENCY_DAYS),
  };
}
