import type { ScheduleId } from '../../../core/ids.ts';
import { type PlanningPolicy, planningPolicy, type ScheduleHead } from '../../../core/schedule/head.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { CurrentSchedule } from '../change/current-schedule.ts';
import { sameRecurrence } from '../definition/definition.ts';
import type { ScheduleTransition } from './build-change.ts';

/** A head before it is known what is planned for it. */
export type HeadBase = Omit<
  ScheduleHead,
  'counted' | 'state' | 'nextDueAt' | 'pause' | 'lastRunAt' | 'zoneData' | 'makingUp'
>;

export function nextHead(
  id: ScheduleId,
  current: CurrentSchedule,
  transition: ScheduleTransition,
  now: EpochMs,
): HeadBase {
  const before = current.kind === 'absent' ? undefined : current.head;
  const live = current.kind === 'live' ? current.head : undefined;
  const oldest = live && oldestRevision(live, transition);
  const adopted = live && adoptedThrough(live, transition, now);
  const runs = runsLeft(current, transition);
  const last = current.kind === 'absent' ? current.lastRevision : current.head.revision;
  const revision = last + (transition.definition ? 1 : 0);
  const first =
    before && transition.state === 'deleted' ? before.firstRevision : live ? live.firstRevision : revision;
  return {
    id,
    // Numbers go on from a tombstone's, so that no occurrence key of the schedule that was deleted comes again.
    revision,
    ...(first !== undefined && first > 1 && { firstRevision: first }),
    version: (before?.version ?? last) + 1,
    policy: policyAfter(before, transition),
    anchor: live?.anchor ?? now,
    ...(oldest !== undefined && { oldestRevision: oldest }),
    ...(adopted !== undefined && { adoptedThrough: adopted }),
    ...(runs !== undefined && { remainingRuns: runs }),
    createdAt: live?.createdAt ?? now,
    updatedAt: now,
  };
}

/** Only an edit that keeps what is pending leaves older revisions in force; any other change ends them. */
function oldestRevision(live: ScheduleHead, transition: ScheduleTransition): number | undefined {
  if (!transition.definition || transition.cancel.kinds !== 'none' || transition.state !== 'enabled')
    return undefined;
  return live.oldestRevision ?? live.revision;
}

function adoptedThrough(
  live: ScheduleHead,
  { definition, cancel }: ScheduleTransition,
  now: EpochMs,
): EpochMs | undefined {
  if (!definition || cancel.kinds === 'none') return live.adoptedThrough;
  return cancel.kinds === 'coming' ? now : undefined;
}

/** Counted anew when the times are changed; otherwise what has run counts, also towards another `maxRuns`. */
function runsLeft(current: CurrentSchedule, transition: ScheduleTransition): number | undefined {
  if (current.kind !== 'live' || !countsOn(current, transition)) return transition.definition?.maxRuns;
  const { remainingRuns } = current.head;
  const before = current.revision.definition.maxRuns;
  const after = transition.definition ? transition.definition.maxRuns : before;
  if (after === undefined || before === undefined || remainingRuns === undefined) return after;
  // Negative while more are planned than it now has: what the change cancels is given back (runs-left.ts).
  return after - (before - remainingRuns);
}

/** Whether the count of runs goes on, and what a change cancels is given back to it. */
export function countsOn(current: CurrentSchedule, { definition }: ScheduleTransition): boolean {
  return current.kind === 'live' && (!definition || sameRecurrence(current.revision.definition, definition));
}

function policyAfter(before: ScheduleHead | undefined, transition: ScheduleTransition): PlanningPolicy {
  if (transition.definition) return planningPolicy(transition.definition, transition.calendars);
  if (!before) throw new Error('A schedule that does not exist yet needs a definition.');
  return before.policy;
}
