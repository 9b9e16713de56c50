import type { ScheduleId } from '../../core/ids.ts';
import { momentOf, parseMoment } from '../../core/recurrence/index.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Schedules } from '../deps.ts';
import { scheduleNotFound } from '../schedules/change/current-schedule.ts';
import { invalidRequest } from './field-faults.ts';

/** When a moment is that a request about a schedule names: a local time is one on the clocks of the schedule. */
export async function momentFor(
  { schedules }: { readonly schedules: Pick<Schedules, 'readHead'> },
  id: ScheduleId,
  field: string,
  text: string,
): Promise<EpochMs> {
  if (parseMoment(text)?.kind !== 'local') return momentOf(field, text, 'UTC');
  const head = await schedules.readHead(id);
  if (!head) throw scheduleNotFound(id);
  return momentOf(field, text, head.policy.timezone);
}

/** Scheduled times that a request is about, both inclusive. */
export function rangeOf(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  timezone: string,
): { readonly from?: EpochMs | undefined; readonly to?: EpochMs | undefined } {
  const from = query.from === undefined ? undefined : momentOf('from', query.from, timezone);
  const to = query.to === undefined ? undefined : momentOf('to', query.to, timezone);
  if (from !== undefined && to !== undefined && from > to)
    throw invalidRequest([{ path: ['to'], message: 'The end of the range lies before its start.' }], query);
  return { from, to };
}
