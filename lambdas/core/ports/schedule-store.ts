import type { ScheduleId } from '../ids.ts';
import type { CancelReason, PendingOccurrence } from '../occurrence/occurrence.ts';
import type { SkippedAhead } from '../planning/decisions.ts';
import type { PlannedOccurrence, PlannedRecord } from '../planning/planner.ts';
import type { PinnedCalendar } from '../schedule/calendar.ts';
import type {
  Counted,
  GroupCharge,
  GroupCount,
  GroupQuotas,
  GroupSettings,
  GroupState,
} from '../schedule/group.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Revision } from '../schedule/revision.ts';
import type { Revival } from '../schedule/revival.ts';
import type { EpochMs } from '../time.ts';
import type { IdempotencyRecord } from './idempotency-record.ts';
import type { Page } from './page.ts';

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

export type ChangeResult =
  | { readonly kind: 'applied' }
  /** The head or an occurrence has moved, or the schedule exists already: read again and decide again. */
  | { readonly kind: 'conflict' };

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
