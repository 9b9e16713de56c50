import type * as z from 'zod';
import type { upcomingView } from '../contract/api/plan.ts';
import { headRecurrence } from '../core/head-recurrence.ts';
import type { ScheduleId } from '../core/ids.ts';
import { preview } from '../core/recurrence/index.ts';
import type { EpochMs } from '../core/time.ts';
import type { Schedules } from './deps.ts';
import { getSchedule } from './get-schedule.ts';
import { fireViewOf } from './views/fire-view.ts';
import { shownState } from './views/schedule-view.ts';

/** The times that are coming; none while the schedule is paused. */
export async function upcoming(
  deps: { readonly schedules: Pick<Schedules, 'readSchedule'> },
  id: ScheduleId,
  count: number,
  now: EpochMs,
): Promise<z.output<typeof upcomingView>> {
  const { head } = await getSchedule(deps, id);
  const state = shownState(head.state);
  if (state === 'paused') return { state, items: [] };
  const { fires } = preview(headRecurrence(head), { from: now, count, now, seed: id });
  return { state, items: fires.map(fireViewOf) };
}
