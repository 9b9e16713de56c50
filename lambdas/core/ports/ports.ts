import type { Dispatched, OccurrenceId, OccurrenceKey, OccurrenceKind, Places, ScheduleId } from '../ids.ts';
import type { Dispatch } from '../occurrence/dispatch.ts';
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
import type { CatchUpTally } from '../planning/catch-up-tally.ts';
import type { Decisions, SkippedAhead } from '../planning/decisions.ts';
import type { PlannedOccurrence, PlannedRecord } from '../planning/planner.ts';
import type { FireNote } from '../recurrence/types.ts';
import type { PinnedCalendar } from '../schedule/calendar.ts';
import type {
  Counted,
  GroupCharge,
  GroupCount,
  GroupQuotas,
  GroupSettings,
  GroupState,
} from '../schedule/group.ts';
import type { ScheduleHead, ZoneMove } from '../schedule/head.ts';
import type { Revision } from '../schedule/revision.ts';
import type { Revival } from '../schedule/revival.ts';
import type { StartNext } from '../slots/hand-over.ts';
import type { SlotStore } from '../slots/store.ts';
import type { Target } from '../targets/index.ts';
import type { EpochMs } from '../time.ts';
import type { CatchUpTallies } from './catch-up-tallies.ts';

/**
 * What the use cases need from the world, in transitions rather than reads and writes. Expected outcomes
 * (a lost race, a held lease) are return values with a `kind`; only faults throw.
 */
export interface Clock {
  now(): EpochMs;
  /** Resolves at `at` or when `signal` aborts, whichever is first; at once when `at` has passed. */
  until(at: EpochMs, signal?: AbortSignal): Promise<void>;
}

// ---- schedules -------------------------------------------------------------------------------------------

/** One atomic change of a schedule: its head, perhaps a new revision, what it cancels and what it creates. */
export interface ScheduleChange {
  /** What was read; the change is refused when the head has moved since. Null: the schedule must not exist. */
  readonly expected: Pick<ScheduleHead, 'version' | 'nextDueAt' | 'counted'> | null;
  readonly head: ScheduleHead;
  readonly revision?: Revision;
  /** Pending occurrences that must not start, soonest first. */
  readonly cancel: readonly PendingOccurrence[];
  readonly cancelReason: CancelReason;
  /** Cancels that do not fit go before the transaction: the schedule as it is wants them too. */
  readonly cancelsFirst?: boolean;
  /** Of one that ends a pause. */
  readonly revival?: Revival;
  readonly create: readonly PlannedOccurrence[];
  readonly records: readonly PlannedRecord[];
  /** Times that a person skipped and that stay skipped under the new revision. */
  readonly skipped?: readonly SkippedAhead[];
  /** Follow the transaction: should they not come, the planner makes them, when it comes to their times. */
  readonly createAfter?: readonly PlannedOccurrence[];
  readonly idempotency?: IdempotencyRecord;
  /** Of a group that is counted. */
  readonly group?: ChangeCharge;
  /** Of one that is watched: when the sweep is to look whether it has succeeded (watch.ts). */
  readonly watch?: WatchSetting;
  /** Where it changes: the calendars that it uses from now on, and those that it used. */
  readonly calendars?: { readonly after: readonly PinnedCalendar[]; readonly before: readonly string[] };
  readonly now: EpochMs;
}

export interface WatchSetting {
  readonly lookAt: EpochMs;
  /** The schedule is new: what one of its name did before does not count. */
  readonly fresh: boolean;
}

/** Remembers the answer to a request that carried an Idempotency-Key; kept for 24 hours. */
export interface IdempotencyRecord {
  readonly key: string;
  /** Hash of the request; the same key with another request is refused. */
  readonly requestHash: string;
  /** What the request made: a schedule id or an occurrence id. */
  readonly result: string;
}

export type ChangeResult =
  | { readonly kind: 'applied' }
  /** The head or an occurrence has moved, or the schedule exists already: read again and decide again. */
  | { readonly kind: 'conflict' };

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Opaque; absent on the last page. */
  readonly cursor?: string;
}

export interface ScheduleRecord {
  readonly head: ScheduleHead;
  readonly revision: Revision;
}

