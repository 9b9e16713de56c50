import { PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import type { IdempotencyRecord } from '../../core/ports/idempotency-record.ts';
import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import type { Definition } from '../../core/schedule/definition.ts';
import type { ChangeDeps, ScheduleRequest } from '../deps.ts';
import { recallAnswer } from '../http/idempotency.ts';
import { assertStated } from '../http/precondition.ts';
import { hashOf } from '../request/canonical-json.ts';
import { commit, type Decide } from './change/commit.ts';
import { pinCalendars } from './change/pin-calendars.ts';
import { type Rehearsal, rehearse } from './change/rehearse.ts';
import { assertAllowed, assertFires } from './definition/definition.ts';
import { getSchedule } from './get-schedule.ts';

export interface CreateRequest extends ScheduleRequest {
  readonly definition: Definition;
  /** What the body says of its state. */
  readonly stated?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Makes a schedule that does not exist. A repeated Idempotency-Key is answered with what the first request
 * made, as it is now; the record of it is in the transaction that makes the schedule, so that there is never
 * one without the other.
 */
export async function createSchedule(deps: ChangeDeps, request: CreateRequest): Promise<ScheduleRecord> {
  const { id, caller } = request;
  const { after } = await commit(deps, id, caller, creation(deps, request));
  // Absent as read just before the other request made it, or made and deleted since: read once more.
  return after ?? getSchedule(deps, id);
}

export function rehearseCreation(deps: ChangeDeps, request: CreateRequest): Promise<Rehearsal> {
  return rehearse(deps, request.id, request.caller, creation(deps, request));
}

function creation(deps: ChangeDeps, request: CreateRequest): Decide {
  const { id, definition, caller } = request;
  const idempotency = idempotencyOf(request);
  return async (current) => {
    if (idempotency && (await recallAnswer(deps.schedules, idempotency, caller.now))) return undefined;
    if (current.kind === 'live') throw scheduleExists(id);
    assertStated(request.stated, undefined, id);
    assertAllowed(deps.allowed, definition);
    // Not before: a one-shot whose time is over may be asked about again.
    const calendars = await pinCalendars(deps.schedules, definition);
    assertFires(id, definition, calendars, caller.now, caller.now);
    return {
      state: 'enabled',
      definition,
      calendars,
      // For what may be left of a schedule of this name that was deleted while the process died.
      cancel: { kinds: 'every', reason: 'deleted' },
      ...(idempotency && { idempotency }),
    };
  };
}

function idempotencyOf({ id, definition, idempotencyKey }: CreateRequest): IdempotencyRecord | undefined {
  if (idempotencyKey === undefined) return undefined;
  return { key: `create#${idempotencyKey}`, requestHash: hashOf([id, definition]), result: id };
}

function scheduleExists(id: ScheduleId): PunctualError {
  return new PunctualError('schedule.exists', `${id} exists already. Change it with PUT or PATCH.`, {
    field: 'name',
    value: id,
  });
}
