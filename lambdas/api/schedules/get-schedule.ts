import type { ScheduleId } from '../../core/ids.ts';
import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import type { Schedules } from '../deps.ts';
import { assertPresent } from './change/current-schedule.ts';

export async function getSchedule(
  deps: { readonly schedules: Pick<Schedules, 'readSchedule'> },
  id: ScheduleId,
): Promise<ScheduleRecord> {
  return assertPresent(await deps.schedules.readSchedule(id), id);
}
