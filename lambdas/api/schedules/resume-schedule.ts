import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import type { CatchUpPolicy } from '../../core/schedule/definition.ts';
import type { ChangeDeps, ScheduleRequest } from '../deps.ts';
import { assertIfMatch } from '../http/precondition.ts';
import { commit } from './change/commit.ts';
import { assertLive, assertPresent } from './change/current-schedule.ts';
import type { PlanningStart } from './plan-change/plan-head.ts';
import type { ResumeBody } from './schema/pause-schema.ts';

export interface ResumeRequest extends ScheduleRequest {
  readonly catchUp?: ResumeBody['catchUp'];
  readonly ifMatch?: string | undefined;
}

/**
 * Goes on from now. What would have run while it was paused is not made up for unless that is asked for; what is
 * not run is one record of the ledger.
 */
export async function resumeSchedule(deps: ChangeDeps, request: ResumeRequest): Promise<ScheduleRecord> {
  const { id, caller, ifMatch } = request;
  const { after } = await commit(deps, id, caller, (current) => {
    const { head, revision } = assertLive(current, id);
    assertIfMatch(ifMatch, head);
    if (head.state !== 'paused') return undefined;
    return {
      state: 'enabled',
      cancel: { kinds: 'scheduled', reason: 'paused' },
      planningStart: startWith(request.catchUp, revision.definition.catchUp),
    };
  });
  return assertPresent(after, id);
}

/** What a resume leaves open is as the schedule has it. */
function startWith(chosen: ResumeBody['catchUp'], own: CatchUpPolicy): PlanningStart {
  if (chosen === undefined) return { kind: 'from-now' };
  const { mode, maxAge, maxRuns, spreadOver } = typeof chosen === 'string' ? { mode: chosen } : chosen;
  return {
    kind: 'catch-up',
    catchUp: {
      mode,
      maxAge: maxAge ?? own.maxAge,
      maxRuns: maxRuns ?? own.maxRuns,
      spreadOver: spreadOver ?? own.spreadOver,
    },
  };
}
