import type { ScheduleId } from '../../../core/ids.ts';
import type { IdempotencyRecord } from '../../../core/ports/idempotency-record.ts';
import type { CreateBesideResult } from '../../../core/ports/occurrence-store.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import { conditioned, isAbsent, isAtRevision } from '../conditions.ts';
import { idempotencyAction } from '../idempotency-records.ts';
import type { Item } from '../item.ts';
import { headKey } from '../keys.ts';
import { transact, type WriteAction } from '../transact.ts';

/** That a schedule is still at the revision that it was read at; the answer to a refusal says how it stands. */
export function standsAt(
  { schedulesTable: TableName }: Pick<StoreContext, 'schedulesTable'>,
  { schedule, revision }: { readonly schedule: ScheduleId; readonly revision: number },
): WriteAction {
  return {
    ConditionCheck: {
      TableName,
      Key: headKey(schedule),
      ...conditioned(isAtRevision(revision)),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** Creates what a person asked for of a schedule, once per key and request, and only of the revision that is in force. */
export async function createBesideLiveSchedule(
  context: StoreContext,
  of: { readonly schedule: ScheduleId; readonly revision: number },
  {
    put,
    idempotency,
    now,
  }: {
    readonly put: { readonly TableName: string; readonly Item: Item };
    readonly idempotency?: IdempotencyRecord | undefined;
    readonly now: EpochMs;
  },
): Promise<CreateBesideResult> {
  const result = await transact(context.client, [
    standsAt(context, of),
    { Put: { ...put, ...conditioned(isAbsent) } },
    ...(idempotency ? [idempotencyAction(context, idempotency, now)] : []),
  ]);
  if (result.kind === 'committed') return { kind: 'created' };
  const head = result.failed.get(0);
  if (result.failed.has(0) && (head === undefined || head.state === 'deleted'))
    return { kind: 'no-schedule' };
  // A request that comes again has been carried out, whatever was edited since.
  return { kind: result.failed.has(1) || result.failed.has(2) ? 'conflict' : 'other-revision' };
}
