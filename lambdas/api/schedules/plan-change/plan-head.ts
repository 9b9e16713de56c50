import type { PendingOccurrence, RunningOccurrence } from '../../../core/occurrence/occurrence.ts';
import { firstMadeUp, pausedAt, pausedTimes } from '../../../core/pause/pause-plan.ts';
import type { PlannedOccurrence, PlannedRecord } from '../../../core/planning/planner.ts';
import { retireAt } from '../../../core/planning/retirement.ts';
import type { CatchUpPolicy } from '../../../core/schedule/definition.ts';
import type { MakingUp, ScheduleHead, ScheduleState } from '../../../core/schedule/head.ts';
import { headRecurrence } from '../../../core/schedule/head-recurrence.ts';
import type { Pause } from '../../../core/schedule/pause.ts';
import { type EpochMs, epochMs } from '../../../core/time.ts';
import type { Caller, ChangeDeps } from '../../deps.ts';
import type { ScheduleTransition } from './build-change.ts';
import { isAheadOfPlan } from './carry-over.ts';
import { droppedTimes } from './dropped-times.ts';
import type { HeadBase } from './next-head.ts';
import { planFirst } from './plan-at-once.ts';
import { planFrom } from './plan-from.ts';

/** Where planning goes on after a change. */
export type PlanningStart =
  /** From now; what is pending was cancelled. */
  | { readonly kind: 'from-now' }
  /** Where it stood: what and when to plan is the same as before. */
  | { readonly kind: 'unchanged' }
  /** Behind the last time that is planned already and still runs. */
  | { readonly kind: 'after-pending' }
  /** With times that passed while it was paused, as far as the policy runs them. */
  | { readonly kind: 'catch-up'; readonly catchUp: CatchUpPolicy };

/** How a schedule goes on after a change: what is planned of it and what is recorded as not run. */
export interface HeadPlan {
  readonly state: ScheduleState;
  readonly nextDueAt: EpochMs | null;
  readonly pause?: Pause;
  readonly remainingRuns?: number;
  readonly lastRunAt?: EpochMs;
  readonly zoneData?: string;
  readonly makingUp?: MakingUp;
  readonly create: readonly PlannedOccurrence[];
  readonly records: readonly PlannedRecord[];
}

export type Open = PendingOccurrence | RunningOccurrence;

interface Change {
  readonly before: ScheduleHead | undefined;
  readonly base: HeadBase;
  readonly transition: ScheduleTransition;
  readonly open: readonly Open[];
  readonly caller: Caller;
  /** Occurrences that the transaction still takes. */
  readonly room: number;
}

export async function planHead(
  deps: Pick<ChangeDeps, 'occurrences' | 'limits' | 'zoneData'>,
  change: Change,
): Promise<HeadPlan> {
  const { before, transition, caller } = change;
  switch (transition.state) {
    case 'deleted':
      return {
        state: 'deleted',
        nextDueAt: null,
        create: [],
        records: recordsOfDroppedTimes(change, caller.now),
      };
    case 'paused':
      return paused(deps, change);
    case 'enabled':
      if (before && transition.planningStart?.kind === 'unchanged') return asItWas({ ...change, before });
      return enabled(deps, change);
  }
}

function asItWas({ before, base, open, caller }: Change & { before: ScheduleHead }): HeadPlan {
  const { state } = before;
  // The edit may be the very one that asks for it, or takes it back.
  const nextDueAt = state === 'completed' ? retireAt(base, open, caller.now) : before.nextDueAt;
  const { lastRunAt, zoneData, makingUp } = before;
  return {
    state,
    nextDueAt,
    ...(lastRunAt !== undefined && { lastRunAt }),
    ...(zoneData !== undefined && { zoneData }),
    ...(makingUp && { makingUp }),
    create: [],
    records: [],
  };
}

