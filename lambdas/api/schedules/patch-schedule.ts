import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import { defaultOverlap } from '../../core/schedule/defaults.ts';
import type { Definition } from '../../core/schedule/definition.ts';
import type { ChangeDeps } from '../deps.ts';
import { assertIfMatch, assertStated } from '../http/precondition.ts';
import { commit, type Decide } from './change/commit.ts';
import { assertLive, assertPresent } from './change/current-schedule.ts';
import { type Rehearsal, rehearse } from './change/rehearse.ts';
import { mergePatch } from './definition/merge-patch.ts';
import { type EditRequest, editMove } from './edit-schedule.ts';

export interface PatchRequest extends EditRequest {
  /** A JSON merge patch (RFC 7396). */
  readonly patch: Readonly<Record<string, unknown>>;
  readonly ifMatch?: string | undefined;
}

/** Turns a merged body into a definition, or refuses it: a removed field gets its default, or is missing. */
type Read = (body: unknown) => Definition;

/** Merges a patch into the definition in force. */
export async function patchSchedule(
  deps: ChangeDeps,
  request: PatchRequest,
  read: Read,
): Promise<ScheduleRecord> {
  const { id, caller } = request;
  const { after } = await commit(deps, id, caller, patching(deps, request, read));
  return assertPresent(after, id);
}

export function rehearsePatch(deps: ChangeDeps, request: PatchRequest, read: Read): Promise<Rehearsal> {
  return rehearse(deps, request.id, request.caller, patching(deps, request, read));
}

function patching(deps: ChangeDeps, request: PatchRequest, read: Read): Decide {
  return (current) => {
    const live = assertLive(current, request.id);
    assertIfMatch(request.ifMatch, live.head);
    assertStated(request.patch.state, live.head, request.id);
    // Merged anew at each try: somebody else's edit in between is kept.
    return editMove(deps, live, read(mergePatch(chosenIn(live.revision.definition), request.patch)), request);
  };
}

/** Without the overlap policy that only follows from the expression, so that it follows a new expression too. */
function chosenIn(definition: Definition): Omit<Definition, 'overlap'> & Partial<Definition> {
  const { overlap, ...chosen } = definition;
  return overlap === defaultOverlap(definition) ? chosen : definition;
}
