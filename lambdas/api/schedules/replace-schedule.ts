import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import type { Definition } from '../../core/schedule/definition.ts';
import type { ChangeDeps } from '../deps.ts';
import { assertIfMatch, assertIfNoneMatch, assertStated } from '../http/precondition.ts';
import { commit, type Decide } from './change/commit.ts';
import { assertPresent } from './change/current-schedule.ts';
import { pinCalendars } from './change/pin-calendars.ts';
import { type Rehearsal, rehearse } from './change/rehearse.ts';
import { assertAllowed, assertFires } from './definition/definition.ts';
import { type EditRequest, editMove } from './edit-schedule.ts';

export interface ReplaceRequest extends EditRequest {
  readonly definition: Definition;
  /** What the body says of its state. */
  readonly stated?: unknown;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: '*' | undefined;
}

/** PUT: the schedule is as the body says afterwards, whether or not it existed. */
export async function replaceSchedule(
  deps: ChangeDeps,
  request: ReplaceRequest,
): Promise<{ readonly record: ScheduleRecord; readonly created: boolean }> {
  const { id, caller } = request;
  const { before, after } = await commit(deps, id, caller, replacement(deps, request));
  return { record: assertPresent(after, id), created: before.kind !== 'live' };
}

export function rehearseReplacement(deps: ChangeDeps, request: ReplaceRequest): Promise<Rehearsal> {
  return rehearse(deps, request.id, request.caller, replacement(deps, request));
}

function replacement({ schedules, allowed }: ChangeDeps, request: ReplaceRequest): Decide {
  const { id, definition, caller } = request;
  return async (current) => {
    const live = current.kind === 'live' ? current : undefined;
    assertIfMatch(request.ifMatch, live?.head);
    assertIfNoneMatch(request.ifNoneMatch, live?.head);
    assertStated(request.stated, live?.head, id);
    if (live) return editMove({ schedules, allowed }, live, definition, request);
    assertAllowed(allowed, definition);
    const calendars = await pinCalendars(schedules, definition);
    assertFires(id, definition, calendars, caller.now, caller.now);
    return { state: 'enabled', definition, calendars, cancel: { kinds: 'every', reason: 'deleted' } };
  };
}
