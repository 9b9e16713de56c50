import { openPartition } from '../../../contract/tables.ts';
import { type OccurrenceId, type OccurrenceKey, type Places, shardOf } from '../../../core/ids.ts';
import type {
  AttemptRecord,
  CancelReason,
  Coalesced,
  Occurrence,
  OccurrenceStatus,
  PendingOccurrence,
  RunningOccurrence,
} from '../../../core/occurrence/occurrence.ts';
import { purgeTime, purgeTimeOf } from '../../../core/occurrence/retention.ts';
import type { PlannedOccurrence, PlannedRecord } from '../../../core/planning/planner.ts';
import type { FireNote } from '../../../core/recurrence/types.ts';
import type { OverlapPolicy } from '../../../core/schedule/definition.ts';
import type { EpochMs } from '../../../core/time.ts';
import { pullBucketOf } from '../attention/attention-buckets.ts';
import type { StoreContext } from '../client.ts';
import type { Item } from '../item.ts';
import { type ItemKey, occurrenceItemKey, occurrenceKeyOf } from '../keys.ts';

/** Days that finished occurrences are kept, where their schedule does not say it. */
type Retention = Pick<StoreContext, 'retentionDays'>;

/** The partition of the `open` index that it stands in until it is finished. */
export function openShardOf(
  { schedule, pullQueue }: Pick<Occurrence, 'schedule'> & { readonly pullQueue?: string | undefined },
  shardCount: number,
): number {
  return openPartition(pullQueue === undefined ? 'work' : 'pull', shardOf(schedule, shardCount));
}

/** A new pending occurrence. It names its revision and does not copy the input, so it stays under 1 KB. */
export function pendingItem(planned: PlannedOccurrence, shardCount: number, now: EpochMs): Item {
  return {
    ...occurrenceItemKey(planned),
    status: 'pending',
    due_at: planned.dueAt,
    first_due_at: planned.dueAt,
    open_shard: openShardOf(planned, shardCount),
    dispatch_seq: 1,
    attempt: 0,
    fencing_token: 0,
    created_at: now,
    ...(planned.startBy !== undefined && { start_by: planned.startBy }),
    ...(planned.isAhead && { is_ahead: true }),
    ...(planned.retentionDays !== undefined && { retention_days: planned.retentionDays }),
    ...(planned.notes.length > 0 && { notes: planned.notes }),
    ...(planned.pullQueue !== undefined && pullEntry(planned, planned.pullQueue, planned.dueAt)),
    ...(planned.overlap !== undefined && { overlap: planned.overlap }),
    ...(planned.inputOverride !== undefined && { input_override: planned.inputOverride }),
  };
}

/** One finished record that stands for nominal times that were not run. */
export function coalescedItem(record: PlannedRecord, context: Retention, now: EpochMs): Item {
  return {
    ...occurrenceItemKey(record),
    status: 'coalesced',
    reason: record.reason,
    due_at: record.scheduledTime,
    first_due_at: record.scheduledTime,
    dispatch_seq: 0,
    attempt: 0,
    fencing_token: 0,
    coalesced: record.coalesced,
    ...(record.retentionDays !== undefined && { retention_days: record.retentionDays }),
    created_at: now,
    finished_at: now,
    purge_at: purgeTime([now, record.scheduledTime], record.retentionDays ?? context.retentionDays),
  };
}

/** The record of a time that is still to come and that a person does not want. */
export function skippedItem(
  key: OccurrenceKey & Pick<PlannedOccurrence, 'retentionDays'>,
  context: Retention,
  now: EpochMs,
): Item {
  const record = { ...key, dueAt: key.scheduledTime, notes: [], isAhead: true } as const;
  return {
    ...occurrenceItemKey(key),
    status: 'skipped',
    reason: 'user',
    due_at: key.scheduledTime,
    first_due_at: key.scheduledTime,
    dispatch_seq: 0,
    attempt: 0,
    fencing_token: 0,
    created_at: now,
    finished_at: now,
    is_ahead: true,
    ...(key.retentionDays !== undefined && { retention_days: key.retentionDays }),
    purge_at: purgeTimeOf(record, { at: now }, context.retentionDays),
  };
}

