import type { OccurrenceId, OccurrenceKey, Places } from '../ids.ts';
import type { FireNote } from '../recurrence/types.ts';
import type { OverlapPolicy } from '../schedule/definition.ts';
import type { EpochMs } from '../time.ts';

/**
 * One durable firing. The comment on each state says who moves it on; every move is one conditional write
 * (lambdas/adapters/dynamodb). Terminal states stay as they are.
 */
export type Occurrence =
  | PendingOccurrence
  | RunningOccurrence
  | SucceededOccurrence
  | FailedOccurrence
  | CancelledOccurrence
  | SkippedOccurrence
  | MissedOccurrence
  | CoalescedOccurrence;

export type OccurrenceStatus = Occurrence['status'];

export const OCCURRENCE_STATUSES = [
  'pending',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'skipped',
  'missed',
  'coalesced',
] as const satisfies readonly OccurrenceStatus[];

interface OccurrenceBase extends OccurrenceKey {
  /** When it may start: the scheduled time after jitter, catch-up spreading and retry delays. */
  readonly dueAt: EpochMs;
  /** When it was first due: what retry `maxAge` and the start deadline are counted from. */
  readonly firstDueAt: EpochMs;
  /** Bumped by every move but the claim: a message, a place in a slot and an attempt belong to one value of it. */
  readonly dispatchSeq: number;
  /** Where it has, or is promised, a place in a slot: slot → stripe (lambdas/core/slots). */
  readonly places: Places;
  /** Slots whose place it keeps over retries and waits, and the sequence since when. */
  readonly kept: Readonly<Record<string, number>>;
  /** Attempts begun, 1-based once running; 0 before the first. */
  readonly attempt: number;
  /** Grows with every claim; a settle or renew with an older one is refused. */
  readonly fencingToken: number;
  /** Attempts before the round under way: a replay begins a new one, with all its attempts. */
  readonly roundBase: number;
  /** Times that a person asked to run it again. */
  readonly replays: number;
  /** The revision whose input a replay uses, when not its own. */
  readonly inputRevision?: number;
  /** Input given with a trigger, as JSON text, instead of its revision's. */
  readonly inputOverride?: string;
  /** Overlap policy chosen with a trigger, instead of its revision's. */
  readonly overlap?: OverlapPolicy;
  /**
   * Unguessable part of the token by which somebody outside may end or extend the attempt. Kept when the attempt
   * has ended, so that a repeated request is recognised; the next claim draws another.
   */
  readonly secret?: string;
  /** The queue that outside workers claim it from; it is not handed to the work queue. */
  readonly pullQueue?: string;
  /** A person had it made before the planner came to its time. */
  readonly isAhead?: true;
  /** Days that it is kept once it is finished, where its schedule says it. */
  readonly retentionDays?: number;
  readonly attempts: readonly AttemptRecord[];
  readonly notes: readonly FireNote[];
  readonly createdAt: EpochMs;
  /** Not to be started after this: its start deadline, or of a retry the end of `retry.maxAge`. */
  readonly startBy?: EpochMs;
  /** It was there in time to be claimed, and found a slot full: it waits since then and is not late. */
  readonly arrived?: true;
  /** Start of the first attempt. */
  readonly startedAt?: EpochMs;
}

/** Waiting to be started. A worker's claim, an edit, pause or delete, or the sweep (deadline) moves it on. */
export interface PendingOccurrence extends OccurrenceBase {
  readonly status: 'pending';
  /** Times that it was sent again unchanged: what is queued stays valid, so this is no new `dispatchSeq`. */
  readonly sends: number;
  /** Times the sweep sent it again; sets the pause before the next time. */
  readonly redispatches: number;
  readonly redispatchedAt?: EpochMs;
  /** The slot that it waits for: it is in no queue until it is woken, and not overdue. */
  readonly waitingFor?: string;
  /** A worker that freed a place for it starts it, so no message was sent. Should that worker die, the sweep sends one. */
  readonly isDirect?: true;
  /** Times that it had to wait for a slot before the attempt that comes. */
  readonly waits: number;
}

