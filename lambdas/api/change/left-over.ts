import { headRecurrence } from '../../core/head-recurrence.ts';
import type { ChangeReason } from '../../core/occurrence.ts';
import { MAX_MISSED_PER_PLAN, type PlannedRecord } from '../../core/planner.ts';
import type { ScheduleHead } from '../../core/schedule.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';

/**
 * The ledger record for nominal times of the old definition that passed before anything created them (the tick
 * is behind) and that the change now rules out. They end here or nowhere (design, invariant 1). The range is
 * exact; of more than `MAX_MISSED_PER_PLAN` times the count says only that many.
 */
export function leftOver(head: ScheduleHead, now: EpochMs, reason: ChangeReason): PlannedRecord[] {
  const from = head.nextDueAt;
  if (head.state !== 'enabled' || from === null || from > now) return [];
  const recurrence = headRecurrence(head);
  let count = 1;
  let to = from;
  for (let fire = recurrence.next(to); fire && fire.at <= now; fire = recurrence.next(to)) {
    to = fire.at;
    count += 1;
    if (count < MAX_MISSED_PER_PLAN) continue;
    to = recurrence.prev(epochMs(now + 1))?.at ?? to;
    break;
  }
  const { id: schedule, revision } = head;
  return [
    { schedule, scheduledTime: to, revision, kind: 'scheduled', reason, coalesced: { count, from, to } },
  ];
}