/**
 * Outside workers look for what is due in the `attention` index too, under buckets of their queue's: an
 * occurrence is never both waiting for them and finished without success, so one index serves both.
 */
export function pullEntry(
  key: OccurrenceKey,
  queue: string,
  dueAt: EpochMs,
): Readonly<Record<string, unknown>> {
  return { pull_queue: queue, attention_day: pullBucketOf(key, queue), attention_at: dueAt };
}

export function occurrenceOf(item: Item): Occurrence {
  const base = {
    ...occurrenceKeyOf(item as unknown as ItemKey),
    dueAt: item.due_at as EpochMs,
    firstDueAt: item.first_due_at as EpochMs,
    dispatchSeq: item.dispatch_seq as number,
    places: (item.places as Places | undefined) ?? {},
    kept: (item.kept as Record<string, number> | undefined) ?? {},
    attempt: item.attempt as number,
    fencingToken: item.fencing_token as number,
    roundBase: (item.round_base as number | undefined) ?? 0,
    replays: (item.replays as number | undefined) ?? 0,
    ...(item.input_revision !== undefined && { inputRevision: item.input_revision as number }),
    ...(item.input_override !== undefined && { inputOverride: item.input_override as string }),
    ...(item.overlap !== undefined && { overlap: item.overlap as OverlapPolicy }),
    ...(item.secret !== undefined && { secret: item.secret as string }),
    ...(item.pull_queue !== undefined && { pullQueue: item.pull_queue as string }),
    ...(item.is_ahead === true && { isAhead: true as const }),
    ...(item.retention_days !== undefined && { retentionDays: item.retention_days as number }),
    attempts: (item.attempts as AttemptRecord[] | undefined) ?? [],
    notes: (item.notes as FireNote[] | undefined) ?? [],
    createdAt: item.created_at as EpochMs,
    ...(item.start_by !== undefined && { startBy: item.start_by as EpochMs }),
    ...(item.arrived === true && { arrived: true as const }),
    ...(item.started_at !== undefined && { startedAt: item.started_at as EpochMs }),
  };
  const status = item.status as OccurrenceStatus;
  switch (status) {
    case 'pending':
      return {
        ...base,
        status,
        waits: (item.waits as number | undefined) ?? 0,
        sends: (item.sends as number | undefined) ?? 0,
        redispatches: (item.redispatches as number | undefined) ?? 0,
        ...(item.redispatched_at !== undefined && { redispatchedAt: item.redispatched_at as EpochMs }),
        ...(item.waiting_for !== undefined && { waitingFor: item.waiting_for as string }),
        ...(item.direct_seq === item.dispatch_seq && { isDirect: true as const }),
      };
    case 'running':
      return {
        ...base,
        status,
        lease: { holder: item.holder as string, expiresAt: item.lease_expires_at as EpochMs },
        attemptStartedAt: item.attempt_started_at as EpochMs,
        ...(item.cancel_reason !== undefined && { cancelReason: item.cancel_reason as CancelReason }),
        ...(item.detached === true && { detached: true as const }),
        ...(item.waited === true && { waited: true as const }),
        ...(item.through !== undefined && { through: item.through as EpochMs }),
      };
    default:
      // A finished record is read back as it was written; its reason belongs to its status.
      return {
        ...base,
        status,
        finishedAt: item.finished_at as EpochMs,
        ...(item.reason !== undefined && { reason: item.reason as string }),
        ...(item.blocked_by !== undefined && { blockedBy: item.blocked_by as OccurrenceId }),
        ...(item.coalesced !== undefined && { coalesced: item.coalesced as Coalesced }),
      } as Occurrence;
  }
}

/** The index may be behind: what has finished meanwhile drops out here. */
export function openAmong(items: readonly Item[]): (PendingOccurrence | RunningOccurrence)[] {
  return items
    .map(occurrenceOf)
    .filter((occurrence) => occurrence.status === 'pending' || occurrence.status === 'running');
}
