import type { OccurrenceId, OccurrenceKey } from '../../../core/ids.ts';
import type {
  CancelledOccurrence,
  CancelReason,
  Occurrence,
  PendingOccurrence,
  SkippedOccurrence,
  SkipReason,
} from '../../../core/occurrence/occurrence.ts';
import { purgeTimeOf } from '../../../core/occurrence/retention.ts';
import type { PlannedOccurrence } from '../../../core/planning/planner.ts';
import type { FencedResult } from '../../../core/ports/fenced-result.ts';
import type { AheadOfPlan } from '../../../core/ports/occurrence-store.ts';
import type { FireNote } from '../../../core/recurrence/types.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import type { EpochMs } from '../../../core/time.ts';
import { pullBucketOf } from '../attention/attention-buckets.ts';
import type { StoreContext } from '../client.ts';
import {
  and,
  dispatchSeqIs,
  type Expression,
  expression,
  isLiveSchedule,
  isPending,
  placeholders,
} from '../conditions.ts';
import { headKey, occurrenceItemKey } from '../keys.ts';
import { standsAt } from '../schedules/create-if-schedule-live.ts';
import { transact } from '../transact.ts';
import { commitCreating, createAction } from './creates.ts';
import { openShardOf, pendingItem, skippedItem } from './occurrence-items.ts';
import { fenced, move, moveOf } from './occurrence-transitions.ts';
import { cancelUpdate, SLOT_ATTRIBUTES } from './occurrence-updates.ts';

/** Moves of the status machine that a person, or another occurrence, asks for. */

const seen = (pending: PendingOccurrence): Expression => and(isPending, dispatchSeqIs(pending.dispatchSeq));

export async function cancel(
  context: StoreContext,
  pending: PendingOccurrence,
  reason: CancelReason,
  now: EpochMs,
): Promise<FencedResult> {
  const update = cancelUpdate(context, pending, reason, now);
  return fenced(await move(context, pending, update, seen(pending)));
}

export async function skip(
  context: StoreContext,
  pending: PendingOccurrence,
  reason: SkipReason,
  blockedBy: OccurrenceId | undefined,
  now: EpochMs,
): Promise<FencedResult> {
  const update = expression(
    'SET #status = :skipped, reason = :reason, finished_at = :now, purge_at = :purge_at' +
      `${blockedBy === undefined ? '' : ', blocked_by = :blocked_by'} ADD dispatch_seq :one ` +
      `REMOVE open_shard, ${SLOT_ATTRIBUTES}, attention_day, attention_at`,
    ['status'],
    {
      ':skipped': 'skipped',
      ':reason': reason,
      ':now': now,
      ':purge_at': purgeTimeOf(pending, { at: now, reason }, context.retentionDays),
      ':one': 1,
      ...(blockedBy !== undefined && { ':blocked_by': blockedBy }),
    },
  );
  return fenced(await move(context, pending, update, seen(pending)));
}

/** What a pause had stopped is pending again, due when it was. */
export function revival(context: StoreContext, held: CancelledOccurrence) {
  const { sets, removes, values } = reopened(context, held, held.dueAt);
  const update = expression(
    `SET ${sets} ADD dispatch_seq :one REMOVE ${removes.join(', ')}`,
    ['status'],
    values,
  );
  return { key: occurrenceItemKey(held), update, condition: stillFinished(held) };
}

