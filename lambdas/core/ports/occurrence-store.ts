import type { Dispatched, OccurrenceId, OccurrenceKey, OccurrenceKind, Places, ScheduleId } from '../ids.ts';
import type {
  AttemptRecord,
  CancelledOccurrence,
  CancelReason,
  FailureReason,
  MissReason,
  Occurrence,
  OccurrenceStatus,
  PendingOccurrence,
  RunningOccurrence,
  SkippedOccurrence,
  SkipReason,
} from '../occurrence/occurrence.ts';
import type { PlannedOccurrence } from '../planning/planner.ts';
import type { FireNote } from '../recurrence/types.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { StartNext } from '../slots/hand-over.ts';
import type { SlotStore } from '../slots/store.ts';
import type { EpochMs } from '../time.ts';
import type { CatchUpTallies } from './catch-up-tallies.ts';
import type { FencedResult } from './fenced-result.ts';
import type { IdempotencyRecord } from './idempotency-record.ts';
import type { Page } from './page.ts';

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly occurrence: RunningOccurrence }
  /** It is not pending and due: running elsewhere, finished, cancelled, or due later. `occurrence` is what is there. */
  | { readonly kind: 'not-claimable'; readonly occurrence: Occurrence | undefined };

/** The places that a claim was made on, and the slots that it keeps over retries. */
export interface ClaimedPlaces {
  readonly places: Places;
  readonly kept: readonly string[];
  readonly through?: EpochMs;
}

/** `cancel-requested`: the lease is renewed, and somebody asks that the attempt be stopped. */
export type RenewResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'lost-lease' }
  | { readonly kind: 'cancel-requested'; readonly reason: CancelReason };

/** `cancel-requested`: not back to pending, since somebody asked that it be stopped; settle it as cancelled. */
export type SettleResult = RenewResult;

/** How an attempt ends: for good, or back to pending for another try. */
export type Settlement =
  | { readonly kind: 'succeeded'; readonly record: AttemptRecord }
  | { readonly kind: 'failed'; readonly record: AttemptRecord; readonly reason: FailureReason }
  /** `startBy`: an attempt that has not started by then does not start. Without a record the target was not called. */
  | {
      readonly kind: 'retry';
      readonly record?: AttemptRecord;
      readonly dueAt: EpochMs;
      readonly startBy?: EpochMs;
    }
  /** Stopped by a person or a change of the schedule. Without a record the target was not called. */
  | { readonly kind: 'cancelled'; readonly reason: CancelReason; readonly record?: AttemptRecord };

export interface OccurrenceQuery {
  readonly schedule: ScheduleId;
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  readonly status?: OccurrenceStatus;
  readonly kind?: OccurrenceKind;
  readonly reason?: string;
  /** Newest scheduled time first when absent. */
  readonly oldestFirst?: boolean;
  readonly limit: number;
  readonly cursor?: string;
}

/** What a person decided about a nominal time that the planner has not come to. */
export type AheadOfPlan =
  | { readonly kind: 'skip'; readonly key: OccurrenceKey & Pick<PlannedOccurrence, 'retentionDays'> }
  | { readonly kind: 'create'; readonly occurrence: PlannedOccurrence };

export type CreateBesideResult =
  | { readonly kind: 'created' }
  /** It is there already, or the request was carried out before. */
  | { readonly kind: 'conflict' }
  /** The schedule was deleted, or edited since it was read. */
  | { readonly kind: 'no-schedule' }
  | { readonly kind: 'other-revision' };

/** `overdue` lengthens the pause before the next time; `reissue` says nothing about the occurrence. */
export type RedispatchReason = 'overdue' | 'reissue';

export interface LeaseTerms {
  readonly holder: string;
  readonly expiresAt: EpochMs;
  /** Lets whoever is given it end the attempt from outside. */
  readonly secret?: string;
}

export interface OccurrenceStore extends CatchUpTallies {
  readOccurrence(key: OccurrenceKey): Promise<Occurrence | undefined>;
  listOccurrences(query: OccurrenceQuery): Promise<Page<Occurrence>>;
  /** All of a schedule that are not terminal, oldest first. */
  openOf(schedule: ScheduleId): Promise<readonly (PendingOccurrence | RunningOccurrence)[]>;
  /** Creates a manual occurrence of a live schedule that is at its revision, once per key. */
  createManual(manual: {
    readonly occurrence: PlannedOccurrence;
    readonly idempotency?: IdempotencyRecord;
    readonly now: EpochMs;
  }): Promise<CreateBesideResult>;