/** How a change moves the count of its group, and what that was checked against. */
export interface ChangeCharge {
  readonly charge: GroupCharge;
  readonly quotas: GroupQuotas;
  readonly count: Pick<GroupCount, 'epoch' | 'version' | 'started'>;
}

export interface ScheduleStore {
  /** The head (tombstones included) read consistently. */
  readHead(id: ScheduleId): Promise<ScheduleHead | undefined>;
  /** Head and the revision in force; `undefined` when absent or deleted. */
  readSchedule(id: ScheduleId): Promise<ScheduleRecord | undefined>;
  readRevision(id: ScheduleId, revision: number): Promise<Revision | undefined>;
  /** The largest revision of a name that was ever made, read consistently; 0 when there is none. */
  lastRevision(id: ScheduleId): Promise<number>;
  readIdempotency(key: string, now: EpochMs): Promise<IdempotencyRecord | undefined>;
  /** Notes what a request has come to so far, after what it had noted before; false: another copy of it has. */
  writeIdempotency(record: IdempotencyRecord, before: string | undefined, now: EpochMs): Promise<boolean>;
  listSchedules(query: {
    readonly group?: string;
    /** As a person would say it (shown-state.ts). */
    readonly state?: ScheduleHead['state'];
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<ScheduleRecord>>;
  /** The calendars of these names as they are now; those that there are, in no order. */
  pinCalendars(names: readonly string[]): Promise<readonly PinnedCalendar[]>;
  /** A group, read consistently; `undefined` when nothing was ever said about it. */
  readGroup(group: string): Promise<GroupState | undefined>;
  /** Replaces the settings; the first quota begins the count, and the last one to go ends it. */
  writeGroup(group: string, settings: GroupSettings, now: EpochMs): Promise<void>;
  /** Counts schedules that are not counted; false when one of them, or the group, has changed meanwhile. */
  adoptSchedules(
    group: string,
    epoch: EpochMs,
    adopted: readonly { readonly head: ScheduleHead; readonly counted: Counted }[],
  ): Promise<boolean>;
  /** Takes places in the minute of `now`; false when the group is no longer as it was seen. */
  takeStarts(
    group: string,
    taken: { readonly count: GroupCount; readonly limit: number; readonly fires: number },
    now: EpochMs,
  ): Promise<boolean>;
  /** In one transaction; cancels beyond DynamoDB's 100 actions follow before it returns. */
  applyChange(change: ScheduleChange): Promise<ChangeResult>;
}

// ---- planning --------------------------------------------------------------------------------------------

/** One schedule's progress: occurrences to create and where its head then stands. A paused one is resumed by it. */
export interface Materialisation {
  readonly head: ScheduleHead;
  readonly create: readonly PlannedOccurrence[];
  readonly records: readonly PlannedRecord[];
  readonly nextDueAt: EpochMs | null;
  /** Of one with `maxRuns` (planner.ts). */
  readonly remainingRuns?: number;
  readonly lastRunAt?: EpochMs;
  /** The version of the zone data that this was planned with. */
  readonly zoneData?: string | undefined;
  /** Present when nothing but other zone data moves it. */
  readonly zoneMove?: ZoneMove;
  /** What a person decided about times that other zone data has moved. */
  readonly decisions?: Decisions;
  /** A paused one stays so: nothing but `decisions` is written. */
  readonly staysPaused?: true;
  /** Of one that creates late runs: with them, as long as nobody has written it since. */
  readonly tally?: CatchUpTally;
}

/** How far a shard has been walked for a version of the zone data. */
export interface ShardZones {
  /** The version that all its heads have been looked at with. */
  readonly zoneData?: string;
  /** The version that they are being looked at with, up to this next time. */
  readonly walking?: string;
  readonly walkedTo?: EpochMs;
  /** When a tick with older data last planned here. */
  readonly olderTickAt?: EpochMs;
}

export type MaterialiseResult =
  | { readonly kind: 'materialised' }
  /** Another tick or an edit was first. Normal. */
  | { readonly kind: 'lost-race' }
  /** A fault that met this schedule only; the others of its batch went on. */
  | { readonly kind: 'failed'; readonly error: unknown };

export interface PlanningStore {
  /**
   * Heads of one shard that the tick is to come back to by `until`, oldest first, read consistently: stale index
   * entries drop out. Enabled ones have times to create, paused ones resume, completed ones may be retired.
   */
  dueHeads(shard: number, until: EpochMs, from?: EpochMs): AsyncIterable<readonly ScheduleHead[]>;
  shardZones(shard: number): Promise<ShardZones>;
  saveShardZones(shard: number, zones: ShardZones): Promise<void>;
  /** Results in the order given. Small ones share a transaction; a cancelled pack is retried apart. */
  materialise(batch: readonly Materialisation[], now: EpochMs): Promise<readonly MaterialiseResult[]>;
  /** What pauses held that are over, and the schedules as they are now; due by `until`. */
  dueRevivals(
    shard: number,
    until: EpochMs,
  ): AsyncIterable<readonly { readonly revival: Revival; readonly head: ScheduleHead | undefined }[]>;
  /** Has the tick come back at its `lookAt`. */
  putOffRevival(revival: Revival): Promise<void>;
  endRevival(revival: Revival, now: EpochMs): Promise<void>;
  /** completed → deleted, if nothing has changed it; the ledger stays. */
  retire(head: ScheduleHead, now: EpochMs): Promise<FencedResult>;
  /** Has the tick come back to a completed schedule later. */
  retireLater(head: ScheduleHead, at: EpochMs): Promise<FencedResult>;
  /** Records that `count` shards are in use and answers the largest count ever used. */
  recordShardCount(count: number): Promise<number>;
  /** Saves cost, not correctness: two scanners of one shard do no harm. */
  acquireShard(shard: number, lease: { holder: string; expiresAt: EpochMs }, now: EpochMs): Promise<boolean>;
  /** Up to where each of these shards was scanned, in their order; undefined: never to its end. */
  watermarks(shards: readonly number[]): Promise<readonly (EpochMs | undefined)[]>;
  /** Gives the shard back and notes up to when it was scanned (null: it was not finished). */
  releaseShard(shard: number, holder: string, scannedThrough: EpochMs | null): Promise<void>;
}

// ---- occurrences -----------------------------------------------------------------------------------------

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

export type FencedResult = { readonly kind: 'done' } | { readonly kind: 'lost-lease' };

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

// ---- dispatch --------------------------------------------------------------------------------------------

export interface WorkQueue {
  /** Sends with a delay until due, at most 900 s. Answers the index of each entry that was not accepted. */
  send(batch: readonly Dispatch[], now: EpochMs): Promise<readonly { index: number; reason: string }[]>;
}

export interface MessageVisibility {
  /** Has a message that was received, and is not done with, come again in so many seconds. */
  showAgain(receiptHandle: string, seconds: number): Promise<void>;
}

export interface DeadLetters {
  /** Keeps a message that cannot be worked on, with the reason. */
  reject(body: string, reason: string): Promise<void>;
}

// ---- targets ---------------------------------------------------------------------------------------------

/** What every target is given. */
export interface Invocation {
  readonly id: OccurrenceId;
  readonly schedule: ScheduleId;
  readonly scheduledTime: EpochMs;
  /** The nominal times before and after it by the expression of its revision. */
  readonly previousScheduledTime: EpochMs | null;
  readonly nextScheduledTime: EpochMs | null;
  readonly attempt: number;
  readonly kind: OccurrenceKey['kind'];
  /** It comes late, by its catch-up policy. */
  readonly isCatchUp: boolean;
  readonly revision: number;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly input: Revision['definition']['input'];
  /** Given where the target may finish later: what it completes, fails or extends the attempt by. */
  readonly completionToken?: string;
}

export type CallResult =
  | { readonly kind: 'succeeded'; readonly detail?: string }
  /** Taken on, and not finished: somebody will complete or fail it through the API. */
  | { readonly kind: 'accepted'; readonly detail: string }
  | {
      readonly kind: 'failed';
      readonly retryable: boolean;
      readonly detail: string;
      readonly retryAfterMs?: number;
      /** The target is gone for good: its schedule is paused. */
      readonly pauses?: true;
    };

export interface TargetCaller {
  /** Calls once. Aborts with `signal`; an abort or a fault of the network is a failed result, not an exception. */
  call(target: Target, invocation: Invocation, now: EpochMs, signal: AbortSignal): Promise<CallResult>;
}
