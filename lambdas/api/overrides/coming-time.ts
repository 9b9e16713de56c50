import { PunctualError } from '../../core/errors.ts';
import type { OccurrenceKey, ScheduleId } from '../../core/ids.ts';
import type { Occurrence, PendingOccurrence } from '../../core/occurrence/occurrence.ts';
import { isLeftByPause } from '../../core/planning/decisions.ts';
import { onTime, type PlannedOccurrence } from '../../core/planning/planner.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import { headRecurrence } from '../../core/schedule/head-recurrence.ts';
import { isWithinRuns } from '../../core/schedule/within-runs.ts';
import { DAY, type EpochMs, epochMs, toIso } from '../../core/time.ts';
import type { ApiDeps, Occurrences } from '../deps.ts';
import { invalidRequest } from '../request/field-faults.ts';
import { API_LIMITS } from '../request/limits.ts';
import { assertPresent } from '../schedules/change/current-schedule.ts';

/** A nominal time of a schedule that has not come to its turn yet. */
export interface ComingTime {
  readonly head: ScheduleHead;
  /** Whether it still is a time of the schedule, and not only of what is being worked off. */
  readonly isNominal: boolean;
  /** As the planner creates it. */
  readonly planned: PlannedOccurrence;
  /** What is there already: pending, or a record of what a person decided. */
  readonly found: Occurrence | undefined;
}

/** Refuses what is no time of the schedule, and what has passed. */
export async function readComing(
  deps: Pick<ApiDeps, 'schedules' | 'occurrences'>,
  id: ScheduleId,
  scheduledTime: EpochMs,
  now: EpochMs,
): Promise<ComingTime> {
  const { head } = assertPresent(await deps.schedules.readSchedule(id), id);
  const found = await recordAt(deps.occurrences, head, scheduledTime);
  if (scheduledTime > now + API_LIMITS.aheadDays * DAY) {
    throw fieldFault('scheduledTime', `At most ${API_LIMITS.aheadDays} days ahead.`, scheduledTime);
  }
  const recurrence = headRecurrence(head);
  const fire = recurrence.next(epochMs(scheduledTime - 1));
  const isNominal = fire?.at === scheduledTime;
  // What was created under a definition that is still being worked off is known although it is no time of this one.
  if (!isNominal && !found) throw notNominal(head, scheduledTime, fire?.at);
  if (!found && scheduledTime <= now) throw notComing(scheduledTime, 'It has passed.');
  if (!found && !isWithinRuns(head, recurrence, scheduledTime))
    throw notComing(scheduledTime, 'maxRuns is reached before it.');
  const at = isNominal ? fire : { at: scheduledTime, notes: [] };
  const next = recurrence.next(scheduledTime)?.at ?? null;
  const planned = onTime({ schedule: id, revision: head.revision, policy: head.policy }, at, next);
  return { head, isNominal, planned, found };
}

/** The record of a nominal time: what is pending whatever its revision, or else that of the revision in force. */
async function recordAt(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  { id, revision }: ScheduleHead,
  scheduledTime: EpochMs,
): Promise<Occurrence | undefined> {
  const query = {
    schedule: id,
    from: scheduledTime,
    to: scheduledTime,
    kind: 'scheduled',
    limit: 100,
  } as const;
  const { items } = await occurrences.listOccurrences(query);
  return (
    items.find(({ status }) => status === 'pending') ??
    items.find((record) => record.revision === revision && !isLeftByPause(record))
  );
}

/** Pending, not begun and not due: only then may a person still decide about it. */
export function isStillComing(found: Occurrence, now: EpochMs): found is PendingOccurrence {
  return found.status === 'pending' && found.attempt === 0 && found.dueAt > now;
}

export function keyOf({ schedule, scheduledTime, revision, kind }: OccurrenceKey): OccurrenceKey {
  return { schedule, scheduledTime, revision, kind };
}

export function notComing(scheduledTime: EpochMs, why: string): PunctualError {
  return new PunctualError('occurrence.not-coming', `${toIso(scheduledTime)} cannot be changed: ${why}`, {
    field: 'scheduledTime',
    value: toIso(scheduledTime),
  });
}

export function fieldFault(field: string, message: string, at: EpochMs): PunctualError {
  return invalidRequest([{ path: [field], message }], { [field]: toIso(at) });
}

function notNominal(head: ScheduleHead, scheduledTime: EpochMs, next: EpochMs | undefined): PunctualError {
  const hint = next === undefined ? 'There is none after it.' : `The next one after it is ${toIso(next)}.`;
  return fieldFault(
    'scheduledTime',
    `\`scheduledTime\` is not a scheduled time of ${head.id}. ${hint}`,
    scheduledTime,
  );
}
