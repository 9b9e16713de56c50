import type { ScheduleRecord } from '../core/ports.ts';
import type { Definition } from '../core/schedule.ts';
import { commit } from './change/commit.ts';
import { assertIfMatch } from './change/precondition.ts';
import { assertLive, assertPresent } from './change/standing.ts';
import type { ChangeDeps, ScheduleRequest } from './deps.ts';
import { editMove } from './edit-schedule.ts';
import { mergePatch } from './merge-patch.ts';

export interface PatchRequest extends ScheduleRequest {
  /** A JSON merge patch (RFC 7396). */
  readonly patch: Readonly<Record<string, unknown>>;
  readonly ifMatch?: string | undefined;
}

/**
 * Merges a patch into the definition in force. `read` turns the merged body into a definition, or refuses it:
 * a removed field gets its default, or is missing if it has none.
 */
export async function patchSchedule(
  deps: ChangeDeps,
  request: PatchRequest,
  read: (body: unknown) => Definition,
): Promise<ScheduleRecord> {
  const { id, caller } = request;
  const { after } = await commit(deps, id, caller, (standing) => {
    const live = assertLive(standing, id);
    assertIfMatch(request.ifMatch, live.head);
    // Merged anew at each try: somebody else's edit in between is kept.
    return editMove(live, read(mergePatch(live.revision.definition, request.patch)), request);
  });
  return assertPresent(after, id);
}
