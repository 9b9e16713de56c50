import { MAX_BACKFILL_TIMES, type Reprocess } from '../../core/backfill/backfill.ts';
import { withRecords } from '../../core/backfill/fill.ts';
import type { BackfillStore } from '../../core/backfill/store.ts';
import { isWanted, standingOf, startOf, timesFrom } from '../../core/backfill/times.ts';
import type { OccurrenceStatus } from '../../core/occurrence/occurrence.ts';
import type { Recurrence } from '../../core/recurrence/types.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import type { BackfillPlanView } from './backfill-schema.ts';
import type { BackfillRange } from './range.ts';

/** Nominal times whose records are held at once. */
const WINDOW = 5_000;

/** What a backfill would do, by the ledger as it is now. */
export async function planBackfill(
  backfills: Pick<BackfillStore, 'recordsBetween'>,
  head: ScheduleHead,
  recurrence: Recurrence,
  range: BackfillRange,
  reprocess: Reprocess,
): Promise<BackfillPlanView> {
  const times = [...timesFrom(recurrence, range, startOf(range)).take(MAX_BACKFILL_TIMES)];
  const plannedFrom = head.state === 'enabled' ? head.nextDueAt : null;
  const existing: Partial<Record<OccurrenceStatus, number>> = {};
  let toCreate = 0;
  for (let at = 0; at < times.length; ) {
    const window = times.slice(at, at + WINDOW);
    const { fires, records } = await withRecords(backfills, { schedule: head.id, ...range }, window);
    for (const fire of fires) {
      const there = records.statuses.get(fire.at) ?? [];
      const planned = plannedFrom !== null && fire.at >= plannedFrom;
      const current = standingOf(planned ? [...there, 'pending'] : there);
      if (current) existing[current] = (existing[current] ?? 0) + 1;
      if (isWanted(current, reprocess)) toCreate += 1;
    }
    at += fires.length;
  }
  const total = times.length;
  return { dryRun: true, revision: head.revision, total, existing, toCreate, toSkip: total - toCreate };
}
