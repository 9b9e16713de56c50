import type { ChangeDeps, ScheduleRequest } from '../deps.ts';
import { assertIfMatch } from '../http/precondition.ts';
import { commit } from './change/commit.ts';
import { assertLive } from './change/current-schedule.ts';

/** Leaves a tombstone, so that one made again under the same name goes on counting revisions. */
export async function deleteSchedule(
  deps: ChangeDeps,
  { id, caller, ifMatch }: ScheduleRequest & { readonly ifMatch?: string | undefined },
): Promise<void> {
  await commit(deps, id, caller, (current) => {
    assertIfMatch(ifMatch, assertLive(current, id).head);
    return { state: 'deleted', cancel: { kinds: 'every', reason: 'deleted' } };
  });
}
