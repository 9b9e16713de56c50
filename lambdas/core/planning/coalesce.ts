import type { CoalesceReason } from '../occurrence/occurrence.ts';
import { measureWork } from '../recurrence/index.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import { headRecurrence } from '../schedule/head-recurrence.ts';
import { type EpochMs, epochMs } from '../time.ts';
import { MAX_MISSED_PER_PLAN, MAX_STEPS_PER_PLAN, type PlannedRecord, rangeRecord } from './planner.ts';

/**
 * The ledger record for nominal times from `from` to `until`, both inclusive, that nothing created and nothing
 * will. They end here or nowhere (docs/guarantees.md, 1). The range is exact; of more than `MAX_MISSED_PER_PLAN`
 * times, or of times that take too long to find, the count says only those that were counted.
 */
export function coalesce(
  head: Pick<ScheduleHead, 'id' | 'revision' | 'policy' | 'anchor'>,
  from: EpochMs | null,
  until: EpochMs,
  reason: CoalesceReason,
): PlannedRecord[] {
  if (from === null || from > until) return [];
  const recurrence = headRecurrence(head);
  const steps = measureWork();
  let count = 1;
  let to = from;
  for (let fire = recurrence.next(to); fire && fire.at <= until; fire = recurrence.next(to)) {
    to = fire.at;
    count += 1;
    if (count < MAX_MISSED_PER_PLAN && steps() <= MAX_STEPS_PER_PLAN) continue;
    to = recurrence.prev(epochMs(until + 1))?.at ?? to;
    break;
  }
  const { id: schedule, revision, policy } = head;
  return [rangeRecord({ schedule, revision, policy }, { count, from, to }, reason)];
}
