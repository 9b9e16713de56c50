import type * as z from 'zod';
import type { ScheduleId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { Page } from '../../core/ports/page.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ChangeDeps } from '../deps.ts';
import { rangeOf } from '../request/moment.ts';
import { scheduleNotFound } from '../schedules/change/current-schedule.ts';
import type { listOccurrencesQuery } from './occurrence-schema.ts';

type Query = z.output<typeof listOccurrencesQuery>;

/**
 * The ledger, newest first. What is planned ahead is not what somebody asks for who asks for the latest: without a
 * range or a filter it ends with now, and the times to come are there by name (`upcoming`). It can be read after the schedule is deleted, as long as its
 * records are kept.
 */
export async function listOccurrences(
  deps: Pick<ChangeDeps, 'schedules' | 'occurrences'>,
  id: ScheduleId,
  query: Query,
  now: EpochMs,
): Promise<Page<Occurrence>> {
  const { status, kind, reason, limit, cursor } = query;
  const head = await deps.schedules.readHead(id);
  if (!head) throw scheduleNotFound(id);
  const range = rangeOf(query, head.policy.timezone);
  const { from, to = from === undefined && isUnfiltered(query) ? now : undefined } = range;
  return deps.occurrences.listOccurrences({
    schedule: id,
    limit,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(status !== undefined && { status }),
    ...(kind !== undefined && { kind }),
    ...(reason !== undefined && { reason }),
    ...(cursor !== undefined && { cursor }),
  });
}

const isUnfiltered = ({ status, kind, reason }: Query): boolean =>
  status === undefined && kind === undefined && reason === undefined;