/** An attempt is under way. Its worker settles it; when the lease expires the sweep does. */
export interface RunningOccurrence extends OccurrenceBase {
  readonly status: 'running';
  readonly lease: Lease;
  readonly attemptStartedAt: EpochMs;
  /** Somebody asked that it be stopped; it is not tried again. */
  readonly cancelReason?: CancelReason;
  /** It goes on outside, without its worker, until it is completed, failed or its lease expires. */
  readonly detached?: true;
  /** It has stood in a line for a slot before it started. */
  readonly waited?: true;
  /** Where a look for those of its schedule that are left to start begins, when that is not its own time. */
  readonly through?: EpochMs;
}

interface FinishedBase extends OccurrenceBase {
  readonly finishedAt: EpochMs;
}
export interface SucceededOccurrence extends FinishedBase {
  readonly status: 'succeeded';
}
export interface FailedOccurrence extends FinishedBase {
  readonly status: 'failed';
  readonly reason: FailureReason;
}
/** Stopped before it started, by a person or by a change of its schedule. */
export interface CancelledOccurrence extends FinishedBase {
  readonly status: 'cancelled';
  readonly reason: CancelReason;
}
export interface SkippedOccurrence extends FinishedBase {
  readonly status: 'skipped';
  readonly reason: SkipReason;
  /** The occurrence that was in the way. */
  readonly blockedBy?: OccurrenceId;
}
/** Not run because it was too late. */
export interface MissedOccurrence extends FinishedBase {
  readonly status: 'missed';
  readonly reason: MissReason;
}
/** One record that stands for `count` nominal times that were not run. Written by the planner. */
export interface CoalescedOccurrence extends FinishedBase {
  readonly status: 'coalesced';
  readonly reason: CoalesceReason;
  readonly coalesced: Coalesced;
}

export interface Coalesced {
  readonly count: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export type FailureReason = 'attempts-exhausted' | 'not-retryable' | 'lease-expired' | 'max-age';
/** How a change of its schedule ends what has not started. */
export type ChangeReason = 'superseded' | 'paused' | 'deleted';
export type CancelReason = ChangeReason | 'user' | 'overlap';
export type SkipReason = 'overlap' | 'user';
/** `catch-up`: late, and the catch-up policy does not run it. */
export type MissReason = 'start-deadline' | 'catch-up';
/** Why nominal times were not created: the catch-up policy, or a change of their schedule before a tick came. */
export type CoalesceReason = 'catch-up' | ChangeReason;

/** Exclusive, time-bounded right to run one attempt. */
export interface Lease {
  readonly holder: string;
  readonly expiresAt: EpochMs;
}

/** One try, as it ended. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly startedAt: EpochMs;
  readonly finishedAt: EpochMs;
  readonly outcome: 'succeeded' | 'failed' | 'timed-out' | 'lease-expired' | 'cancelled';
  /** Status code, error text or response excerpt; bounded by `MAX_DETAIL_LENGTH`. */
  readonly detail?: string;
}

/** Attempts kept per occurrence: the first and the latest ones, so that an item stays small. */
export const MAX_ATTEMPT_RECORDS = 10;
/** Characters of `detail` kept per attempt. */
export const MAX_DETAIL_LENGTH = 200;

export function isTerminal(status: OccurrenceStatus): boolean {
  return status !== 'pending' && status !== 'running';
}

/** The log with `record` added: the first attempt stays, then the latest `MAX_ATTEMPT_RECORDS - 1`. */
export function withAttempt(log: readonly AttemptRecord[], record: AttemptRecord): AttemptRecord[] {
  const bounded =
    record.detail === undefined ? record : { ...record, detail: record.detail.slice(0, MAX_DETAIL_LENGTH) };
  const all = [...log, bounded];
  const [first] = all;
  return all.length <= MAX_ATTEMPT_RECORDS || first === undefined
    ? all
    : [first, ...all.slice(all.length - MAX_ATTEMPT_RECORDS + 1)];
}
