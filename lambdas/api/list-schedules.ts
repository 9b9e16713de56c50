import type * as z from 'zod';
import type { listSchedulesQuery } from '../contract/api/schedule.ts';
import type { Page, ScheduleRecord } from '../core/ports.ts';
import type { Schedules } from './deps.ts';

export function listSchedules(
  deps: { readonly schedules: Pick<Schedules, 'listSchedules'> },
  { limit, group, state, cursor }: z.output<typeof listSchedulesQuery>,
): Promise<Page<ScheduleRecord>> {
  return deps.schedules.listSchedules({
    limit,
    ...(group !== undefined && { group }),
    ...(state !== undefined && { state }),
    ...(cursor !== undefined && { cursor }),
  });
}
