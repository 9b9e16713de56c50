import { knownDurationMs } from './duration.ts';
import type { OccurrenceKey, ScheduleId } from './ids.ts';
import { CATCH_UP_NOTE } from './invocation.ts';
import type { Coalesced, CoalesceReason } from './occurrence.ts';
import { dueAt as withinWindow } from './recurrence/index.ts';
import type { Fire, FireNote, Recurrence } from './recurrence/types.ts';
import type { CatchUpPolicy, PlanningPolicy } from './schedule.ts';
import type { OverlapPolicy } from './slots.ts';
import { type EpochMs, epochMs, MINUTE, SECOND, toIso } from './time.ts';

export interface PlanLimits {
  /** Milliseconds: how far ahead of `now` nominal times are materialised. */
  readonly planWindow: number;
  /** At most this many occurrences in one plan. */
  readonly maxOccurrences: number;
}

/** Most occurrences in one transaction: with the head and a revision it stays under DynamoDB's 100 actions. */
export const MAX_OCCURRENCES_PER_PLAN = 90;

/** A next time this much older than `now` was missed rather than merely late. */
export const MISFIRE_THRESHOLD = MINUTE;

/** Missed times counted in one plan; a longer backlog is counted by the plans that follow. */
export const MAX_MISSED_PER_PLAN = 50_000;

/** An occurrence to create. */
export interface PlannedOccurrence extends OccurrenceKey {
  readonly dueAt: EpochMs;
  readonly startBy?: EpochMs;
  /** Outside workers claim it from this queue. */
  readonly pullQueue?: string;
  /** Chosen with a trigger, instead of the revision's; the input as JSON text. */
  readonly overlap?: OverlapPolicy;
  readonly inputOverride?: string;
  /** Made by a person before the planner came to its time. */
  readonly isAhead?: true;
  /** Days that it is kept once it is finished; as the deployment says when absent. */
  readonly retentionDays?: number;
  readonly notes: readonly FireNote[];
}

/**
 * A ledger record to create for times that are not run. Its key is its range and no time's own: of a time in it that a
 * person decided about there may be a record as well, which then says what became of that time.
 */
export interface PlannedRecord extends OccurrenceKey {
  readonly kind: 'range';
  readonly retentionDays?: number;
  readonly reason: CoalesceReason;
  readonly coalesced: Coalesced;
}

export interface Plan {
  readonly occurrences: readonly PlannedOccurrence[];
  readonly records: readonly PlannedRecord[];
  /** The next nominal time left to materialise; null when the recurrence has ended, or its runs are used up. */
  readonly nextDueAt: EpochMs | null;
  /** Where the schedule has `maxRuns`: what is left of them, and when they are used up the time of the last. */
  readonly remainingRuns?: number;
  readonly lastRunAt?: EpochMs;
}

export interface PlanInput {
  readonly schedule: ScheduleId;
  readonly revision: number;
  readonly policy: PlanningPolicy;
  readonly recurrence: Recurrence;
  /** The next nominal time not yet materialised. */
  readonly nextDueAt: EpochMs;
  /** Occurrences that may still be created; any number when absent. Times that are only recorded do not count. */
  readonly remainingRuns?: number | undefined;
  readonly now: EpochMs;
  readonly limits: PlanLimits;
}

/**
 * What to create now, and where the schedule then stands. Every nominal time from `nextDueAt` up to the
 * returned `nextDueAt` is in exactly one occurrence or one record.
 */
export function plan(input: PlanInput): Plan {
  const { recurrence, nextDueAt, now, limits, remainingRuns = Number.POSITIVE_INFINITY } = input;
  const misfire = punctualStart(input, nextDueAt) < now - MISFIRE_THRESHOLD;
  const missed = misfire ? planMissed(input) : { runs: [], records: [], next: nextDueAt, counted: true };
  const occurrences = missed.runs.map((run) => occurrenceOf(input, run.fire, run.dueAt));

  let next = missed.next;
  const horizon = now + limits.planWindow;
  const most = Math.min(limits.maxOccurrences, remainingRuns);
  // A backlog that is not counted to its end yet must be, before anything later is created.
  while (missed.counted && next !== null && next <= horizon && occurrences.length < most) {
    const fire = fireAt(recurrence, next);
    next = recurrence.next(fire.at)?.at ?? null;
    occurrences.push(onTime(input, fire, next));
  }
  const planned = { occurrences, records: missed.records, nextDueAt: next };
  return input.remainingRuns === undefined ? planned : countRuns(planned, input.remainingRuns);
}

function countRuns(planned: Plan, before: number): Plan {
  const remainingRuns = before - planned.occurrences.length;
  if (remainingRuns > 0) return { ...planned, remainingRuns };
  const lastRunAt = planned.occurrences.at(-1)?.scheduledTime;
  return { ...planned, nextDueAt: null, remainingRuns, ...(lastRunAt !== undefined && { lastRunAt }) };
}

/** When the occurrence of a nominal time may start, if all goes well. */
function punctualStart({ schedule, policy, recurrence }: PlanInput, at: EpochMs): EpochMs {
  return policy.window === undefined
    ? at
    : startIn(schedule, policy.window, at, recurrence.next(at)?.at ?? null);
}

function startIn(schedule: ScheduleId, window: string, at: EpochMs, nextAt: EpochMs | null): EpochMs {
  return withinWindow(at, nextAt, knownDurationMs(window), schedule);
}

