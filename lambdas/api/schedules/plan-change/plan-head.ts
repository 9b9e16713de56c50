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
import type { Move } from './build-change.ts';
import { isAheadOfPlan } from './carry-over.ts';
import { leftOver } from './dropped-times.ts';
import type { HeadBase } from './next-head.ts';
import { planFirst } from './plan-at-once.ts';
import { planFrom } from './plan-from.ts';

/** Where planning goes on after a change. */
export type GoOn =
  /** From now; what is pending was cancelled. */
  | { readonly kind: 'anew' }
  /** Where it stood: what and when to plan is the same as before. */
  | { readonly kind: 'as-it-was' }
  /** Behind the last time that is planned already and still runs. */
  | { readonly kind: 'after-kept' }
  /** With times that passed while it was paused, as far as the policy runs them. */
  | { readonly kind: 'made-up'; readonly catchUp: CatchUpPolicy };

/** How a schedule goes on after a change: what is planned of it and what is recorded as not run. */
export interface Going {
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
  readonly move: Move;
  readonly open: readonly Open[];
  readonly caller: Caller;
  /** Occurrences that the transaction still takes. */
  readonly room: number;
}

export async function goOn(
  deps: Pick<ChangeDeps, 'occurrences' | 'limits' | 'zoneData'>,
  change: Change,
): Promise<Going> {
  const { before, move, caller } = change;
  switch (move.state) {
    case 'deleted':
      return { state: 'deleted', nextDueAt: null, create: [], records: ruledOut(change, caller.now) };
    case 'paused':
      return paused(deps, change);
    case 'enabled':
      if (before && move.goOn?.kind === 'as-it-was') return asItWas({ ...change, before });
      return enabled(deps, change);
  }
}

function asItWas({ before, base, open, caller }: Change & { before: ScheduleHead }): Going {
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
): Promise<Going> {
  const { base, move, caller, room } = change;
  const start = await startOf(deps, change);
  const { goOn: how } = move;
  const asked =
    how?.kind === 'made-up'
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
    records: [...ruledOut(change, epochMs(Math.min(start, caller.now))), ...first.records],
  };
}

/** What was created beyond where planning begins anew was cancelled. */
function lastRunUpTo(start: EpochMs, { before }: Change): EpochMs | undefined {
  return before?.lastRunAt === undefined ? undefined : epochMs(Math.min(before.lastRunAt, start));
}

/** Planning begins after this. */
export async function startOf(
  deps: Pick<ChangeDeps, 'occurrences'>,
  { before, base, move, open, caller }: Pick<Change, 'before' | 'base' | 'move' | 'open' | 'caller'>,
): Promise<EpochMs> {
  const { now } = caller;
  if (!before) return now;
  const how = move.goOn?.kind ?? 'anew';
  if (how === 'after-kept') {
    const planned = open
      .filter((one) => one.kind === 'scheduled' && !isAheadOfPlan(before, one))
      .map(({ scheduledTime }) => scheduledTime);
    // Of a completed one it is when to look at it again, and no time of its own.
    const next = before.state === 'enabled' ? (before.nextDueAt ?? 0) : 0;
    return epochMs(Math.max(now, next - 1, ...planned));
  }
  if (move.goOn?.kind === 'made-up' && before.pause) {
    const { catchUp } = move.goOn;
    const recurrence = headRecurrence(base);
    const first = firstMadeUp(before.pause, recurrence, catchUp, now);
    if (first !== null) return epochMs(first - 1);
  }
  return planFrom(deps.occurrences, base.id, now);
}

/** Times of the old definition, up to `until`, that nothing created and that the change rules out. */
function ruledOut({ before, move, caller }: Change, until: EpochMs): PlannedRecord[] {
  if (!before) return [];
  if (before.state === 'paused') return pausedTimes(before, until);
  return leftOver(before, caller.now, move.cancel.reason);
}

/** Newly paused, paused with other terms, or edited while paused. */
async function paused(deps: Pick<ChangeDeps, 'occurrences'>, change: Change): Promise<Going> {
  const { before, base, move, caller } = change;
  if (!before) throw new Error(`${base.id} is paused before it exists.`);
  const { since, by, note, until } = { ...(before.pause ?? { since: caller.now, by: '' }), ...move.pause };
  const terms = { since, by, ...(note !== undefined && { note }), ...(until !== undefined && { until }) };
  const nextDueAt = until ?? null;
  // With other times, those of the old definition end here and the new one makes up for its own only.
  const otherTimes = move.definition !== undefined && move.goOn?.kind !== 'as-it-was';
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
    records: ruledOut(change, caller.now),
  };
}
