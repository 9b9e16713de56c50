import type * as z from 'zod';
import { occurrenceId, type ScheduleId } from '../../../core/ids.ts';
import { refundRuns } from '../../../core/planning/runs-left.ts';
import { type Compiled, DEFAULT_PREVIEW, type PreviewFire, preview } from '../../../core/recurrence/index.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import { headRecurrence } from '../../../core/schedule/head-recurrence.ts';
import { shownStateOf } from '../../../core/schedule/shown-state.ts';
import { type RunsStanding, withinRuns } from '../../../core/schedule/within-runs.ts';
import { type EpochMs, epochMs } from '../../../core/time.ts';
import type { Caller, ChangeDeps } from '../../deps.ts';
import { fireViewOf } from '../../service/fire-view.ts';
import { shownState } from '../definition/schedule-view.ts';
import { openOf, type ScheduleTransition } from '../plan-change/build-change.ts';
import { fitted } from '../plan-change/fitted.ts';
import { countsOn, nextHead } from '../plan-change/next-head.ts';
import { startOf } from '../plan-change/plan-head.ts';
import type { rehearsalView } from '../schema/rehearsal-schema.ts';
import { applyQuota } from './apply-quota.ts';
import type { Decide } from './commit.ts';
import { type CurrentSchedule, readCurrentSchedule } from './current-schedule.ts';

export type Rehearsal = z.output<typeof rehearsalView>;

/** The times of a schedule: those of one recurrence, and from some time on those of another. */
interface Times {
  readonly fires: readonly PreviewFire[];
  readonly has: (at: EpochMs) => boolean;
  readonly last: Compiled | undefined;
  /** Whether something that was created before still runs. */
  readonly leavesOpen?: boolean;
}

const NONE: Times = { fires: [], has: () => false, last: undefined };

/** What `commit` would do with the same decision, as far as times go; refuses what it would refuse. */
export async function rehearse(
  deps: ChangeDeps,
  id: ScheduleId,
  caller: Caller,
  decide: Decide,
): Promise<Rehearsal> {
  const current = await readCurrentSchedule(deps.schedules, id);
  const live = current.kind === 'live' ? current.head : undefined;
  const before = live ? timesOf(live, caller.now) : NONE;
  const transition = await decide(current);
  if (transition) await applyQuota(deps.schedules, id, current, transition, caller);
  const after = transition ? await timesAfter(deps, id, current, transition, caller) : before;
  const without = (fires: readonly PreviewFire[], { has }: Times) =>
    fires.filter((fire) => !has(timeOf(fire))).map(fireViewOf);
  return {
    state: await stateAfter(deps, transition, live, after),
    before: before.fires.map(fireViewOf),
    after: after.fires.map(fireViewOf),
    added: without(after.fires, before),
    removed: without(before.fires, after),
    warnings: [...(after.last?.warnings(caller.now) ?? [])],
  };
}

async function stateAfter(
  { occurrences }: Pick<ChangeDeps, 'occurrences'>,
  transition: ScheduleTransition | undefined,
  live: ScheduleHead | undefined,
  after: Times,
) {
  if (live && !transition) return shownState(await shownStateOf(live, occurrences.openOf));
  if (transition?.state === 'paused') return 'paused';
  return after.fires.length > 0 || after.leavesOpen ? 'enabled' : 'completed';
}

function timesOf(head: Pick<ScheduleHead, 'id' | 'policy' | 'anchor'> & RunsStanding, after: EpochMs): Times {
  const recurrence = headRecurrence(head);
  const all = preview(recurrence, { from: after, now: after, seed: head.id }).items;
  const fires = all.slice(0, withinRuns(head, all.map(timeOf)));
  const isWhole = fires.length < all.length;
  return {
    fires,
    has: (at) => (isWhole ? fires.some((fire) => timeOf(fire) === at) : firesAt(recurrence, at)),
    last: recurrence,
  };
}

function timeOf({ scheduledTime }: PreviewFire): EpochMs {
  return epochMs(Date.parse(scheduledTime));
}

function firesAt(recurrence: Compiled, at: EpochMs): boolean {
  return recurrence.next(epochMs(at - 1))?.at === at;
}

async function timesAfter(
  deps: ChangeDeps,
  id: ScheduleId,
  current: CurrentSchedule,
  transition: ScheduleTransition,
  caller: Caller,
): Promise<Times> {
  const { now } = caller;
  const open = await openOf(deps, id, current);
  const uncounted = nextHead(id, current, transition, now);
  const before = current.kind === 'live' ? current.head : undefined;
  const { toStop } = await fitted(deps, { id, before, base: uncounted, transition, open, now });
  const cancelled = refundRuns(before, toStop, uncounted.remainingRuns);
  const base = { ...uncounted, ...(countsOn(current, transition) && cancelled) };
  const asItWas = transition.planningStart?.kind === 'unchanged' ? before : undefined;
  const leavesOpen = open.length > new Set(toStop.map(occurrenceId)).size;
  const next = {
    ...timesOf({ ...base, ...(asItWas ?? { state: 'enabled', nextDueAt: now }), policy: base.policy }, now),
    leavesOpen,
  };
  if (
    transition.planningStart?.kind !== 'after-pending' ||
    current.kind !== 'live' ||
    transition.state !== 'enabled'
  )
    return next;
  // What is planned already still runs as it was; the new times begin behind it.
  const start = await startOf(deps, { before: current.head, base, transition, open, caller });
  const kept = headRecurrence(current.head);
  const old = preview(kept, { from: now, to: start, count: DEFAULT_PREVIEW, now, seed: id }).items;
  const rest = preview(headRecurrence(base), { from: start, now, seed: id }).items;
  return {
    fires: [...old, ...rest].slice(0, DEFAULT_PREVIEW),
    has: (at) => (at <= start ? firesAt(kept, at) : next.has(at)),
    last: next.last,
    leavesOpen,
  };
}
