import type { ScheduleId } from '../../../core/ids.ts';
import { type PlanningPolicy, planningPolicy, type ScheduleHead } from '../../../core/schedule/head.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Standing } from '../change/current-schedule.ts';
import { sameRecurrence } from '../definition/definition.ts';
import type { Move } from './build-change.ts';

/** A head before it is known what is planned for it. */
export type HeadBase = Omit<
  ScheduleHead,
  'counted' | 'state' | 'nextDueAt' | 'pause' | 'lastRunAt' | 'zoneData' | 'makingUp'
>;

export function nextHead(id: ScheduleId, standing: Standing, move: Move, now: EpochMs): HeadBase {
  const before = standing.kind === 'absent' ? undefined : standing.head;
  const live = standing.kind === 'live' ? standing.head : undefined;
  const oldest = live && oldestRevision(live, move);
  const adopted = live && adoptedThrough(live, move, now);
  const runs = runsLeft(standing, move);
  const last = standing.kind === 'absent' ? standing.lastRevision : standing.head.revision;
  const revision = last + (move.definition ? 1 : 0);
  const first =
    before && move.state === 'deleted' ? before.firstRevision : live ? live.firstRevision : revision;
  return {
    id,
    // Numbers go on from a tombstone's, so that no occurrence key of the schedule that was deleted comes again.
    revision,
    ...(first !== undefined && first > 1 && { firstRevision: first }),
    version: (before?.version ?? last) + 1,
    policy: policyAfter(before, move),
    anchor: live?.anchor ?? now,
    ...(oldest !== undefined && { oldestRevision: oldest }),
    ...(adopted !== undefined && { adoptedThrough: adopted }),
    ...(runs !== undefined && { remainingRuns: runs }),
    createdAt: live?.createdAt ?? now,
    updatedAt: now,
  };
}

/** Only an edit that keeps what is pending leaves older revisions in force; any other change ends them. */
function oldestRevision(live: ScheduleHead, move: Move): number | undefined {
  if (!move.definition || move.cancel.kinds !== 'none' || move.state !== 'enabled') return undefined;
  return live.oldestRevision ?? live.revision;
}

function adoptedThrough(live: ScheduleHead, { definition, cancel }: Move, now: EpochMs): EpochMs | undefined {
  if (!definition || cancel.kinds === 'none') return live.adoptedThrough;
  return cancel.kinds === 'coming' ? now : undefined;
}

/** Counted anew when the times are changed; otherwise what has run counts, also towards another `maxRuns`. */
function runsLeft(standing: Standing, move: Move): number | undefined {
  if (standing.kind !== 'live' || !countsOn(standing, move)) return move.definition?.maxRuns;
  const { remainingRuns } = standing.head;
  const before = standing.revision.definition.maxRuns;
  const after = move.definition ? move.definition.maxRuns : before;
  if (after === undefined || before === undefined || remainingRuns === undefined) return after;
  // Negative while more are planned than it now has: what the change cancels is given back (runs-left.ts).
  return after - (before - remainingRuns);
}

/** Whether the count of runs goes on, and what a change cancels is given back to it. */
export function countsOn(standing: Standing, { definition }: Move): boolean {
  return (
    standing.kind === 'live' && (!definition || sameRecurrence(standing.revision.definition, definition))
  );
}

function policyAfter(before: ScheduleHead | undefined, move: Move): PlanningPolicy {
  if (move.definition) return planningPolicy(move.definition, move.calendars);
  if (!before) throw new Error('A schedule that does not exist yet needs a definition.');
  return before.policy;
}
