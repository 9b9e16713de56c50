import type { ScheduleId } from '../ids.ts';
import type { Occurrence, OccurrenceStatus } from '../occurrence/occurrence.ts';
import type { PlannedOccurrence } from '../planning/planner.ts';
import type { IdempotencyRecord } from '../ports/idempotency-record.ts';
import type { CreateBesideResult } from '../ports/occurrence-store.ts';
import type { Page } from '../ports/page.ts';
import type { PlanningPolicy, ScheduleHead } from '../schedule/head.ts';
import type { EpochMs } from '../time.ts';
import type { Backfill } from './backfill.ts';

/** The statuses of the records at each nominal time, other than those of manual occurrences. */
export interface Records {
  readonly statuses: ReadonlyMap<EpochMs, readonly OccurrenceStatus[]>;
  /** The records beyond this were too many to read; null when all were read. */
  readonly through: EpochMs | null;
}

export interface BackfillStore {
  /** Read consistently. */
  readBackfill(schedule: ScheduleId, id: string): Promise<Backfill | undefined>;
  /** The latest first. */
  listBackfills(query: {
    readonly schedule: ScheduleId;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<Backfill>>;
  createBackfill(made: {
    readonly backfill: Backfill;
    readonly idempotency?: IdempotencyRecord;
    readonly now: EpochMs;
  }): Promise<CreateBesideResult>;
  /** Keys of one shard that are due by `until`, then read consistently. */
  dueBackfills(shard: number, until: EpochMs): AsyncIterable<readonly Backfill[]>;
  /** The head as it is (tombstones included), and what planning needs of the backfill's own revision. */
  scheduleOf(backfill: Backfill): Promise<{
    readonly head: ScheduleHead | undefined;
    readonly policy: PlanningPolicy | undefined;
  }>;
  /** The occurrences at the backfill's open times, by time; what is not there is left out. */
  openOccurrences(backfill: Backfill): Promise<ReadonlyMap<EpochMs, Occurrence>>;
  /** What the ledger holds from `from` to `to`, read in that order: `to` may be the earlier one. */
  recordsBetween(schedule: ScheduleId, from: EpochMs, to: EpochMs): Promise<Records>;
  /** Progress and creation in one transaction; nothing when somebody else wrote since `seen`. */
  saveBackfill(
    seen: Backfill,
    next: Backfill,
    create: readonly PlannedOccurrence[],
  ): Promise<'saved' | 'lost-race'>;
  /** Lets the item of its slot go, long after its last occurrence. */
  retireSlot(backfill: Backfill, now: EpochMs): Promise<void>;
}
