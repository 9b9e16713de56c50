import type { AllowList } from '../contract/allow/allow-list.ts';
import type { BackfillStore } from '../core/backfill/store.ts';
import type { ScheduleId } from '../core/ids.ts';
import type { CalendarStore } from '../core/ports/calendar-store.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { OccurrenceStore } from '../core/ports/occurrence-store.ts';
import type { PlanningStore } from '../core/ports/planning-store.ts';
import type { ScheduleStore } from '../core/ports/schedule-store.ts';
import type { SchedulerEvents } from '../core/ports/scheduler-events.ts';
import type { WatchStore } from '../core/ports/watch-store.ts';
import type { EpochMs } from '../core/time.ts';

export type Schedules = Pick<
  ScheduleStore,
  | 'readHead'
  | 'readSchedule'
  | 'readRevision'
  | 'lastRevision'
  | 'readIdempotency'
  | 'writeIdempotency'
  | 'listSchedules'
  | 'applyChange'
  | 'pinCalendars'
  | 'readGroup'
  | 'writeGroup'
  | 'adoptSchedules'
  | 'takeStarts'
>;

export type Occurrences = Pick<
  OccurrenceStore,
  | 'readOccurrence'
  | 'listOccurrences'
  | 'listAttention'
  | 'openOf'
  | 'createManual'
  | 'createAhead'
  | 'cancel'
  | 'requestCancel'
  | 'replay'
  | 'skip'
  | 'unskip'
  | 'revive'
  | 'reschedule'
  | 'pullable'
  | 'claim'
  | 'slots'
  | 'miss'
  | 'giveUp'
  | 'readTallies'
  | 'writeTally'
  | 'renew'
  | 'settle'
>;

export interface PlanningLimits {
  /** Milliseconds: what comes due within it is created by the API itself rather than left to a tick. */
  readonly lead: number;
  /** Milliseconds: how far ahead occurrences are created once a schedule is planned at all. */
  readonly planWindow: number;
}

/** What the use cases that change schedules need. */
export interface ChangeDeps {
  readonly schedules: Schedules;
  readonly occurrences: Occurrences;
  readonly planning: Pick<PlanningStore, 'materialise'>;
  readonly limits: PlanningLimits;
  /** What the deployment may call and read. */
  readonly allowed: AllowList;
  /** The version of the zone data that times are computed with. */
  readonly zoneData: string;
}

export interface ApiDeps extends ChangeDeps {
  readonly calendars: CalendarStore;
  readonly backfills: BackfillStore;
  readonly watches: Pick<WatchStore, 'noteSuccess' | 'lastSuccesses'>;
  readonly clock: Clock;
  /** An unguessable text for each claim by an outside worker. */
  readonly newSecret: () => string;
  readonly logger: ErrorLog;
  /** Tells how work that goes on outside ended, as the worker does of its own. */
  readonly events: SchedulerEvents;
}

/** The part of the logger that the API uses. */
export interface ErrorLog {
  error(message: string, detail: { readonly requestId: string; readonly error: Error }): void;
}

/** Who asks, when, and under which request id: read once per request, at the edge. */
export interface Caller {
  readonly now: EpochMs;
  readonly requestId: string;
  /** An IAM ARN or a token's subject; kept with each revision. */
  readonly principal: string;
}

/** A request that names a schedule. */
export interface ScheduleRequest {
  readonly id: ScheduleId;
  readonly caller: Caller;
}
