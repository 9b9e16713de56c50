import { occurrenceId, type ScheduleId } from '../../../core/ids.ts';
import type { ChangeReason, PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import { revivalOf } from '../../../core/pause/revival.ts';
import type { PlannedOccurrence } from '../../../core/planning/planner.ts';
import { refundRuns } from '../../../core/planning/runs-left.ts';
import type { IdempotencyRecord } from '../../../core/ports/idempotency-record.ts';
import type { ScheduleChange } from '../../../core/ports/schedule-store.ts';
import type { PinnedCalendar } from '../../../core/schedule/calendar.ts';
import type { Definition } from '../../../core/schedule/definition.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import type { Pause } from '../../../core/schedule/pause.ts';
import { successExpectedBy } from '../../../core/schedule/watch.ts';
import type { Caller, ChangeDeps } from '../../deps.ts';
import type { CurrentSchedule } from '../change/current-schedule.ts';
import { fitted } from './fitted.ts';
import { countsOn, nextHead } from './next-head.ts';
import { type Open, type PlanningStart, planHead } from './plan-head.ts';

/** A change of a schedule as its use case puts it; what is cancelled and created follows from it. */
export interface ScheduleTransition {
  /** `enabled` becomes `completed` where no time is left. */
  readonly state: 'enabled' | 'paused' | 'deleted';
  /** Present when what or when changes: it becomes the next revision. */
  readonly definition?: Definition;
  /** Of a definition that names some: what they are now. */
  readonly calendars?: readonly PinnedCalendar[];
  readonly cancel: CancelTerms;
  /** `anew` when absent. */
  readonly planningStart?: PlanningStart;
  /** What a pause says of itself; one that goes on without it says the same as before. */
  readonly pause?: PauseTerms;
  readonly idempotency?: IdempotencyRecord;
}

/** `undefined` takes a note or an end back. */
export interface PauseTerms extends Pick<Pause, 'by'> {
  readonly note: string | undefined;
  readonly until: Pause['until'] | undefined;
}

export interface CancelTerms {
  /**
   * Manual occurrences were asked for by a person: only the deletion of their schedule stops them. `none`: what
   * is pending still runs, under the revision that it was created by. `coming`: scheduled ones whose time has not
   * passed; the others go on by the new revision.
   */
  readonly kinds: 'none' | 'coming' | 'scheduled' | 'every';
  readonly reason: ChangeReason;
}

export async function buildScheduleChange(
  deps: Pick<ChangeDeps, 'occurrences' | 'limits' | 'zoneData'>,
  id: ScheduleId,
  current: CurrentSchedule,
  transition: ScheduleTransition,
  caller: Caller,
): Promise<ScheduleChange> {
  const { now } = caller;
  const before = current.kind === 'absent' ? undefined : current.head;
  const open = await openOf(deps, id, current);
  const base = nextHead(id, current, transition, now);
  const {
    carried,
    decided,
    toStop,
    room: free,
  } = await fitted(deps, { id, before, base, transition, open, now });
  const resumes = before?.state === 'paused' && transition.state === 'enabled';
  const revival = resumes ? revivalOf(before, now) : undefined;
  // What a resume finds pending (a pause died before it had cancelled all) is cancelled before it, since the schedule is
  // still paused, and comes back with what the pause held; a catch-up has all the room.
  // The cancels are safe beyond the transaction too (the worker asks the head), but creates without room for
  // them would leave a plain mistake: that the cancels did not go with the change they belong to.
  const room = resumes ? free : Math.max(0, free - toStop.length);
  const counted = {
    ...base,
    ...(countsOn(current, transition) && refundRuns(before, toStop, base.remainingRuns)),
  };
  const headPlan = await planHead(deps, { before, base: counted, transition, open, caller, room });
  const { create: planned, records, ...state } = headPlan;
  const taken = new Set([...carried.create, ...carried.skipped].map(({ scheduledTime }) => scheduledTime));
  const wanted = planned.filter(({ scheduledTime }) => !taken.has(scheduledTime));
  const { create, cancel } = apart([...wanted, ...decided.create], toStop);
  const head = { ...counted, ...state };
  const lookAt = successExpectedBy(head, undefined);
  return {
    expected: before ?? null,
    head,
    ...(transition.definition && {
      revision: {
        schedule: id,
        revision: base.revision,
        definition: transition.definition,
        ...(transition.calendars && transition.calendars.length > 0 && { calendars: transition.calendars }),
        createdAt: now,
        createdBy: caller.principal,
      },
    }),
    cancel,
    cancelReason: transition.cancel.reason,
    ...(resumes && { cancelsFirst: true }),
    ...(revival && { revival }),
    create,
    ...(decided.after.length > 0 && { createAfter: decided.after }),
    records,
    ...((transition.definition || transition.state === 'deleted') && {
      calendars: calendarsOf(before, transition),
    }),
    ...(lookAt !== null && { watch: { lookAt, fresh: current.kind !== 'live' } }),
    ...(carried.skipped.length > 0 && { skipped: carried.skipped }),
    ...(transition.idempotency && { idempotency: transition.idempotency }),
    now,
  };
}

/**
 * What would be cancelled and made again under the same key stays as it is: one that a resume finds pending (it waits
 * for its retry, or was left by a pause that died).
 */
function apart(create: readonly PlannedOccurrence[], cancel: readonly PendingOccurrence[]) {
  const made = new Set(create.map(occurrenceId));
  const stopped = new Set(cancel.map(occurrenceId));
  return {
    create: create.filter((one) => !stopped.has(occurrenceId(one))),
    cancel: cancel.filter((one) => !made.has(occurrenceId(one))),
  };
}

/** Written with the schedule, so that a calendar knows by whom it is used. */
function calendarsOf(
  before: ScheduleHead | undefined,
  transition: ScheduleTransition,
): NonNullable<ScheduleChange['calendars']> {
  const used = before?.state === 'deleted' ? [] : (before?.policy.calendars ?? []);
  return { after: transition.calendars ?? [], before: used.map(({ name }) => name) };
}

export async function openOf(
  deps: Pick<ChangeDeps, 'occurrences'>,
  id: ScheduleId,
  current: CurrentSchedule,
): Promise<readonly Open[]> {
  return current.kind === 'absent' ? [] : deps.occurrences.openOf(id);
}