async function enabled(
  deps: Pick<ChangeDeps, 'occurrences' | 'limits' | 'zoneData'>,
  change: Change,
): Promise<HeadPlan> {
  const { base, transition, caller, room } = change;
  const start = await startOf(deps, change);
  const { planningStart: how } = transition;
  const asked =
    how?.kind === 'catch-up'
      ? { catchUp: how.catchUp, from: epochMs(start + 1), asOf: caller.now }
      : undefined;
  const first = planFirst(
    { ...base, ...(asked && { makingUp: asked }) },
    start,
    caller.now,
    deps.limits,
    room,
  );
  const { create, nextDueAt, remainingRuns } = first;
  const lastRunAt = first.lastRunAt ?? (base.remainingRuns === 0 ? lastRunUpTo(start, change) : undefined);
  return {
    state: nextDueAt === null ? 'completed' : 'enabled',
    nextDueAt: nextDueAt ?? retireAt(base, create, caller.now),
    ...(remainingRuns !== undefined && { remainingRuns }),
    ...(lastRunAt !== undefined && { lastRunAt }),
    zoneData: deps.zoneData,
    ...(asked && nextDueAt !== null && nextDueAt <= asked.asOf && { makingUp: asked }),
    create,
    records: [...recordsOfDroppedTimes(change, epochMs(Math.min(start, caller.now))), ...first.records],
  };
}

/** What was created beyond where planning begins anew was cancelled. */
function lastRunUpTo(start: EpochMs, { before }: Change): EpochMs | undefined {
  return before?.lastRunAt === undefined ? undefined : epochMs(Math.min(before.lastRunAt, start));
}

/** Planning begins after this. */
export async function startOf(
  deps: Pick<ChangeDeps, 'occurrences'>,
  {
    before,
    base,
    transition,
    open,
    caller,
  }: Pick<Change, 'before' | 'base' | 'transition' | 'open' | 'caller'>,
): Promise<EpochMs> {
  const { now } = caller;
  if (!before) return now;
  const how = transition.planningStart?.kind ?? 'from-now';
  if (how === 'after-pending') {
    const planned = open
      .filter((one) => one.kind === 'scheduled' && !isAheadOfPlan(before, one))
      .map(({ scheduledTime }) => scheduledTime);
    // Of a completed one it is when to look at it again, and no time of its own.
    const next = before.state === 'enabled' ? (before.nextDueAt ?? 0) : 0;
    return epochMs(Math.max(now, next - 1, ...planned));
  }
  if (transition.planningStart?.kind === 'catch-up' && before.pause) {
    const { catchUp } = transition.planningStart;
    const recurrence = headRecurrence(base);
    const first = firstMadeUp(before.pause, recurrence, catchUp, now);
    if (first !== null) return epochMs(first - 1);
  }
  return planFrom(deps.occurrences, base.id, now);
}

/** Times of the old definition, up to `until`, that nothing created and that the change rules out. */
function recordsOfDroppedTimes({ before, transition, caller }: Change, until: EpochMs): PlannedRecord[] {
  if (!before) return [];
  if (before.state === 'paused') return pausedTimes(before, until);
  return droppedTimes(before, caller.now, transition.cancel.reason);
}

/** Newly paused, paused with other terms, or edited while paused. */
async function paused(deps: Pick<ChangeDeps, 'occurrences'>, change: Change): Promise<HeadPlan> {
  const { before, base, transition, caller } = change;
  if (!before) throw new Error(`${base.id} is paused before it exists.`);
  const { since, by, note, until } = {
    ...(before.pause ?? { since: caller.now, by: '' }),
    ...transition.pause,
  };
  const terms = { since, by, ...(note !== undefined && { note }), ...(until !== undefined && { until }) };
  const nextDueAt = until ?? null;
  // With other times, those of the old definition end here and the new one makes up for its own only.
  const otherTimes = transition.definition !== undefined && transition.planningStart?.kind !== 'unchanged';
  const stops = before.pause === undefined || otherTimes;
  if (before.pause && !stops) {
    const { from, unrecorded } = before.pause;
    return { state: 'paused', nextDueAt, pause: { ...terms, from, unrecorded }, create: [], records: [] };
  }
  const recurrence = headRecurrence(base);
  const from = await planFrom(deps.occurrences, base.id, caller.now);
  const where = before.pause
    ? { from, unrecorded: recurrence.next(from)?.at ?? null }
    : pausedAt(before, recurrence, from);
  return {
    state: 'paused',
    nextDueAt,
    pause: { ...terms, ...where },
    create: [],
    records: recordsOfDroppedTimes(change, caller.now),
  };
}
