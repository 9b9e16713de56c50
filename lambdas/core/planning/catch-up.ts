import { knownDurationMs } from '../duration.ts';
import { hashFraction } from '../hash.ts';
import type { ScheduleId } from '../ids.ts';
import { CATCH_UP_NOTE } from '../occurrence/notes.ts';
import { dueAt as withinWindow } from '../recurrence/index.ts';
import type { Fire, FireNote, Recurrence } from '../recurrence/types.ts';
import { type CatchUpPolicy, isOneShot } from '../schedule/definition.ts';
import type { PlanningPolicy } from '../schedule/head.ts';
import { type EpochMs, epochMs, MINUTE, SECOND } from '../time.ts';

/**
 * What becomes of a nominal time that comes late, however that came about. The planner asks for what nothing has
 * created, the first claim for what was created in time and handed over late; both get the same answer at the same
 * moment, so that it makes no difference which part of the pipeline was away.
 */

/** A time that can start only this much after it was due is late. */
export const MISFIRE_THRESHOLD = MINUTE;
/** Of a schedule that fires more often, its period; but never less than this. */
export const LEAST_MISFIRE_THRESHOLD = 5 * SECOND;

/** A schedule, as far as its late times are concerned. */
export interface LateSchedule {
  readonly schedule: ScheduleId;
  readonly policy: Pick<PlanningPolicy, 'catchUp' | 'window' | 'expression'>;
  readonly recurrence: Pick<Recurrence, 'next' | 'prev'>;
  /** A time that was promised: it counts also where other zone data no longer has it. */
  readonly promised?: EpochMs;
  /** Of one whose runs are used up the last of them: what comes after it is no time of the schedule. */
  readonly lastRunAt?: EpochMs | undefined;
}

export interface CatchUpRun {
  readonly fire: Fire;
  /** Its place in the spread. */
  readonly dueAt: EpochMs;
}

export interface LateTimes {
  /** Late times that run, oldest first. */
  readonly runs: readonly CatchUpRun[];
  /** The oldest time that has passed and is not late; null when there is none. */
  readonly punctual: EpochMs | null;
}

/** When the occurrence of a nominal time may start, if all goes well. */
export function punctualStart({ schedule, policy, recurrence }: LateSchedule, at: EpochMs): EpochMs {
  const { window } = policy;
  if (window === undefined) return at;
  return startIn(schedule, window, at, recurrence.next(at)?.at ?? null);
}

/** A hashed share of the window after a nominal time. */
export function startIn(schedule: ScheduleId, window: string, at: EpochMs, nextAt: EpochMs | null): EpochMs {
  return withinWindow(at, nextAt, knownDurationMs(window), schedule);
}

/** How late a nominal time may start and still be on time. */
export function misfireThreshold({ next }: Pick<Recurrence, 'next'>, at: EpochMs): number {
  const period = (next(at)?.at ?? Number.POSITIVE_INFINITY) - at;
  return Math.min(MISFIRE_THRESHOLD, Math.max(LEAST_MISFIRE_THRESHOLD, period));
}

export function isLate(of: LateSchedule, at: EpochMs, now: EpochMs): boolean {
  // Of what is this fresh, not even the period is asked for.
  if (at >= now - LEAST_MISFIRE_THRESHOLD) return false;
  return now - punctualStart(of, at) > misfireThreshold(of.recurrence, at);
}

export interface Judging {
  readonly now: EpochMs;
  /** Earlier times are somebody else's. */
  readonly from?: EpochMs;
  /** Times of the same outage that run already (catch-up-tally.ts). */
  readonly spent?: number;
  /** The most that run. */
  readonly most?: number;
  /** A person asks for all that has passed: none of it is on time. */
  readonly all?: boolean;
}

/**
 * Which late times run as of `now`, and when. Looked for backwards, so that a backlog of any length costs what the
 * budget costs. Times that are on time use the budget up too: a late one runs only as one of the newest.
 */
export function lateTimes(
  of: LateSchedule,
  { now, from, spent = 0, most = Infinity, all }: Judging,
): LateTimes {
  const catchUp = catchUpOf(of.policy);
  const oldest = now - knownDurationMs(catchUp.maxAge);
  const budget = budgetOf(catchUp);
  let newer = 0;
  let punctual: EpochMs | null = null;
  const runs: Fire[] = [];
  for (const fire of newestFirst(of, now, from)) {
    if (runs.length === 0 && !all && !isLate(of, fire.at, now)) {
      punctual = fire.at;
      if (punctualStart(of, fire.at) <= now) newer += 1;
      continue;
    }
    const left = Math.min(Math.min(budget, most) - newer, budget - spent);
    if (runs.length >= left || (fire.at < oldest && !isOneShot(of.policy))) break;
    runs.push(fire);
  }
  return { runs: spread(runs.reverse(), of.schedule, catchUp, now), punctual };
}

/** A one-shot has no time after it that could do its work: late, it runs. */
export function catchUpOf(policy: Pick<PlanningPolicy, 'catchUp' | 'expression'>): CatchUpPolicy {
  return isOneShot(policy) ? { ...policy.catchUp, mode: 'latest' } : policy.catchUp;
}

/** How many late times a policy runs at most. */
export function budgetOf({ mode, maxRuns }: CatchUpPolicy): number {
  switch (mode) {
    case 'skip':
      return 0;
    case 'latest':
      return 1;
    case 'all':
      return maxRuns;
  }
}

function* newestFirst(of: LateSchedule, now: EpochMs, from: EpochMs | undefined): Generator<Fire> {
  const { recurrence, promised, lastRunAt } = of;
  const least = from ?? Number.NEGATIVE_INFINITY;
  let owed = promised !== undefined && promised <= now ? promised : undefined;
  let fire = recurrence.prev(epochMs(Math.min(now, lastRunAt ?? now) + 1));
  for (; fire !== null && fire.at >= least; fire = recurrence.prev(fire.at)) {
    if (owed !== undefined && fire.at < owed) yield { at: owed, notes: [] };
    if (owed !== undefined && fire.at <= owed) owed = undefined;
    yield fire;
  }
  if (owed !== undefined) yield { at: owed, notes: [] };
}

/**
 * Late runs start evenly over `spreadOver`, oldest first. Where a schedule's own begin is a hash of its id: those of
 * many schedules do not start at one instant either.
 */
function spread(
  fires: readonly Fire[],
  schedule: ScheduleId,
  policy: CatchUpPolicy,
  now: EpochMs,
): CatchUpRun[] {
  const step = knownDurationMs(policy.spreadOver) / fires.length;
  const offset = hashFraction(`catch-up#${schedule}`);
  return fires.map((fire, index) => ({
    fire: { ...fire, notes: [...fire.notes, lateNote(fire.at, now)] },
    dueAt: epochMs(now + Math.round(step * (index + offset))),
  }));
}

function lateNote(at: EpochMs, now: EpochMs): FireNote {
  const lateBy = Math.round((now - at) / SECOND);
  return { code: CATCH_UP_NOTE, message: `It was ${lateBy} s late, and runs as catch-up.` };
}
