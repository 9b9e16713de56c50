import type * as z from 'zod';
import type { listOccurrencesQuery } from '../contract/api/occurrence.ts';
import type { ScheduleId } from '../core/ids.ts';
import type { Occurrence } from '../core/occurrence.ts';
import type { Page } from '../core/ports.ts';
import { type EpochMs, parseInstant } from '../core/time.ts';
import { scheduleNotFound } from './change/standing.ts';
import type { ChangeDeps } from './deps.ts';
import { invalidRequest } from './http/faults.ts';

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
  const { from, to = from === undefined && isUnfiltered(query) ? now : undefined } = rangeOf(query);
  const [head, page] = await Promise.all([
    deps.schedules.readHead(id),
    deps.occurrences.listOccurrences({
      schedule: id,
      limit,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(status !== undefined && { status }),
      ...(kind !== undefined && { kind }),
      ...(reason !== undefined && { reason }),
      ...(cursor !== undefined && { cursor }),
    }),
  ]);
  if (!head) throw scheduleNotFound(id);
  return page;
}

const isUnfiltered = ({ status, kind, reason }: Query): boolean =>
  status === undefined && kind === undefined && reason === undefined;

/** Scheduled times that a request is about. */
export function rangeOf(query: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly from?: EpochMs | undefined;
  readonly to?: EpochMs | undefined;
} {
  const from = query.from === undefined ? undefined : parseInstant(query.from);
  const to = query.to === undefined ? undefined : parseInstant(query.to);
  if (from !== undefined && to !== undefined && from > to)
    throw invalidRequest([{ path: ['to'], message: 'The end of the range lies before its start.' }], query);
  return { from, to };
}
