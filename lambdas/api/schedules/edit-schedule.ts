import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import { samePins } from '../../core/schedule/calendar.ts';
import type { Definition } from '../../core/schedule/definition.ts';
import type { ChangeDeps, ScheduleRequest, Schedules } from '../deps.ts';
import { pinCalendars } from './change/pin-calendars.ts';
import { assertAllowed, assertFires, sameDefinition, sameRuns, sameTimes } from './definition/definition.ts';
import type { ScheduleTransition } from './plan-change/build-change.ts';
import type { PlanningStart } from './plan-change/plan-head.ts';

export interface EditRequest extends ScheduleRequest {
  /**
   * What becomes of what is pending. When absent it is kept by an edit that only says something else; by any other what
   * is still to come is cancelled, and what is pending of times that have passed goes on by the new definition.
   */
  readonly pending?: 'cancel' | 'keep' | undefined;
}

/**
 * What an edit comes to; undefined when it changes nothing. Any other one, if only of tags or the description,
 * is a new revision. `keep` leaves the older ones in force for what is pending of them: a worker starts what
 * belongs to a revision in force, and that one rule is what makes an edit take effect at once
 * (lambdas/core/occurrence/in-force.ts).
 */
export async function editMove(
  {
    schedules,
    allowed,
  }: Pick<ChangeDeps, 'allowed'> & { readonly schedules: Pick<Schedules, 'pinCalendars'> },
  { head, revision }: ScheduleRecord,
  definition: Definition,
  { id, caller, pending }: EditRequest,
): Promise<ScheduleTransition | undefined> {
  const calendars = await pinCalendars(schedules, definition);
  const calendarsStay = samePins(revision.calendars, calendars);
  if (calendarsStay && sameDefinition(revision.definition, definition)) return undefined;
  assertAllowed(allowed, definition);
  const timesStay = calendarsStay && sameTimes(revision.definition, definition);
  if (!timesStay) assertFires(id, definition, calendars, head.anchor, caller.now);
  const keeps = (pending ?? (sameRuns(revision.definition, definition) ? 'keep' : 'cancel')) === 'keep';
  return {
    // Paused stays paused; a completed one wakes up when its new times are not over.
    state: head.state === 'paused' ? 'paused' : 'enabled',
    definition,
    calendars,
    cancel: { kinds: keeps ? 'none' : pending === 'cancel' ? 'scheduled' : 'coming', reason: 'superseded' },
    planningStart: startAfter(keeps || head.state === 'paused', timesStay),
  };
}

/** A paused schedule has nothing pending: what it makes up for when it resumes is then what is kept. */
function startAfter(keeps: boolean, timesStay: boolean): PlanningStart {
  if (!keeps) return { kind: 'from-now' };
  return { kind: timesStay ? 'unchanged' : 'after-pending' };
}
