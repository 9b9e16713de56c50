import { type ScheduleId, splitScheduleId } from '../../../core/ids.ts';
import type { ChangeCharge } from '../../../core/ports/schedule-store.ts';
import { assertRoom, type Counted, chargeOf } from '../../../core/schedule/group.ts';
import type { Caller, Schedules } from '../../deps.ts';
import { shareOf } from '../../groups/quota-usage.ts';
import type { ScheduleTransition } from '../plan-change/build-change.ts';
import type { CurrentSchedule } from './current-schedule.ts';

export interface QuotaChange {
  /** What the change does to the count of the group; absent where that is not counted, or not concerned. */
  readonly group?: ChangeCharge;
  /** What the head then says of it. */
  readonly counted?: Counted | undefined;
}

/**
 * What a change costs its group, refused where there is no room. The check is made again by the conditions of the
 * write, so that of two creates at once for the last place one is decided anew, here, and refused.
 */
export async function applyQuota(
  schedules: Pick<Schedules, 'readGroup'>,
  id: ScheduleId,
  current: CurrentSchedule,
  transition: ScheduleTransition,
  { now }: Pick<Caller, 'now'>,
): Promise<QuotaChange> {
  const live = current.kind === 'live' ? current : undefined;
  // Pauses and the like leave what is counted as it is.
  if (!transition.definition && transition.state !== 'deleted') return { counted: live?.head.counted };
  const { group } = splitScheduleId(id);
  const state = await schedules.readGroup(group);
  if (!state?.count) return {};
  const { count, settings } = state;
  const anchor = live?.head.anchor ?? now;
  const before = live && shareBefore(id, live, count.epoch, now);
  const after =
    transition.definition && shareOf(id, transition.definition, transition.calendars, anchor, now);
  const charge = chargeOf(before, after);
  assertRoom(group, settings, count, charge, now);
  return {
    ...((after || before?.isCounted) && { group: { charge, quotas: settings, count } }),
    ...(after && { counted: { ...after, epoch: count.epoch } }),
  };
}

function shareBefore(
  id: ScheduleId,
  { head, revision }: CurrentSchedule & { readonly kind: 'live' },
  epoch: Counted['epoch'],
  now: Caller['now'],
) {
  const { counted } = head;
  if (counted?.epoch === epoch) return { ...counted, isCounted: true };
  return {
    ...shareOf(id, revision.definition, revision.calendars, head.anchor, now),
    isCounted: false,
  };
}