  /**
   * pending, due and under this very `dispatchSeq` → running, attempt + 1, fencing token + 1. Said again by the same
   * holder, since the answer was lost, it is the same claim. Past its start deadline it is not claimable (miss).
   */
  claim(attempt: Dispatched, lease: LeaseTerms, now: EpochMs, taken?: ClaimedPlaces): Promise<ClaimResult>;
  /** Places in slots: how they are taken, waited for and given back. Whatever ends an attempt here gives its own back. */
  readonly slots: SlotStore;
  /** pending → skipped. */
  skip(
    pending: PendingOccurrence,
    reason: SkipReason,
    blockedBy: OccurrenceId | undefined,
    now: EpochMs,
  ): Promise<FencedResult>;
  /** Asks whoever runs an occurrence to stop: its worker sees it at the next renewal. */
  requestCancel(key: OccurrenceKey, reason: CancelReason): Promise<FencedResult>;
  /** Refused once the lease has expired at `now`, or somebody else has ended the attempt. */
  renew(running: RunningOccurrence, expiresAt: EpochMs, now: EpochMs): Promise<RenewResult>;
  /** The attempt goes on without a worker: it is completed, failed or extended through the API until then. */
  detach(running: RunningOccurrence, expiresAt: EpochMs): Promise<FencedResult>;
  /** `startNext` is given those that its places are free for now, to be started at once; without it they are sent. */
  settle(
    running: RunningOccurrence,
    settlement: Settlement,
    now: EpochMs,
    startNext?: StartNext,
  ): Promise<SettleResult>;

  /** As `settle`, by somebody else and only once the lease has expired. */
  expire(running: RunningOccurrence, settlement: Settlement, now: EpochMs): Promise<SettleResult>;
  /** Has it handed over again as it is: `sends` + 1, and what is queued already stays valid. */
  redispatch(pending: PendingOccurrence, now: EpochMs, why: RedispatchReason): Promise<FencedResult>;
  /** pending → cancelled. */
  cancel(pending: PendingOccurrence, reason: CancelReason, now: EpochMs): Promise<FencedResult>;
  /** A finished one → pending again: a new round of attempts under the same idempotency key. */
  replay(
    finished: Occurrence,
    dueAt: EpochMs,
    /** The revision in force, as it was read: once it is in force no more, nothing is written. */
    inputRevision?: number,
  ): Promise<FencedResult | { readonly kind: 'other-revision' }>;
  /** Moves the due time of a pending one. */
  reschedule(
    pending: PendingOccurrence,
    to: { readonly dueAt: EpochMs; readonly startBy?: EpochMs; readonly notes: readonly FireNote[] },
    now: EpochMs,
  ): Promise<FencedResult>;
  /** Puts a person's decision where the planner will find it; refused when the head or the time has moved on. */
  createAhead(
    ahead: AheadOfPlan,
    head: Pick<ScheduleHead, 'id' | 'version' | 'revision'>,
    now: EpochMs,
  ): Promise<FencedResult>;
  /** Takes back a skip by a person: pending again. */
  unskip(
    skipped: SkippedOccurrence,
    as: Pick<PlannedOccurrence, 'dueAt' | 'startBy' | 'pullQueue'>,
  ): Promise<FencedResult>;
  /** Cancelled ones are pending again, due when they were; not those that are no more as they were read. */
  revive(held: readonly CancelledOccurrence[]): Promise<void>;
  /** Pending ones that are due for outside workers, oldest first; none that waits for a slot. */
  pullable(queue: string, now: EpochMs, limit: number): Promise<readonly PendingOccurrence[]>;
  /** Failed and missed ones of a UTC day (`2026-03-01`), newest first, across schedules. */
  listAttention(query: {
    readonly day: string;
    readonly status?: 'failed' | 'missed';
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<Occurrence>>;
  /** pending and too late → missed; for its start deadline, which is what is meant without a reason, once that has passed. */
  miss(pending: PendingOccurrence, now: EpochMs, reason?: MissReason): Promise<FencedResult>;
  /** A retry that is past the last moment at which it may start → failed. */
  giveUp(pending: PendingOccurrence, now: EpochMs): Promise<FencedResult>;
}