/** The occurrence of a nominal time that has not passed: due then, or later within its window. */
export function onTime(
  input: Pick<PlanInput, 'schedule' | 'revision' | 'policy'>,
  fire: Fire,
  nextAt: EpochMs | null,
): PlannedOccurrence {
  const { window } = input.policy;
  if (window === undefined) return occurrenceOf(input, fire, fire.at);
  const due = startIn(input.schedule, window, fire.at, nextAt);
  const note = { code: 'window', message: `Starts at ${toIso(due)}, by the window of ${window}.` };
  return occurrenceOf(input, due === fire.at ? fire : { ...fire, notes: [...fire.notes, note] }, due);
}

/** The fire at a known nominal time, with its notes. */
function fireAt(recurrence: Recurrence, at: EpochMs): Fire {
  const fire = recurrence.next(epochMs(at - 1));
  // Zone data may have moved the time since it was written; the promised time is kept.
  return fire?.at === at ? fire : { at, notes: [] };
}

/** The occurrence of a nominal time as a plan creates it. */
export function occurrenceOf(
  input: Pick<PlanInput, 'schedule' | 'revision' | 'policy'>,
  fire: Fire,
  dueAt: EpochMs,
): PlannedOccurrence {
  const deadline = input.policy.startDeadline;
  return {
    schedule: input.schedule,
    scheduledTime: fire.at,
    revision: input.revision,
    kind: 'scheduled',
    dueAt,
    ...(input.policy.pullQueue !== undefined && { pullQueue: input.policy.pullQueue }),
    ...(deadline !== undefined && { startBy: epochMs(dueAt + knownDurationMs(deadline)) }),
    ...keptFor(input.policy),
    notes: fire.notes,
  };
}

interface Missed {
  readonly runs: readonly { readonly fire: Fire; readonly dueAt: EpochMs }[];
  readonly records: readonly PlannedRecord[];
  readonly next: EpochMs | null;
  /** Whether all missed times were counted, or the bound of one plan was met first. */
  readonly counted: boolean;
}

/** Missed times, oldest first, up to `now`: the latest few that the budget allows run, one record holds the rest. */
function planMissed(input: PlanInput): Missed {
  const { recurrence, now, limits, remainingRuns = Number.POSITIVE_INFINITY } = input;
  const budget = catchUpBudget(input.policy.catchUp, Math.min(limits.maxOccurrences, remainingRuns));
  const oldest = now - knownDurationMs(input.policy.catchUp.maxAge);
  // `recent` is a window over the latest missed times; what falls out of it at the front is given up.
  const recent: Fire[] = [];
  let dropped: Coalesced | undefined;
  let next: EpochMs | null = input.nextDueAt;
  let count = 0;
  // The last one may still be on time: its window is not over.
  const isMissed = (at: EpochMs) => at <= now && punctualStart(input, at) <= now;
  while (next !== null && count < MAX_MISSED_PER_PLAN && isMissed(next)) {
    const fire = fireAt(recurrence, next);
    count += 1;
    recent.push(fire);
    while (recent.length > budget || (recent[0] !== undefined && recent[0].at < oldest)) {
      const given = recent.shift();
      if (given)
        dropped = { count: (dropped?.count ?? 0) + 1, from: dropped?.from ?? given.at, to: given.at };
    }
    next = recurrence.next(fire.at)?.at ?? null;
  }
  const counted = next === null || !isMissed(next);
  // While times remain uncounted, later ones are still to come and the latest win: nothing runs yet.
  if (!counted) {
    const all = [...recent].reduce<Coalesced | undefined>(
      (sum, fire) => ({ count: (sum?.count ?? 0) + 1, from: sum?.from ?? fire.at, to: fire.at }),
      dropped,
    );
    return { runs: [], records: recordOf(input, all), next, counted };
  }
  return {
    runs: spread(recent, input.policy.catchUp, now),
    records: recordOf(input, dropped),
    next,
    counted,
  };
}

/** How many missed times a policy runs at most. */
export function catchUpBudget(policy: CatchUpPolicy, maxOccurrences: number): number {
  switch (policy.mode) {
    case 'skip':
      return 0;
    case 'latest':
      return Math.min(1, maxOccurrences);
    case 'all':
      return Math.min(policy.maxRuns, maxOccurrences);
  }
}

/** Catch-up runs start at once and then evenly over `spreadOver`, oldest first, so that recovery cannot flood. */
function spread(fires: readonly Fire[], policy: CatchUpPolicy, now: EpochMs) {
  const step = fires.length > 1 ? knownDurationMs(policy.spreadOver) / fires.length : 0;
  return fires.map((fire, index) => {
    const lateBy = Math.round((now - fire.at) / SECOND);
    const note: FireNote = {
      code: CATCH_UP_NOTE,
      message: `Created ${lateBy} s after its time, as catch-up.`,
    };
    return {
      fire: { ...fire, notes: [...fire.notes, note] },
      dueAt: epochMs(now + Math.round(step * index)),
    };
  });
}

function recordOf(input: PlanInput, coalesced: Coalesced | undefined): PlannedRecord[] {
  if (!coalesced) return [];
  return [rangeRecord(input, coalesced, 'catch-up')];
}

/** Made twice of the same times it is the same record. */
export function rangeRecord(
  { schedule, revision, policy }: Pick<PlanInput, 'schedule' | 'revision' | 'policy'>,
  coalesced: Coalesced,
  reason: CoalesceReason,
): PlannedRecord {
  const token = coalesced.from.toString(36);
  const key = { schedule, scheduledTime: coalesced.to, revision, kind: 'range', token } as const;
  return { ...key, reason, coalesced, ...keptFor(policy) };
}

/** What every record of a schedule carries, so that its end needs no look at the schedule. */
export function keptFor({ retentionDays }: PlanningPolicy): { readonly retentionDays?: number } {
  return retentionDays === undefined ? {} : { retentionDays };
}
