import type { ScheduleId } from '../ids.ts';
import type { Json } from '../json.ts';
import { retentionDays } from '../occurrence/retention.ts';
import type { Pause } from '../pause/pause-plan.ts';
import type { RecurrenceSpec } from '../recurrence/spec.ts';
import type { Concurrency, OverlapPolicy } from '../slots/needs.ts';
import type { Target } from '../targets/index.ts';
import { pullQueueOf } from '../targets/pull-queue.ts';
import type { EpochMs } from '../time.ts';
import type { ZoneMove } from '../zones/zone-change.ts';
import type { PinnedCalendar } from './calendar.ts';
import type { Counted } from './group.ts';

/** Durations are ISO 8601 text in a definition and milliseconds wherever they are computed with. */
export interface RetryPolicy {
  /** Includes the first attempt. */
  readonly maxAttempts: number;
  /** Delay before the second attempt. */
  readonly initialDelay: string;
  /** Each further delay is this many times the one before. */
  readonly factor: number;
  /** No delay is longer. */
  readonly maxDelay: string;
  /** Share of the delay that hashed jitter may take off, 0 to 1. */
  readonly jitter: number;
  /** No attempt starts later than this after the occurrence was first due. */
  readonly maxAge: string;
}

/** What happens to nominal times that come late, whatever part of the pipeline was away (catch-up.ts). */
export interface CatchUpPolicy {
  readonly mode: 'skip' | 'latest' | 'all';
  /** Older missed times are not run. */
  readonly maxAge: string;
  /** `all` runs at most this many, the latest ones. */
  readonly maxRuns: number;
  /** What is run is spread evenly over this long. */
  readonly spreadOver: string;
}

/** The standing instruction as its owner wrote it, defaults filled in. Immutable once it is a revision. */
export interface Definition extends RecurrenceSpec {
  /** So many runs and it is completed; any number when absent. */
  readonly maxRuns?: number;
  readonly target: Target;
  readonly input: Json;
  readonly retry: RetryPolicy;
  /** An attempt that takes longer is aborted and counts as failed. */
  readonly timeout: string;
  /**
   * `callback`: a target that accepted the call has not finished; the attempt goes on under its lease until it is
   * completed or failed through the API with the completion token. `immediate` when absent.
   */
  readonly completion?: 'immediate' | 'callback';
  /** How long an attempt that was accepted, or claimed by pull, may stay silent; `timeout` when absent. */
  readonly heartbeatTimeout?: string;
  /** An occurrence that could not start within this time of its due time is missed, not run late. */
  readonly startDeadline?: string;
  readonly catchUp: CatchUpPolicy;
  /** What happens to an occurrence that comes due while another of this schedule runs. */
  readonly overlap: OverlapPolicy;
  /** A limit shared with other schedules that name the same key. */
  readonly concurrency?: Concurrency;
  /** How long finished occurrences are kept, `P30D`; as the deployment says when absent. */
  readonly retention?: string;
  /** So many failures in a row pause the schedule. */
  readonly pauseAfterFailures?: number;
  /** When nothing of it has succeeded for so long, an alarm is raised (watch.ts). */
  readonly expectSuccessWithin?: string;
  /** It has metrics of its own, under its group and name. */
  readonly metrics?: boolean;
  /** Once it has no time left and its last occurrence is finished, the schedule becomes a tombstone. */
  readonly deleteAfterCompletion?: boolean;
  readonly tags: Readonly<Record<string, string>>;
  readonly description?: string;
}

/**
 * `enabled`: the tick materialises it. `paused`: a person stopped it; resume enables it. `completed`: its
 * expression has no time left; an edit may enable it. `deleted`: a tombstone that keeps the revision number,
 * so that a schedule made again under the same name cannot meet the occurrence keys of the old one.
 */
export type ScheduleState = 'enabled' | 'paused' | 'completed' | 'deleted';

/** When to run, with what the calendars that it names say. */
export interface PlannedTimes extends Omit<RecurrenceSpec, 'calendars'> {
  /** As the revision was made with them; the head holds their versions, and what they say is read with it. */
  readonly calendars?: readonly PinnedCalendar[];
}

/**
 * The parts of a definition that planning needs, and what is done about ends; kept on the head so that a tick, and a
 * worker at the end of an attempt, read one small item.
 */
export interface PlanningPolicy extends PlannedTimes {
  readonly startDeadline?: string;
  readonly catchUp: CatchUpPolicy;
  readonly pullQueue?: string;
  readonly retentionDays?: number;
  readonly deleteAfterCompletion?: boolean;
  readonly expectSuccessWithin?: string;
  readonly metrics?: boolean;
}

