import { type ScheduleId, scheduleId } from '../../../core/ids.ts';
import type { ScheduleRecord } from '../../../core/ports/schedule-store.ts';
import { sideBySide } from '../../../core/side-by-side.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { ApiDeps } from '../../deps.ts';
import { answer } from '../../http/endpoint.ts';
import { etagOf } from '../../http/precondition.ts';
import { outlookOf } from '../definition/outlook.ts';
import { scheduleViewOf } from '../definition/schedule-view.ts';
import type { ScheduleView } from '../schema/schedule-schema.ts';

export function idOf({ group, name }: { readonly group: string; readonly name: string }): ScheduleId {
  return scheduleId(group, name);
}

type Views = Pick<ApiDeps, 'watches' | 'occurrences'>;

/** Schedules of a list whose outlook is read at once. */
const AT_ONCE = 16;

export async function scheduleAnswer(deps: Views, record: ScheduleRecord, now: EpochMs) {
  const [view] = await scheduleViews(deps, [record], now);
  return answer(200, view as ScheduleView, { etag: etagOf(record.head) });
}

/** Group and name need no escaping in the path: their alphabet has nothing that would. */
export async function createdAnswer(deps: Views, record: ScheduleRecord, now: EpochMs) {
  const { body, headers } = await scheduleAnswer(deps, record, now);
  return answer(201, body, { ...headers, location: `/schedules/${record.head.id}` });
}

/** With their last successes, which are read where a schedule asks for that. */
export async function scheduleViews(
  { watches, occurrences }: Views,
  records: readonly ScheduleRecord[],
  now: EpochMs,
): Promise<ScheduleView[]> {
  const watched = records.filter(({ head }) => head.policy.expectSuccessWithin !== undefined);
  const last = await watches.lastSuccesses(watched.map(({ head }) => head.id));
  return sideBySide(records, AT_ONCE, async (record) => {
    const outlook = await outlookOf(occurrences, record.head, now);
    return scheduleViewOf(record, now, outlook, last.get(record.head.id));
  });
}
