import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { splitScheduleId } from '../../../core/ids.ts';
import type { CancelReason, PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { ChangeResult, ScheduleChange } from '../../../core/ports/schedule-store.ts';
import { afterOtherKeyLimits, applyKeyLimit } from '../../../core/slots/fill.ts';
import { giveBackQuietly } from '../../../core/slots/hand-over.ts';
import type { EpochMs } from '../../../core/time.ts';
import { calendarKey, calendarUserKey } from '../calendars/calendar-items.ts';
import type { StoreContext } from '../client.ts';
import {
  and,
  conditioned,
  dispatchSeqIs,
  headUnchanged,
  isAbsent,
  isCurrent,
  isPending,
} from '../conditions.ts';
import { chargeAction } from '../groups/group-items.ts';
import { idempotencyAction } from '../idempotency-records.ts';
import { commitCreating, createAction, createActions } from '../occurrences/creates.ts';
import { skippedItem } from '../occurrences/occurrence-items.ts';
import { moveOf } from '../occurrences/occurrence-transitions.ts';
import { cancelUpdate } from '../occurrences/occurrence-updates.ts';
import { revivalAction } from '../planning/revivals.ts';
import { createSlotStore } from '../slots/slot-store.ts';
import { MAX_ACTIONS, type WriteAction } from '../transact.ts';
import { headItem, revisionItem } from './head-items.ts';
import { watchAction } from './watch-items.ts';

/** Single writes under way at once. */
const CONCURRENCY = 16;

export function cancelRequest(
  context: StoreContext,
  pending: PendingOccurrence,
  reason: CancelReason,
  now: EpochMs,
) {
  const update = cancelUpdate(context, pending, reason, now);
  // The seq too: between read and write it may have run and come back for a retry.
  const condition = and(isPending, dispatchSeqIs(pending.dispatchSeq));
  return moveOf(context, pending, update, condition);
}

/**
 * A change of a schedule in one transaction: head, revision, idempotency record, cancels and creates. Cancels
 * that do not fit follow one by one before this returns. If the process dies in between, they stay pending
 * and cannot start all the same: the worker looks at the head after each claim.
 */
export async function applyChange(context: StoreContext, change: ScheduleChange): Promise<ChangeResult> {
  const { expected, head, idempotency, now } = change;
  const slots = createSlotStore(context);
  const revision = change.revision && (await afterOtherKeyLimits(slots, change.revision));
  const unchanged = expected === null ? isAbsent : headUnchanged(expected);
  const fixed: WriteAction[] = [
    {
      Put: {
        TableName: context.schedulesTable,
        Item: headItem(head, context.shardCount, context.retentionDays),
        ...conditioned(unchanged),
      },
    },
    ...(revision
      ? [
          {
            Put: {
              TableName: context.schedulesTable,
              Item: revisionItem(revision),
              ...conditioned(isAbsent),
            },
          },
        ]
      : []),
    ...(idempotency ? [idempotencyAction(context, idempotency, now)] : []),
    ...(change.group ? [chargeAction(context, splitScheduleId(head.id).group, change.group, now)] : []),
    ...calendarActions(context, change),
    ...(change.revival ? [revivalAction(context, change.revival)] : []),
    ...(change.watch ? [watchAction(context, head.id, change.watch)] : []),
  ];
  const creates = [
    ...createActions(context, change.create, change.records, now),
    ...(change.skipped ?? []).map((key) => createAction(context, skippedItem(key, context, now))),
  ];
  const room = MAX_ACTIONS - fixed.length - creates.length;
  // Under a revision that stays in force a cancel cannot wait: what it stops, made anew here, would run twice.
  const reserved = head.oldestRevision === undefined ? 0 : change.cancel.length;
  if (room < reserved) {
    throw new Error(
      `A change creates ${creates.length} and cancels ${reserved} at once; a transaction has no room.`,
    );
  }
  const cancels = change.cancel.map((pending) => cancelRequest(context, pending, change.cancelReason, now));
  const inside = cancels.slice(0, room).map((update): WriteAction => ({ Update: update }));
  const cancelOutside = async (pending: PendingOccurrence) => {
    const update = cancelRequest(context, pending, change.cancelReason, now);
    if (await writeIfUnchanged(context, update)) await giveBackQuietly(slots, pending, now);
  };
  const outside = () => pMap(change.cancel.slice(room), cancelOutside, { concurrency: CONCURRENCY });

  if (change.cancelsFirst) await outside();
  const outcome = await commitCreating(context, [...fixed, ...inside], creates);
  if (outcome === 'conflict') return { kind: 'conflict' };
  for (const create of createActions(context, change.createAfter ?? [], [], now)) {
    await commitCreating(context, [], [create]);
  }
  if (!change.cancelsFirst) await outside();
  await pMap(change.cancel.slice(0, room), (pending) => giveBackQuietly(slots, pending, now), {
    concurrency: CONCURRENCY,
  });
  if (revision) await applyKeyLimit(slots, revision, now);
  return { kind: 'applied' };
}

/** A calendar that was edited or deleted since it was read is a conflict: the change is decided anew. */
function calendarActions({ schedulesTable: TableName }: StoreContext, change: ScheduleChange): WriteAction[] {
  const { after, before } = change.calendars ?? { after: [], before: [] };
  const names = after.map(({ name }) => name);
  const { id } = change.head;
  return [
    ...after.map(({ name, version }) => ({
      ConditionCheck: { TableName, Key: calendarKey(name), ...conditioned(isCurrent(version)) },
    })),
    ...after.map(({ name, version }) => ({
      Put: { TableName, Item: { ...calendarUserKey(name, id), version } },
    })),
    ...before
      .filter((name) => !names.includes(name))
      .map((name) => ({ Delete: { TableName, Key: calendarUserKey(name, id) } })),
  ];
}

async function writeIfUnchanged(
  context: StoreContext,
  update: ReturnType<typeof cancelRequest>,
): Promise<boolean> {
  try {
    await context.client.send(new UpdateCommand(update));
    return true;
  } catch (error) {
    // It started before the head changed, or its worker has cancelled it by the head already; or it was replayed.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return false;
  }
}
