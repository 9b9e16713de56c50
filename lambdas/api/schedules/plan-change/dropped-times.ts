import type { ChangeReason } from '../../../core/occurrence/occurrence.ts';
import { coalesce } from '../../../core/planning/coalesce.ts';
import type { PlannedRecord } from '../../../core/planning/planner.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import type { EpochMs } from '../../../core/time.ts';

/**
 * The ledger record for nominal times of the old definition that passed before anything created them (the tick
 * is behind) and that the change now rules out.
 */
export function droppedTimes(head: ScheduleHead, now: EpochMs, reason: ChangeReason): PlannedRecord[] {
  return head.state === 'enabled' ? coalesce(head, head.nextDueAt, now, reason) : [];
}
