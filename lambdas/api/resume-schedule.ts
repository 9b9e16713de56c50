import type { ScheduleRecord } from '../core/ports.ts';
import { commit } from './change/commit.ts';
import { assertIfMatch } from './change/precondition.ts';
import { assertLive, assertPresent } from './change/standing.ts';
import type { ChangeDeps, ScheduleRequest } from './deps.ts';

/** Goes on from now: what would have run while it was paused is not made up for. */
export async function resumeSchedule(
  deps: ChangeDeps,
  { id, caller, ifMatch }: ScheduleRequest & { readonly ifMatch?: string | undefined },
): Promise<ScheduleRecord> {
  const { after } = await commit(deps, id, caller, (standing) => {
    const { head } = assertLive(standing, id);
    assertIfMatch(ifMatch, head);
    if (head.state !== 'paused') return undefined;
    return { state: 'enabled', cancel: { kinds: 'scheduled', reason: 'paused' } };
  });
  return assertPresent(after, id);
}
