import { knownDurationMs } from '../duration.ts';
import type { OccurrenceKey, ScheduleId } from '../ids.ts';
import type { Coalesced, CoalesceReason } from '../occurrence/occurrence.ts';
import { measureWork } from '../recurrence/index.ts';
import type { Fire, FireNote, Recurrence } from '../recurrence/types.ts';
import type { OverlapPolicy } from '../schedule/definition.ts';
import type { MakingUp, PlanningPolicy } from '../schedule/head.ts';
import { type EpochMs, epochMs, toIso } from '../time.ts';
import { type CatchUpRun, isLate, lateTimes, startIn } from './catch-up.ts';

export interface PlanLimits {
  /** Milliseconds: how far ahead of `now` nominal times are materialised. */
  readonly planWindow: number;
  /** At most this many occurrences in one plan. */
  readonly maxOccurrences: number;
  /** At most so much work (recurrence/work.ts), MAX_STEPS_PER_PLAN when absent; what is left is for the next plan. */
  readonly maxSteps?: number;
}

/** Most occurrences in one transaction: with the head and a revision it stays under DynamoDB's 100 actions. */
export const MAX_OCCURRENCES_PER_PLAN = 90;

/** Late times counted in one plan; a longer backlog is counted by the plans that follow. */
export const MAX_MISSED_PER_PLAN = 50_000;

/**
 * Steps of one plan, some tenths of a second: fifty thousand late times of ten united expressions. Few schedules ever
 * come near it; without a bound a single one could take the whole tick, minute after minute.
 */
export const MAX_STEPS_PER_PLAN = 1_000_000;

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
  /** Whether the bound of steps ended it; the plan is whole as far as it goes. */
  readonly costly?: boolean;
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
  /** What a person asked to be made up for, as far as it is not created yet. */
  readonly makingUp?: MakingUp | undefined;
  /** Late runs of the outage that are created or claimed already (catch-up-tally.ts). */
  readonly spent?: number;
  readonly now: EpochMs;
  readonly limits: PlanLimits;
}

/**
 * What to create now, and where the schedule then stands. Every nominal time from `nextDueAt` up to the
 * returned `nextDueAt` is in exactly one occurrence or one record.
 */
export function plan(input: PlanInput): Plan {
  const { recurrence, now, limits, remainingRuns = Number.POSITIVE_INFINITY } = input;
  const steps = measureWork();
  const isSpent = () => steps() > (limits.maxSteps ?? MAX_STEPS_PER_PLAN);
  const { records, runs, next: afterLate, counted } = planLate(input, isSpent);
  const most = Math.min(limits.maxOccurrences, remainingRuns);
  const occurrences = runs.slice(0, most).map(({ fire, dueAt }) => occurrenceOf(input, fire, dueAt));
  // What the transaction has no room for is created by the plans that follow.
  let next = runs[occurrences.length]?.fire.at ?? afterLate;

  const horizon = now + limits.planWindow;
  // A backlog that is not counted to its end yet must be, before anything later is created.
  while (counted && next !== null && next <= horizon && occurrences.length < most) {
    if (isLate(input, next, now) || (occurrences.length > 0 && isSpent())) break;
    const fire = fireAt(recurrence, next);
    next = recurrence.next(fire.at)?.at ?? null;
    occurrences.push(onTime(input, fire, next));
  }
  const planned = { occurrences, records, nextDueAt: next, ...(isSpent() && { costly: true }) };
  return input.remainingRuns === undefined ? planned : countRuns(planned, input.remainingRuns);
}

function countRuns(planned: Plan, before: number): Plan {
  const remainingRuns = before - planned.occurrences.length;
  if (remainingRuns > 0) return { ...planned, remainingRuns };
  const lastRunAt = planned.occurrences.at(-1)?.scheduledTime;
  return { ...planned, nextDueAt: null, remainingRuns, ...(lastRunAt !== undefined && { lastRunAt }) };
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
    ...retentionOf(input.policy),
    notes: fire.notes,
  };
}

interface Late {
  readonly runs: readonly CatchUpRun[];
  readonly records: readonly PlannedRecord[];
  readonly next: EpochMs | null;
  /** Whether all late times were counted, or the bound of one plan was met first. */
  readonly counted: boolean;
}

/** Late times: those that the policy runs, and one record of the others. */
function planLate(input: PlanInput, isSpent: () => boolean): Late {
  const { recurrence, nextDueAt, now, makingUp, remainingRuns, spent } = input;
  const none = { runs: [], records: [], next: nextDueAt, counted: true };
  const asked = makingUp && nextDueAt <= makingUp.asOf ? makingUp : undefined;
  if (!asked && !isLate(input, nextDueAt, now)) return none;
  const asOf = asked?.asOf ?? now;
  const late = lateTimes(asked ? { ...input, policy: { ...input.policy, catchUp: asked.catchUp } } : input, {
    now: asOf,
    // However many plans it takes to create them, those that were asked for have their places in one spread.
    from: asked?.from ?? nextDueAt,
    ...(remainingRuns !== undefined && { most: remainingRuns }),
    ...(asked ? { all: true } : spent !== undefined && { spent }),
  });
  const left = late.runs.filter(({ fire }) => fire.at >= nextDueAt);
  const [first] = left;
  const kept = first?.fire.at ?? late.punctual ?? epochMs(asOf + 1);
  let dropped: Coalesced | undefined;
  let next: EpochMs | null = nextDueAt;
  while (next !== null && next < kept && (dropped?.count ?? 0) < MAX_MISSED_PER_PLAN) {
    if (dropped && isSpent()) break;
    dropped = { count: (dropped?.count ?? 0) + 1, from: dropped?.from ?? next, to: next };
    next = recurrence.next(next)?.at ?? null;
  }
  const records = recordOf(input, dropped);
  // The newest are found backwards and stay what they are, however many plans it takes to count the others.
  if (next !== null && next < kept) return { runs: [], records, next, counted: false };
  const last = left.at(-1);
  const runs = left.map(({ fire, dueAt }) => ({ fire, dueAt: epochMs(Math.max(now, dueAt)) }));
  return {
    runs,
    records,
    next: last ? (recurrence.next(last.fire.at)?.at ?? null) : next,
    counted: true,
  };
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
  return { ...key, reason, coalesced, ...retentionOf(policy) };
}

/** What every record of a schedule carries, so that its end needs no look at the schedule. */
export function retentionOf({ retentionDays }: PlanningPolicy): { readonly retentionDays?: number } {
  return retentionDays === undefined ? {} : { retentionDays };
}
