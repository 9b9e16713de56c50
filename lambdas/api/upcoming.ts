import { headRecurrence } from '../core/head-recurrence.ts';
import type { ScheduleId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Schedules } from './deps.ts';
import { getSchedule } from './get-schedule.ts';
import { firesAfter } from './plan-fires.ts';
import { shownState } from './views/schedule-view.ts';

/** The times that are coming; none while the schedule is paused. */
export async function upcoming(
  deps: { readonly schedules: Pick<Schedules, 'readSchedule'> },
  id: ScheduleId,
  count: number,
  now: EpochMs,
) {
  const { head } = await getSchedule(deps, id);
  const { timezone } = head.policy;
  const items = head.state === 'paused' ? [] : firesAfter(headRecurrence(head), timezone, now, count);
  return { state: shownState(head.state), items };
}
