import pMap from 'p-map';
import type { ScheduleId } from '../core/ids.ts';
import { retireAfter } from '../core/planning/retirement.ts';
import type { OccurrenceStore } from '../core/ports/occurrence-store.ts';
import type { PlanningStore } from '../core/ports/planning-store.ts';
import type { ScheduleHead } from '../core/schedule/head.ts';
import type { EpochMs } from '../core/time.ts';

const CONCURRENCY = 8;

export interface RetireDeps {
  readonly store: Pick<PlanningStore, 'retire' | 'retireLater'>;
  readonly occurrences: Pick<OccurrenceStore, 'openOf'>;
}

export interface Retired {
  readonly retired: number;
  readonly failures: readonly { readonly schedule: ScheduleId; readonly error: unknown }[];
}

/**
 * Deletes the completed schedules among `heads` that are to be deleted then, once their last occurrence is
 * finished. The index brings them back until that is done, so that nothing hangs on the process in which the
 * last one finished.
 */
export async function retireHeads(
  deps: RetireDeps,
  heads: readonly ScheduleHead[],
  now: EpochMs,
): Promise<Retired> {
  const due = heads.filter((head) => head.state === 'completed' && (head.nextDueAt ?? Infinity) <= now);
  const results = await pMap(due, (head) => retireSafely(deps, head, now), { concurrency: CONCURRENCY });
  return {
    retired: results.filter((result) => result === true).length,
    failures: results.filter((result) => typeof result === 'object'),
  };
}

async function retireSafely({ store, occurrences }: RetireDeps, head: ScheduleHead, now: EpochMs) {
  try {
    const open = await occurrences.openOf(head.id);
    const moved =
      open.length === 0 ? store.retire(head, now) : store.retireLater(head, retireAfter(open, now));
    return (await moved).kind === 'done' && open.length === 0;
  } catch (error) {
    return { schedule: head.id, error };
  }
}
