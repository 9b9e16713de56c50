import {
  type Backfill,
  type BackfillCounts,
  type BackfillOrder,
  type BackfillState,
  isFinished,
  type Reprocess,
} from '../../../core/backfill/backfill.ts';
import { shardOf } from '../../../core/ids.ts';
import { type PurgeTime, purgeTime } from '../../../core/occurrence/retention.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Item } from '../item.ts';
import { backfillKey, scheduleIdOf } from '../keys.ts';

/** A finished backfill, and the item of its slot, outlive the last of its occurrences by so many days. */
const EXTRA_DAYS = 7;

export function purgeAfterAll(
  backfill: Pick<Backfill, 'retentionDays'>,
  retentionDays: number,
  finishedAt: EpochMs,
): PurgeTime {
  return purgeTime([finishedAt], (backfill.retentionDays ?? retentionDays) + EXTRA_DAYS);
}

/** A backfill as stored, beside the head of its schedule. It is in the index `due` only while there is something to look for. */
export function backfillItem(backfill: Backfill, shardCount: number, retentionDays: number): Item {
  return {
    ...backfillKey(backfill.schedule, backfill.id),
    state: backfill.state,
    version: backfill.version,
    revision: backfill.revision,
    from: backfill.from,
    to: backfill.to,
    order: backfill.order,
    max_concurrent: backfill.maxConcurrent,
    reprocess: backfill.reprocess,
    ...(backfill.cursor !== null && { cursor: backfill.cursor }),
    open: backfill.open,
    counts: backfill.counts,
    ...(backfill.retentionDays !== undefined && { retention_days: backfill.retentionDays }),
    created_at: backfill.createdAt,
    created_by: backfill.createdBy,
    updated_at: backfill.updatedAt,
    ...(backfill.finishedAt !== undefined && { finished_at: backfill.finishedAt }),
    ...(backfill.reason !== undefined && { reason: backfill.reason }),
    ...(backfill.nextDueAt !== null && {
      next_due_at: backfill.nextDueAt,
      shard: shardOf(backfill.schedule, shardCount),
    }),
    ...(isFinished(backfill) && { purge_at: purgeAfterAll(backfill, retentionDays, backfill.updatedAt) }),
  };
}

export function backfillOf(item: Item): Backfill {
  return {
    schedule: scheduleIdOf(item.pk as string),
    id: (item.sk as string).slice(backfillKey('' as Backfill['schedule'], '').sk.length),
    state: item.state as BackfillState,
    version: item.version as number,
    revision: item.revision as number,
    from: item.from as EpochMs,
    to: item.to as EpochMs,
    order: item.order as BackfillOrder,
    maxConcurrent: item.max_concurrent as number,
    reprocess: item.reprocess as Reprocess,
    cursor: (item.cursor as EpochMs | undefined) ?? null,
    open: item.open as EpochMs[],
    counts: item.counts as BackfillCounts,
    nextDueAt: (item.next_due_at as EpochMs | undefined) ?? null,
    ...(item.retention_days !== undefined && { retentionDays: item.retention_days as number }),
    createdAt: item.created_at as EpochMs,
    createdBy: item.created_by as string,
    updatedAt: item.updated_at as EpochMs,
    ...(item.finished_at !== undefined && { finishedAt: item.finished_at as EpochMs }),
    ...(item.reason !== undefined && { reason: item.reason as NonNullable<Backfill['reason']> }),
  };
}
