import { PunctualError } from '../../../core/errors.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { ScheduleRecord } from '../../../core/ports/schedule-store.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import type { Schedules } from '../../deps.ts';

/** How a schedule stands before a change. A tombstone keeps the numbers that its successor goes on from. */
export type CurrentSchedule =
  /** Never made, or so long ago that its tombstone is gone: its revisions are kept and say where numbers go on. */
  | { readonly kind: 'absent'; readonly lastRevision: number }
  | { readonly kind: 'deleted'; readonly head: ScheduleHead }
  | ({ readonly kind: 'live' } & ScheduleRecord);

export async function readCurrentSchedule(
  schedules: Pick<Schedules, 'readHead' | 'readRevision' | 'lastRevision'>,
  id: ScheduleId,
): Promise<CurrentSchedule> {
  const head = await schedules.readHead(id);
  if (!head) return { kind: 'absent', lastRevision: await schedules.lastRevision(id) };
  if (head.state === 'deleted') return { kind: 'deleted', head };
  // Revisions never change, so that reading it after the head is as good as reading both at once.
  const revision = await schedules.readRevision(id, head.revision);
  if (!revision) throw new Error(`${id} has no revision ${head.revision}.`);
  return { kind: 'live', head, revision };
}

export function scheduleNotFound(id: ScheduleId): PunctualError {
  return new PunctualError('schedule.not-found', `There is no schedule ${id}.`, { value: id });
}

export function assertLive(
  current: CurrentSchedule,
  id: ScheduleId,
): CurrentSchedule & { readonly kind: 'live' } {
  if (current.kind !== 'live') throw scheduleNotFound(id);
  return current;
}

export function assertPresent(record: ScheduleRecord | undefined, id: ScheduleId): ScheduleRecord {
  if (!record) throw scheduleNotFound(id);
  return record;
}
