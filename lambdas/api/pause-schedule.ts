import type { ScheduleRecord } from '../core/ports.ts';
import { commit } from './change/commit.ts';
import { assertIfMatch } from './change/precondition.ts';
import { assertLive, assertPresent } from './change/standing.ts';
import type { ChangeDeps, ScheduleRequest } from './deps.ts';

export interface PauseRequest extends ScheduleRequest {
  readonly note?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/** Nothing that has not started starts any more, until it is resumed. Pausing twice changes at most the note. */
export async function pauseSchedule(deps: ChangeDeps, request: PauseRequest): Promise<ScheduleRecord> {
  const { id, caller, note, ifMatch } = request;
  const { after } = await commit(deps, id, caller, (standing) => {
    const { head } = assertLive(standing, id);
    assertIfMatch(ifMatch, head);
    const pauseNote = note ?? head.pauseNote;
    if (head.state === 'paused' && pauseNote === head.pauseNote) return undefined;
    return {
      state: 'paused',
      cancel: { kinds: 'scheduled', reason: 'paused' },
      ...(pauseNote !== undefined && { pauseNote }),
    };
  });
  return assertPresent(after, id);
}
