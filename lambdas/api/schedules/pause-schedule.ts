import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ChangeDeps, ScheduleRequest } from '../deps.ts';
import { assertIfMatch } from '../http/precondition.ts';
import { invalidRequest } from '../request/field-faults.ts';
import { momentFor } from '../request/moment.ts';
import { commit } from './change/commit.ts';
import { assertLive, assertPresent } from './change/current-schedule.ts';

export interface PauseRequest extends ScheduleRequest {
  readonly note?: string | undefined;
  /** A moment; null takes back one that was given before. */
  readonly until?: string | null | undefined;
  readonly ifMatch?: string | undefined;
}

/**
 * Nothing that has not started starts any more, until it is resumed or resumes by itself. Pausing twice changes
 * at most the note and the end.
 */
export async function pauseSchedule(deps: ChangeDeps, request: PauseRequest): Promise<ScheduleRecord> {
  const { id, caller, ifMatch } = request;
  const until = await untilOf(deps, request);
  const { after } = await commit(deps, id, caller, (current) => {
    const { head } = assertLive(current, id);
    assertIfMatch(ifMatch, head);
    const terms = {
      by: caller.principal,
      note: request.note ?? head.pause?.note,
      until: until === undefined ? head.pause?.until : (until ?? undefined),
    };
    const { pause } = head;
    if (pause && terms.note === pause.note && terms.until === pause.until) return undefined;
    return { state: 'paused', cancel: { kinds: 'scheduled', reason: 'paused' }, pause: terms };
  });
  return assertPresent(after, id);
}

async function untilOf(
  deps: ChangeDeps,
  { id, until, caller }: PauseRequest,
): Promise<EpochMs | null | undefined> {
  if (until === undefined || until === null) return until;
  const at = await momentFor(deps, id, 'until', until);
  if (at > caller.now) return at;
  const message = '`until` is in the past; give a future time or omit it.';
  throw invalidRequest([{ path: ['until'], message }], { until });
}
