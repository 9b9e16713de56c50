import { knownDurationMs } from '../duration.ts';
import type { OccurrenceKey } from '../ids.ts';
import { whyNotInForce } from '../occurrence/in-force.ts';
import { CATCH_UP_NOTE, isCatchUp, isMoved } from '../occurrence/notes.ts';
import type { Occurrence, PendingOccurrence } from '../occurrence/occurrence.ts';
import {
  budgetOf,
  catchUpOf,
  type LateSchedule,
  LEAST_MISFIRE_THRESHOLD,
  lateTimes,
  MISFIRE_THRESHOLD,
  misfireThreshold,
} from '../planning/catch-up.ts';
import { admit } from '../planning/catch-up-tally.ts';
import type { CatchUpTallies } from '../ports/catch-up-tallies.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import type { ScheduleStore } from '../ports/schedule-store.ts';
import { planningPolicy, type ScheduleHead } from '../schedule/head.ts';
import { headRecurrence } from '../schedule/head-recurrence.ts';
import type { Revision } from '../schedule/revision.ts';
import { type EpochMs, epochMs } from '../time.ts';

export interface LateClaimDeps {
  readonly occurrences: Pick<
    OccurrenceStore,
    'readOccurrence' | 'reschedule' | 'miss' | keyof CatchUpTallies
  >;
  readonly schedules: Pick<ScheduleStore, 'readHead'>;
}

export type LateClaim =
  /** On time, or none of the catch-up policy's business: claim it. */
  | { readonly kind: 'go-on' }
  | { readonly kind: 'missed' }
  /** It runs as catch-up, at its place in the spread. */
  | { readonly kind: 'put-off'; readonly dueAt: EpochMs };

export const GO_ON: LateClaim = { kind: 'go-on' };

/**
 * Asks before the first claim of a nominal time that was to start at `dueAt` whether it comes too late, and does what
 * the catch-up policy says then. On time it costs nothing. It is asked before any wait for a slot, and what has asked
 * for its slots before is not late but waits.
 */
export async function askCatchUp(
  deps: LateClaimDeps,
  key: OccurrenceKey,
  dueAt: EpochMs,
  revision: Revision | undefined,
  now: EpochMs,
): Promise<LateClaim> {
  if (key.kind !== 'scheduled' || !seemsLate(key, dueAt, revision, now)) return GO_ON;
  const [occurrence, head] = await Promise.all([
    deps.occurrences.readOccurrence(key),
    deps.schedules.readHead(key.schedule),
  ]);
  if (!occurrence || !head || !isAsked(occurrence, now) || whyNotInForce(occurrence, head)) return GO_ON;
  const of = lateSchedule(head, key.scheduledTime);
  if (!of || !isTooLate(of, occurrence, now)) return GO_ON;

  const { runs } = lateTimes(of, { now });
  const run = runs.find(({ fire }) => fire.at === key.scheduledTime);
  if (!run || !(await hasPlace(deps, of, key.scheduledTime, now))) {
    const missed = await deps.occurrences.miss(occurrence, now, 'catch-up');
    // Somebody else has moved it on meanwhile: the claim finds out.
    return missed.kind === 'done' ? { kind: 'missed' } : GO_ON;
  }
  // It has had its place, and was late there too.
  if (isCatchUp(occurrence)) return GO_ON;
  const { startBy, notes } = occurrence;
  const place = epochMs(Math.min(run.dueAt, startBy ?? run.dueAt));
  const note = run.fire.notes.filter(({ code }) => code === CATCH_UP_NOTE);
  const to = {
    dueAt: place,
    ...(startBy !== undefined && { startBy }),
    notes: [...notes, ...note],
  };
  const moved = await deps.occurrences.reschedule(occurrence, to, now);
  return moved.kind === 'done' ? { kind: 'put-off', dueAt: place } : GO_ON;
}

/** By what is at hand, without a read. */
function seemsLate(
  key: OccurrenceKey,
  dueAt: EpochMs,
  revision: Revision | undefined,
  now: EpochMs,
): boolean {
  const late = now - dueAt;
  if (late <= LEAST_MISFIRE_THRESHOLD) return false;
  if (late > MISFIRE_THRESHOLD || !revision) return true;
  const policy = planningPolicy(revision.definition, revision.calendars);
  // An interval without an anchor of its own has the same steps from any time of it.
  const recurrence = recurrenceOf({ id: key.schedule, anchor: key.scheduledTime, policy });
  return recurrence !== undefined && late > misfireThreshold(recurrence, key.scheduledTime);
}

/** That its text can no longer be read is no reason not to run it. */
function recurrenceOf(head: Parameters<typeof headRecurrence>[0]) {
  try {
    return headRecurrence(head);
  } catch {
    return undefined;
  }
}

/** By the definition in force: an edit that keeps what is pending decides about what is late of it, too. */
function lateSchedule(head: ScheduleHead, promised: EpochMs): LateSchedule | undefined {
  const recurrence = recurrenceOf(head);
  const lastRunAt = head.remainingRuns === 0 ? head.lastRunAt : undefined;
  return recurrence && { schedule: head.id, policy: head.policy, recurrence, promised, lastRunAt };
}

/**
 * Only what nobody has begun, and nobody has decided about: a retry, a replay and a moved one run late. One past its
 * start deadline ends by that.
 */
function isAsked(occurrence: Occurrence, now: EpochMs): occurrence is PendingOccurrence {
  if (occurrence.status !== 'pending' || occurrence.attempt > 0 || occurrence.replays > 0) return false;
  if (occurrence.startBy !== undefined && occurrence.startBy < now) return false;
  return !occurrence.arrived && !isMoved(occurrence);
}

/**
 * What runs as catch-up already is given up only by another outage, which then has newer times to run: its place is
 * one of many, and others may have started late there.
 */
function isTooLate(of: LateSchedule, occurrence: PendingOccurrence, now: EpochMs): boolean {
  const late = now - occurrence.dueAt;
  if (!isCatchUp(occurrence)) return late > misfireThreshold(of.recurrence, occurrence.scheduledTime);
  return late > Math.max(MISFIRE_THRESHOLD, knownDurationMs(of.policy.catchUp.spreadOver));
}

/** Others may claim late times of the schedule at the same moment, and a tick may plan them. */
const MAX_ROUNDS = 10;

/** Whether the budget of this outage has a place for it. */
async function hasPlace(
  { occurrences }: LateClaimDeps,
  { schedule, policy }: LateSchedule,
  time: EpochMs,
  now: EpochMs,
): Promise<boolean> {
  const catchUp = catchUpOf(policy);
  if (catchUp.mode !== 'all') return true;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const seen = (await occurrences.readTallies([schedule])).get(schedule);
    const { admitted, tally } = admit(seen, time, now, budgetOf(catchUp));
    if (!tally || (await occurrences.writeTally(schedule, tally, now)).kind === 'done') return admitted;
  }
  throw new Error(
    `The catch-up tally of ${schedule} kept changing while ${time} asked it; its message comes again.`,
  );
}
