import type { IdempotencyRecord } from '../../core/ports.ts';
import type { EpochMs } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import { conditioned, expression, isAbsent, or } from './conditions.ts';
import { idempotencyItem } from './head-items.ts';
import type { WriteAction } from './transact.ts';

/** Remembers a request, in the transaction that carries it out; refused when it was carried out before. */
export function idempotencyAction(
  { schedulesTable: TableName }: Pick<StoreContext, 'schedulesTable'>,
  record: IdempotencyRecord,
  now: EpochMs,
): WriteAction {
  // One that ran out but was not purged yet (TTL takes days) does not count.
  const isOver = expression('purge_at < :now_seconds', [], { ':now_seconds': Math.floor(now / 1000) });
  return { Put: { TableName, Item: idempotencyItem(record, now), ...conditioned(or(isAbsent, isOver)) } };
}
