import { isMoved } from '../../../core/occurrence/notes.ts';
import type { CancelReason } from '../../../core/occurrence/occurrence.ts';
import type { PlannedOccurrence, PlannedRecord } from '../../../core/planning/planner.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import { and, cancelledUnstarted, conditioned, expression, isAbsent } from '../conditions.ts';
import type { Item } from '../item.ts';
import { transact, type WriteAction } from '../transact.ts';
import { coalescedItem, occurrenceOf, pendingItem } from './occurrence-items.ts';

/** The put of an occurrence under a key of its own. */
export interface Create {
  readonly put: NonNullable<WriteAction['Put']>;
  /** When the planner makes it; what a person decided about its time before a pause then holds. */
  readonly plannedAt?: EpochMs;
  /** It may have stood under this key before, and been taken to another. */
  readonly comesBack?: true;
}

/** Written only when its key is free (docs/guarantees.md, 2); where it is not, the answer says what is there. */
export function createAction({ occurrencesTable: TableName }: StoreContext, Item: Item): Create {
  return {
    put: { TableName, Item, ...conditioned(isAbsent), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  };
}

/** Puts for what a plan creates. */
export function createActions(
  context: StoreContext,
  create: readonly PlannedOccurrence[],
  records: readonly PlannedRecord[],
  now: EpochMs,
): Create[] {
  return [
    ...create.map((planned) => ({
      ...createAction(context, pendingItem(planned, context.shardCount, now)),
      plannedAt: now,
    })),
    ...records.map((record) => createAction(context, coalescedItem(record, context, now))),
  ];
}

/** What a person moved, where its time now stands: zone data that is taken back has it stand where it stood before. */
export function recreateAction(context: StoreContext, moved: PlannedOccurrence, now: EpochMs): Create {
  return { ...createAction(context, pendingItem(moved, context.shardCount, now)), comesBack: true };
}

/**
 * What a pause cancelled before any attempt is made again, since otherwise pausing and resuming within the plan
 * window would lose its time. It may have been claimed and given up without a call: its tokens go on from there, so
 * that a late request of that claim does not fit a new one.
 */
function again(create: Create, left: Item): Create {
  const { put, plannedAt } = create;
  const { fencingToken, dispatchSeq, ...before } = occurrenceOf(left);
  const isStillMoved = plannedAt !== undefined && isMoved(before) && before.dueAt > plannedAt;
  const unchanged = expression('fencing_token = :seen_token AND dispatch_seq = :seen_seq', [], {
    ':seen_token': fencingToken,
    ':seen_seq': dispatchSeq,
  });
  const Item = {
    ...put.Item,
    ...(isStillMoved && movedAs(left)),
    ...(isStillMoved && put.Item?.attention_at !== undefined && { attention_at: before.dueAt }),
    fencing_token: fencingToken,
    dispatch_seq: dispatchSeq + 1,
  };
  const condition = conditioned(and(cancelledUnstarted(left.reason as CancelReason), unchanged));
  return { ...create, put: { ...put, Item, ...condition } };
}

/** When it is to start, as a person had it. */
function movedAs({ due_at, first_due_at, notes, start_by }: Item): Item {
  return { due_at, first_due_at, notes, ...(start_by !== undefined && { start_by }) };
}

export const putOf = ({ put }: Create): WriteAction => ({ Put: put });

function mayComeAgain({ comesBack }: Create, { status, reason, attempt }: Item): boolean {
  const isLeft = reason === 'paused' || (comesBack === true && reason === 'superseded');
  return status === 'cancelled' && isLeft && attempt === 0;
}

/**
 * Commits `required` and `creates` together. Where only creates fail, their nominal times have a record already: the
 * rest commits without them (`leave-out`), so that a record in the way can never wedge a schedule; or nothing does.
 */
export async function commitCreating(
  context: StoreContext,
  required: readonly WriteAction[],
  creates: readonly Create[],
  taken: 'leave-out' | 'conflict' = 'leave-out',
): Promise<'committed' | 'conflict'> {
  let left = creates;
  for (;;) {
    const result = await transact(context.client, [...required, ...left.map(putOf)]);
    if (result.kind === 'committed') return 'committed';
    for (const index of result.failed.keys()) if (index < required.length) return 'conflict';
    // Every round drops a create, or meets a record that somebody has just written; so this ends.
    left = left.flatMap((create, index) => {
      if (!result.failed.has(required.length + index)) return [create];
      const found = result.failed.get(required.length + index);
      return found && mayComeAgain(create, found) ? [again(create, found)] : [];
    });
    if (taken === 'conflict' && left.length < creates.length) return 'conflict';
  }
}
