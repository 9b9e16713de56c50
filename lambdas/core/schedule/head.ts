import type { ScheduleId } from '../ids.ts';
import type { RecurrenceSpec } from '../recurrence/spec.ts';
import { pullQueueOf } from '../targets/pull-queue.ts';
import type { EpochMs } from '../time.ts';
import type { PinnedCalendar } from './calendar.ts';
import { type CatchUpPolicy, type Definition, retentionDays, timesOf } from './definition.ts';
import type { Counted } from './group.ts';
import type { Pause } from './pause.ts';

/** A next time that other zone data has moved; kept on the head until that time is planned. */
export interface ZoneMove {
  readonly from: EpochMs;
  readonly to: EpochMs | null;
  /** The version of the zone data that `from` was computed with. */
  readonly zoneData?: string;
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