/** What takes a finished occurrence back among the open ones. */
function reopened(
  context: StoreContext,
  occurrence: OccurrenceKey & { readonly pullQueue?: string | undefined },
  dueAt: EpochMs,
) {
  const pull = occurrence.pullQueue;
  return {
    sets:
      '#status = :pending, open_shard = :shard, due_at = :due, redispatches = :zero' +
      (pull === undefined ? '' : ', attention_day = :pull, attention_at = :due'),
    removes: ['finished_at', 'reason', 'purge_at', 'blocked_by', 'redispatched_at'].concat(
      pull === undefined ? ['attention_day', 'attention_at'] : [],
    ),
    values: {
      ':pending': 'pending',
      ':shard': openShardOf(occurrence, context.shardCount),
      ':due': dueAt,
      ':zero': 0,
      ':one': 1,
      ...(pull !== undefined && { ':pull': pullBucketOf(occurrence, pull) }),
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
  dueAt: EpochMs,
  inputRevision: number | undefined,
): Promise<FencedResult | { readonly kind: 'other-revision' }> {
  const { sets, removes, values } = reopened(context, finished, dueAt);
  // A replay with the original input forgets the choice of the one before it.
  if (inputRevision === undefined) removes.push('input_revision');
  const update = expression(
    `SET ${sets}, first_due_at = :due, round_base = :base` +
      `${inputRevision === undefined ? '' : ', input_revision = :input_revision'} ` +
      // A person wants it whatever its start deadline was.
      `ADD dispatch_seq :one, replays :one REMOVE ${removes.join(', ')}, start_by`,
    ['status'],
    {
      ...values,
      ':base': finished.attempt,
      ...(inputRevision !== undefined && { ':input_revision': inputRevision }),
    },
  );
  const condition = stillFinished(finished);
  if (inputRevision === undefined) return fenced(await move(context, finished, update, condition));
  const result = await transact(context.client, [
    standsAt(context, { schedule: finished.schedule, revision: inputRevision }),
    { Update: moveOf(context, finished, update, condition) },
  ]);
  if (result.kind === 'committed') return { kind: 'done' };
  return { kind: result.failed.has(1) ? 'lost-lease' : 'other-revision' };
}

/** As the planner would have created it: the record of a skip may be older than that. */
export async function unskip(
  context: StoreContext,
  skipped: SkippedOccurrence,
  as: Pick<PlannedOccurrence, 'dueAt' | 'startBy' | 'pullQueue'>,
): Promise<FencedResult> {
  const { sets, removes, values } = reopened(context, { ...skipped, pullQueue: as.pullQueue }, as.dueAt);
  const { startBy, pullQueue } = as;
  const update = expression(
    `SET ${sets}, first_due_at = :due${startBy === undefined ? '' : ', start_by = :start_by'}` +
      `${pullQueue === undefined ? '' : ', pull_queue = :queue'} ` +
      `ADD dispatch_seq :one REMOVE ${removes.join(', ')}`,
    ['status'],
    {
      ...values,
      ...(startBy !== undefined && { ':start_by': startBy }),
      ...(pullQueue !== undefined && { ':queue': pullQueue }),
    },
  );
  return fenced(await move(context, skipped, update, stillFinished(skipped)));
}

export async function reschedule(
  context: StoreContext,
  pending: PendingOccurrence,
  to: { readonly dueAt: EpochMs; readonly startBy?: EpochMs; readonly notes: readonly FireNote[] },
): Promise<FencedResult> {
  const pull = pending.pullQueue;
  const update = expression(
    `SET due_at = :due, first_due_at = :due, notes = :notes${pull === undefined ? '' : ', attention_day = :pull, attention_at = :due'}` +
      `${to.startBy === undefined ? '' : ', start_by = :start_by'} ` +
      `ADD dispatch_seq :one REMOVE redispatched_at, ${SLOT_ATTRIBUTES}${to.startBy === undefined ? ', start_by' : ''}`,
    [],
    {
      ':due': to.dueAt,
      ':notes': to.notes,
      ':one': 1,
      ...(pull !== undefined && { ':pull': pullBucketOf(pending, pull) }),
      ...(to.startBy !== undefined && { ':start_by': to.startBy }),
    },
  );
  return fenced(await move(context, pending, update, seen(pending)));
}

/**
 * A record under the key of a time that is still to come. When the planner gets there it finds the time
 * accounted for and goes on (schedule-changes.ts), so that nothing else has to know of it. The head's version
 * grows with it: an edit that did not see the record is refused, and carries it over when it comes again.
 */
export async function createAhead(
  context: StoreContext,
  ahead: AheadOfPlan,
  head: Pick<ScheduleHead, 'id' | 'version' | 'revision'>,
  now: EpochMs,
): Promise<FencedResult> {
  const bump = expression('SET #version = :next_version, updated_at = :now', ['version'], {
    ':next_version': head.version + 1,
    ':now': now,
  });
  const asSeen = and(
    isLiveSchedule,
    expression('#version = :seen_version AND revision = :seen_revision', ['version'], {
      ':seen_version': head.version,
      ':seen_revision': head.revision,
    }),
  );
  const Item =
    ahead.kind === 'skip'
      ? skippedItem(ahead.key, context, now)
      : pendingItem({ ...ahead.occurrence, isAhead: true }, context.shardCount, now);
  const bumpHead = {
    Update: {
      TableName: context.schedulesTable,
      Key: headKey(head.id),
      UpdateExpression: bump.text,
      ConditionExpression: asSeen.text,
      ...placeholders(bump, asSeen),
    },
  };
  // What a pause cancelled is as good as not there: a resume would create it again.
  const outcome = await commitCreating(context, [bumpHead], [createAction(context, Item)], 'conflict');
  return { kind: outcome === 'committed' ? 'done' : 'lost-lease' };
}
