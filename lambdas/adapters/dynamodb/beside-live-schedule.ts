import type { ScheduleId } from '../../core/ids.ts';
import type { IdempotencyRecord } from '../../core/ports.ts';
import type { EpochMs } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import { conditioned, isAbsent, isLiveSchedule } from './conditions.ts';
import type { Item } from './head-items.ts';
import { idempotencyAction } from './idempotency-records.ts';
import { headKey } from './keys.ts';
import { transact, type WriteAction } from './transact.ts';

export type CreateBesideResult =
  | { readonly kind: 'created' }
  /** It is there already, or the request was carried out before. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'no-schedule' };

/** Creates what a person asked for of a schedule, once per key and request, and only while the schedule lives. */
export async function createBesideLiveSchedule(
  context: StoreContext,
  {
    schedule,
    put,
    idempotency,
    now,
  }: {
    readonly schedule: ScheduleId;
    readonly put: { readonly TableName: string; readonly Item: Item };
    readonly idempotency?: IdempotencyRecord | undefined;
    readonly now: EpochMs;
  },
): Promise<CreateBesideResult> {
  const lives: WriteAction = {
    ConditionCheck: {
      TableName: context.schedulesTable,
      Key: headKey(schedule),
      ...conditioned(isLiveSchedule),
    },
  };
  const result = await transact(context.client, [
    lives,
    { Put: { ...put, ...conditioned(isAbsent) } },
    ...(idempotency ? [idempotencyAction(context, idempotency, now)] : []),
  ]);
  if (result.kind === 'committed') return { kind: 'created' };
  return { kind: result.failed.has(0) ? 'no-schedule' : 'conflict' };
}
