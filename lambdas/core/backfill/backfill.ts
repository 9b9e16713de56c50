import type { OccurrenceKey, ScheduleId } from '../ids.ts';
import type { ChangeReason, Occurrence } from '../occurrence/occurrence.ts';
import { type EpochMs, SECOND } from '../time.ts';

/**
 * Runs the past nominal times of one revision of a schedule, a bounded number at a time. `running`: the tick
 * moves it on. `paused`: a person stopped it; resume lets it run again. `cancelled` (by a person, or since its
 * schedule was deleted) and `completed` are final; a cancelled one is still watched until what ran has ended.
 */
export type BackfillState = 'running' | 'paused' | 'cancelled' | 'completed';

export const BACKFILL_STATES = [
  'running',
  'paused',
  'cancelled',
  'completed',
] as const satisfies readonly BackfillState[];

export type BackfillOrder = 'oldest-first' | 'newest-first';
export const BACKFILL_ORDERS = ['oldest-first', 'newest-first'] as const satisfies readonly BackfillOrder[];

/**
 * `none`: only times that nothing ran for (no record, or one that says why not). `failed`: those whose occurrence
 * failed, too. `all`: every time, whatever became of it.
 */
export type Reprocess = 'none' | 'failed' | 'all';
export const REPROCESS = ['none', 'failed', 'all'] as const satisfies readonly Reprocess[];

export interface BackfillCounts {
  /** Nominal times in the range. Each ends up as skipped or created. */
  readonly total: number;
  /** Left alone, by `reprocess`, since an occurrence was there. */
  readonly skipped: number;
  readonly created: number;
  /** How those that were created ended, as far as was seen. */
  readonly succeeded: number;
  readonly failed: number;
  /** Ended without having run: cancelled, or skipped by a person. */
  readonly cancelled: number;
}

export interface Backfill {
  readonly schedule: ScheduleId;
  /** Letters and digits; the token in the keys of its occurrences. Later ones sort after earlier ones. */
  readonly id: string;
  /** The definition that its times and its runs come from; an edit of the schedule does not change it. */
  readonly revision: number;
  readonly state: BackfillState;
  /** +1 on each write, so that of two writers that saw the same one, one loses. */
  readonly version: number;
  /** Both inclusive. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly order: BackfillOrder;
  readonly maxConcurrent: number;
  readonly reprocess: Reprocess;
  /** The next nominal time to decide on, in its order; null when all are decided. */
  readonly cursor: EpochMs | null;
  /** Times whose occurrence was created and has not been seen to end, in the order of their creation. */
  readonly open: readonly EpochMs[];
  readonly counts: BackfillCounts;
  /** When the tick is to look at it; null when there is nothing to look for. */
  readonly nextDueAt: EpochMs | null;
  /** Days that its finished occurrences are kept, where its schedule says it; it outlives them. */
  readonly retentionDays?: number;
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  readonly updatedAt: EpochMs;
  readonly finishedAt?: EpochMs;
  /** Why it was cancelled. */
  readonly reason?: 'user' | (ChangeReason & 'deleted');
}

/** Nominal times of one backfill: a range beyond it is more than a request can count and a person can watch. */
export const MAX_BACKFILL_TIMES = 100_000;
/** More would make the item of its slot large, which every claim and settlement pays for. */
export const MAX_BACKFILL_CONCURRENCY = 100;

/**
 * Occurrences that exist ahead of their turn. The tick comes each minute, so twice what may run at once keeps the
 * workers busy between two of them, and some more keep short runs from waiting for the next minute.
 */
export function aheadOf({ maxConcurrent }: Pick<Backfill, 'maxConcurrent'>): number {
  return 2 * maxConcurrent + 20;
}

/** Less than a tick's period: each tick finds a backfill that has something under way, and no tick finds it twice. */
export const CHECK_EVERY = 30 * SECOND;

/** The slot that its occurrences share; the limit is `maxConcurrent`. */
export function backfillSlot({ id }: Pick<Backfill, 'id'>): string {
  return `backfill:${id}`;
}

export function occurrenceKeyIn(backfill: Backfill, scheduledTime: EpochMs): OccurrenceKey {
  const { schedule, revision, id } = backfill;
  return { schedule, scheduledTime, revision, kind: 'backfill', token: id };
}

/** Whether nothing of it can happen any more. */
export function isFinished({ state, open }: Pick<Backfill, 'state' | 'open'>): boolean {
  return state === 'completed' || (state === 'cancelled' && open.length === 0);
}

/**
 * Stopped by a pause of its backfill before it began. It is to be made again when that is resumed, and so it has
 * not ended.
 */
export function isHeld(occurrence: Occurrence): boolean {
  return occurrence.status === 'cancelled' && occurrence.reason === 'paused' && occurrence.attempt === 0;
}
