import { manualToken, type OccurrenceKey, occurrenceId, parseOccurrenceId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import { retentionOf } from '../../core/planning/planner.ts';
import type { OverlapPolicy } from '../../core/schedule/definition.ts';
import type { ChangeDeps, ScheduleRequest } from '../deps.ts';
import { startInGroup } from '../groups/start-limit.ts';
import { recallAnswer } from '../http/idempotency.ts';
import { untilSettled } from '../occurrences/repeat.ts';
import { hashOf } from '../request/canonical-json.ts';
import { assertLive, readCurrentSchedule, scheduleNotFound } from './change/current-schedule.ts';

export interface TriggerRequest extends ScheduleRequest {
  readonly idempotencyKey?: string | undefined;
  /** For this occurrence, instead of the schedule's. */
  readonly overlap?: OverlapPolicy | undefined;
  readonly input?: unknown;
}

/** Runs a schedule once, now, whatever its state; the same Idempotency-Key gives the same occurrence. */
export async function triggerSchedule(deps: TriggerDeps, request: TriggerRequest): Promise<Occurrence> {
  let starts = true;
  // An edit that came between is followed: what is made is of the definition that is in force then.
  return untilSettled(request.id, async () => {
    const made = await tryTrigger(deps, request, starts);
    starts = false;
    return made;
  });
}

type TriggerDeps = Pick<ChangeDeps, 'schedules' | 'occurrences'>;

/** Undefined when the schedule was edited between its read and the write. `starts`: its place in the group is not taken yet. */
async function tryTrigger(
  deps: TriggerDeps,
  { id, caller, idempotencyKey, overlap, input }: TriggerRequest,
  starts: boolean,
): Promise<Occurrence | undefined> {
  const { now, requestId } = caller;
  const { head } = assertLive(await readCurrentSchedule(deps.schedules, id), id);
  const key = {
    schedule: id,
    scheduledTime: now,
    revision: head.revision,
    kind: 'manual',
    token: manualToken(idempotencyKey ?? requestId),
  } as const;
  const idempotency =
    idempotencyKey === undefined
      ? undefined
      : {
          key: `trigger#${id}#${idempotencyKey}`,
          requestHash: hashOf(overlap === undefined && input === undefined ? null : [overlap, input]),
          result: occurrenceId(key),
        };
  const again = idempotency && (await recallAnswer(deps.schedules, idempotency, now));
  if (again === undefined && starts) await startInGroup(deps.schedules, id, 1, now);
  const made = await deps.occurrences.createManual({
    occurrence: {
      ...key,
      dueAt: now,
      notes: [],
      ...retentionOf(head.policy),
      ...(head.policy.pullQueue !== undefined && { pullQueue: head.policy.pullQueue }),
      ...(overlap !== undefined && { overlap }),
      ...(input !== undefined && { inputOverride: JSON.stringify(input) }),
    },
    ...(idempotency && { idempotency }),
    now,
  });
  if (made.kind === 'no-schedule') throw scheduleNotFound(id);
  if (made.kind === 'other-revision') return undefined;
  // A conflict: this request came before, under its key, or (the same id, the same instant) as it is.
  const before =
    made.kind === 'conflict' && idempotency
      ? await recallAnswer(deps.schedules, idempotency, now)
      : undefined;
  return readMade(deps, (before === undefined ? undefined : parseOccurrenceId(before)) ?? key);
}

async function readMade(deps: Pick<ChangeDeps, 'occurrences'>, key: OccurrenceKey): Promise<Occurrence> {
  const occurrence = await deps.occurrences.readOccurrence(key);
  if (!occurrence) throw new Error(`${occurrenceId(key)} is gone right after it was made.`);
  return occurrence;
}
