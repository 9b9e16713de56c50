import type { ScheduleId } from '../ids.ts';
import { type GroupLimit, type SlotNeed, type SlotTerms, slotNeeds } from '../slots/needs.ts';
import { type Backfill, backfillSlot } from './backfill.ts';

/**
 * The slots of a backfill's occurrence. Not its schedule's own: a run that is on time would be skipped, or wait, for
 * one that makes up for the past. What it shares with others, a key or its group, it does not exceed. One at a time
 * means that the next begins when the one before has ended, whatever retries that takes.
 */
export function backfillNeeds(
  schedule: ScheduleId,
  terms: SlotTerms,
  groupLimit: GroupLimit | undefined,
  backfill: Pick<Backfill, 'id' | 'maxConcurrent' | 'createdAt'> | undefined,
): SlotNeed[] {
  const shared = { ...terms, definition: { ...terms.definition, overlap: 'allow' as const } };
  return [
    ...slotNeeds(schedule, shared, groupLimit),
    ...(backfill
      ? [
          {
            slot: backfillSlot(backfill),
            limit: backfill.maxConcurrent,
            since: backfill.createdAt,
            kept: backfill.maxConcurrent === 1,
          },
        ]
      : []),
  ];
}