export interface ScheduleHead {
  readonly id: ScheduleId;
  readonly state: ScheduleState;
  /** Number of the definition in force; +1 on each edit of what or when. */
  readonly revision: number;
  /**
   * Its first revision; 1 when absent. What is older belongs to a schedule of this name that was deleted: numbers go on
   * from one to the next for ever, so that no key of an occurrence comes again.
   */
  readonly firstRevision?: number;
  /** +1 on each change through the API, pauses included; the ETag. Ticks leave it alone. */
  readonly version: number;
  readonly policy: PlanningPolicy;
  /** When the schedule was created: the anchor of `every` without one of its own. */
  readonly anchor: EpochMs;
  /**
   * What the tick looks for, in the index `due`. Of an enabled schedule the next nominal time not yet
   * materialised; of a paused one the time that it resumes by itself; of a completed one that is to be deleted
   * then, when to look whether its last occurrence is finished. Null where there is nothing to come back for.
   */
  readonly nextDueAt: EpochMs | null;
  /** Of one that has `maxRuns`: how many occurrences its plan may still create. */
  readonly remainingRuns?: number;
  /** Of one whose runs are used up: the nominal time of the last. */
  readonly lastRunAt?: EpochMs;
  /** The version of the zone data that `nextDueAt` was computed with. */
  readonly zoneData?: string;
  /** Present while its next time is one that other zone data has moved. */
  readonly zoneMove?: ZoneMove;
  /** The oldest revision whose occurrences still run, after edits that kept what was pending; else `revision`. */
  readonly oldestRevision?: number;
  /**
   * An edit keeps what is pending of times that have passed (it waits within its window, for a retry or in a backlog):
   * what older revisions made for times up to here goes on, by the revision in force.
   */
  readonly adoptedThrough?: EpochMs;
  /** What is counted for it in its group; absent where the group has no quota. */
  readonly counted?: Counted;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Present while it is paused. */
  readonly pause?: Pause;
  /** Present while times are still to be created that a person asked to make up for. */
  readonly makingUp?: MakingUp;
}

/** Times that a resume asked for, both ends inclusive: they run by the policy that it named, not by the schedule's. */
export interface MakingUp {
  readonly catchUp: CatchUpPolicy;
  readonly from: EpochMs;
  readonly asOf: EpochMs;
}

/** A definition under its number; never changed once written. */
export interface Revision {
  readonly schedule: ScheduleId;
  readonly revision: number;
  readonly definition: Definition;
  /** What its calendars were when it was made, in the order that the definition names them. */
  readonly calendars?: readonly PinnedCalendar[];
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  /** Orders the limit of its shared key among those that others gave it, where `createdAt` would say it was before them. */
  readonly keySince?: EpochMs;
}

/** The head's copy of what planning needs from `definition`, which was made with these calendars. */
export function planningPolicy(
  definition: Definition,
  calendars: readonly PinnedCalendar[] = [],
): PlanningPolicy {
  const pullQueue = pullQueueOf(definition.target);
  const keepFor = definition.retention === undefined ? undefined : retentionDays(definition.retention);
  const { calendars: _, ...times } = timesOf(definition);
  return {
    ...times,
    ...(calendars.length > 0 && { calendars }),
    ...(definition.startDeadline !== undefined && { startDeadline: definition.startDeadline }),
    catchUp: definition.catchUp,
    ...(pullQueue !== undefined && { pullQueue }),
    ...(keepFor !== undefined && { retentionDays: keepFor }),
    ...(definition.deleteAfterCompletion && { deleteAfterCompletion: true }),
    ...(definition.expectSuccessWithin !== undefined && {
      expectSuccessWithin: definition.expectSuccessWithin,
    }),
    ...(definition.metrics && { metrics: true }),
  };
}

/** When it runs, without what happens then. */
export function timesOf(definition: RecurrenceSpec): RecurrenceSpec {
  const { expression, timezone, dst, dayRule, exclude, calendars, onExcluded, startAt, endAt, window } =
    definition;
  return {
    expression,
    timezone,
    ...(dst && { dst }),
    ...(dayRule && { dayRule }),
    ...(exclude && { exclude }),
    ...(calendars && { calendars }),
    ...(onExcluded && { onExcluded }),
    ...(startAt !== undefined && { startAt }),
    ...(endAt !== undefined && { endAt }),
    ...(window !== undefined && { window }),
  };
}

/** `at(…)`: it has one time only. */
export function isOneShot({ expression }: Pick<RecurrenceSpec, 'expression'>): boolean {
  return typeof expression === 'string' && /^\s*at\s*\(/i.test(expression);
}

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialDelay: 'PT5S',
  factor: 2,
  maxDelay: 'PT15M',
  jitter: 0.1,
  maxAge: 'PT24H',
};

export const DEFAULT_CATCH_UP: CatchUpPolicy = {
  mode: 'latest',
  maxAge: 'PT24H',
  maxRuns: 10,
  spreadOver: 'PT1M',
};

/**
 * A one-shot comes due once, so that only triggers could overlap it: without a policy of its own it is spared the two
 * writes of a slot, and a burst of them the time.
 */
export function defaultOverlap(times: Pick<RecurrenceSpec, 'expression'>): OverlapPolicy {
  return isOneShot(times) ? 'allow' : 'skip';
}
export const DEFAULT_COMPLETION = 'immediate';
export const DEFAULT_TIMEOUT = 'PT60S';
export const DEFAULT_TIMEZONE = 'UTC';
export const DEFAULT_GROUP = 'default';
