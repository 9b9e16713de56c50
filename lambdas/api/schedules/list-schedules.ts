import type * as z from 'zod';
import type { Page } from '../../core/ports/page.ts';
import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import type { Schedules } from '../deps.ts';
import type { listSchedulesQuery } from './schema/schedule-schema.ts';

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
