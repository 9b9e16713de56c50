import { type ScheduleId, scheduleId } from '../../core/ids.ts';
import type { Page, ScheduleRecord } from '../../core/ports.ts';
import type { EpochMs } from '../../core/time.ts';
import { etagOf } from '../change/precondition.ts';
import { answer } from '../http/endpoint.ts';
import { scheduleViewOf } from '../views/schedule-view.ts';

export function idOf({ group, name }: { readonly group: string; readonly name: string }): ScheduleId {
  return scheduleId(group, name);
}

export function shown(record: ScheduleRecord, now: EpochMs) {
  return answer(200, scheduleViewOf(record, now), { etag: etagOf(record.head) });
}

/** Group and name need no escaping in the path: their alphabet has nothing that would. */
export function made(record: ScheduleRecord, now: EpochMs) {
  const headers = { etag: etagOf(record.head), location: `/schedules/${record.head.id}` };
  return answer(201, scheduleViewOf(record, now), headers);
}

export function pageOf<Item, View>({ items, cursor }: Page<Item>, view: (item: Item) => View) {
  return { items: items.map(view), ...(cursor !== undefined && { cursor }) };
}
