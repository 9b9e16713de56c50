import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { type OccurrenceKey, shardOf } from '../../core/ids.ts';
import type {
  CancelReason,
  Occurrence,
  PendingOccurrence,
  SkippedOccurrence,
} from '../../core/occurrence.ts';
import type { FencedResult } from '../../core/ports.ts';
import type { FireNote } from '../../core/recurrence/types.ts';
import type { EpochMs } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import {
  and,
  conditioned,
  dispatchSeqIs,
  type Expression,
  expression,
  isAbsent,
  isPending,
} from './conditions.ts';
import { purgeAt } from './head-items.ts';
import { occurrenceItemKey } from './keys.ts';
import { pullBucket } from './occurrence-items.ts';
import { fenced, move } from './occurrence-moves.ts';

/** Moves of the status machine that a person asks for. */

const seen = (pending: PendingOccurrence): Expression => and(isPending, dispatchSeqIs(pending.dispatchSeq));

export async function cancel(
  context: StoreContext,
  pending: PendingOccurrence,
  reason: CancelReason,
  now: EpochMs,
): Promise<FencedResult> {
  const update = expression(
    'SET #status = :cancelled, reason = :reason, finished_at = :now, purge_at = :purge_at ' +
      'REMOVE open_shard, waiting_for, attention_day, attention_at',
    ['status'],
    {
      ':cancelled': 'cancelled',
      ':reason': reason,
      ':now': now,
      ':purge_at': purgeAt(now, context.retentionDays),
    },
  );
  return fenced(await move(context, pending, update, seen(pending)));
}

/** What takes a finished occurrence back among the open ones. */
function reopened(context: StoreContext, occurrence: Occurrence, dueAt: EpochMs) {
  const pull = occurrence.pullQueue;
  return {
    sets:
      '#status = :pending, open_shard = :shard, due_at = :due, redispatches = :zero' +
      (pull === undefined ? '' : ', attention_day = :pull, attention_at = :due'),
    removes: ['finished_at', 'reason', 'purge_at', 'blocked_by', 'redispatched_at', 'start_by'].concat(
      pull === undefined ? ['attention_day', 'attention_at'] : [],
    ),
    values: {
      ':pending': 'pending',
      ':shard': shardOf(occurrence.schedule, context.shardCount),
      ':due': dueAt,
      ':zero': 0,
      ':one': 1,
      ...(pull !== undefined && { ':pull': pullBucket(pull) }),
    },
  };
}

/** Unchanged since it was read: the same end of the same attempt. */
const stillFinished = (occurrence: Occurrence): Expression =>
  expression('#status = :seen_status AND attempt = :seen_attempt AND dispatch_seq = :seen_seq', ['status'], {
    ':seen_status': occurrence.status,
    ':seen_attempt': occurrence.attempt,
    ':seen_seq': occurrence.dispatchSeq,
  });

export async function replay(
  context: StoreContext,
  finished: Occurrence,
  now: EpochMs,
  inputRevision: number | undefined,
): Promise<FencedResult> {
  const { sets, removes, values } = reopened(context, finished, now);
  const update = expression(
    `SET ${sets}, first_due_at = :due, round_base = :base` +
      `${inputRevision === undefined ? '' : ', input_revision = :input_revision'} ` +
      `ADD dispatch_seq :one, replays :one REMOVE ${removes.join(', ')}`,
    ['status'],
    {
      ...values,
      ':base': finished.attempt,
      ...(inputRevision !== undefined && { ':input_revision': inputRevision }),
    },
  );
  return fenced(await move(context, finished, update, stillFinished(finished)));
}

export async function unskip(
  context: StoreContext,
  skipped: SkippedOccurrence,
  now: EpochMs,
): Promise<FencedResult> {
  const dueAt = skipped.dueAt > now ? skipped.dueAt : now;
  const { sets, removes, values } = reopened(context, skipped, dueAt);
  const update = expression(
    `SET ${sets} ADD dispatch_seq :one REMOVE ${removes.join(', ')}`,
    ['status'],
    values,
  );
  return fenced(await move(context, skipped, update, stillFinished(skipped)));
}

export async function reschedule(
  context: StoreContext,
  pending: PendingOccurrence,
  dueAt: EpochMs,
  note: FireNote,
): Promise<FencedResult> {
  const pull = pending.pullQueue !== undefined;
  const update = expression(
    `SET due_at = :due, first_due_at = :due, notes = :notes${pull ? ', attention_at = :due' : ''} ` +
      'ADD dispatch_seq :one REMOVE redispatched_at, start_by',
    [],
    { ':due': dueAt, ':notes': [...pending.notes, note], ':one': 1 },
  );
  return fenced(await move(context, pending, update, seen(pending)));
}

/**
 * A record under the key of a time that is still to come. When the planner gets there it finds the time
 * accounted for and goes on (schedule-changes.ts), so that nothing else has to know of the skip.
 */
export async function createSkipped(
  context: StoreContext,
  key: OccurrenceKey,
  now: EpochMs,
): Promise<FencedResult> {
  const { scheduledTime } = key;
  const Item = {
    ...occurrenceItemKey(key),
    status: 'skipped',
    reason: 'user',
    due_at: scheduledTime,
    first_due_at: scheduledTime,
    dispatch_seq: 0,
    attempt: 0,
    fencing_token: 0,
    created_at: now,
    finished_at: now,
    purge_at: purgeAt(scheduledTime, context.retentionDays),
  };
  try {
    await context.client.send(
      new PutCommand({ TableName: context.occurrencesTable, Item, ...conditioned(isAbsent) }),
    );
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { kind: 'lost-lease' };
    throw error;
  }
}
