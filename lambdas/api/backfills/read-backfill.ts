import type { Backfill } from '../../core/backfill/backfill.ts';
import { PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { Page } from '../../core/ports/page.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ApiDeps } from '../deps.ts';
import { scheduleNotFound } from '../schedules/change/current-schedule.ts';

/** It can be read after its schedule is deleted, as long as it is kept. */
export async function assertBackfill(
  { backfills }: Pick<ApiDeps, 'backfills'>,
  schedule: ScheduleId,
  id: string,
): Promise<Backfill> {
  // Other text than a token's could reach the key of another item.
  const backfill = /^[a-z0-9]{1,64}$/.test(id) ? await backfills.readBackfill(schedule, id) : undefined;
  if (backfill) return backfill;
  throw new PunctualError('backfill.not-found', 'There is no such backfill, or it is kept no longer.', {
    field: 'backfill',
    value: id,
  });
}

export interface Watched {
  readonly backfill: Backfill;
  /** Its occurrences that it has not seen to end, as they are now. */
  readonly occurrences: ReadonlyMap<EpochMs, Occurrence>;
}

export async function watched(
  { backfills }: Pick<ApiDeps, 'backfills'>,
  backfill: Backfill,
): Promise<Watched> {
  return { backfill, occurrences: await backfills.openOccurrences(backfill) };
}

export async function listBackfills(
  { backfills, schedules }: Pick<ApiDeps, 'backfills' | 'schedules'>,
  schedule: ScheduleId,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Backfill>> {
  const [head, page] = await Promise.all([
    schedules.readHead(schedule),
    backfills.listBackfills({ schedule, limit, ...(cursor !== undefined && { cursor }) }),
  ]);
  if (!head) throw scheduleNotFound(schedule);
  return page;
}
