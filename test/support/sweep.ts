import { createSchedulerEvents } from '../../lambdas/adapters/scheduler-events.ts';
import { count } from '../../lambdas/adapters/telemetry.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import type { OpenPosition, SweepStore } from '../../lambdas/core/ports/sweep-store.ts';
import { DAY, type EpochMs, MINUTE } from '../../lambdas/core/time.ts';
import type { SweepDeps } from '../../lambdas/sweep/sweep.ts';
import { at } from './fixtures.ts';
import type { Stores } from './stores.ts';

/** A work queue that holds nothing: what is due and was sent is lost. */
export const EMPTY_QUEUE = { counts: async () => ({ visible: 0, inFlight: 0 }) };

/** What `sweep` needs, over real stores. */
export function sweepDeps(stores: Stores, now: () => EpochMs, changes: Partial<SweepDeps> = {}): SweepDeps {
  return {
    schedules: stores.schedules,
    occurrences: stores.occurrences,
    open: stores.open,
    watches: stores.watches,
    messages: EMPTY_QUEUE,
    revisionOf: ({ schedule, revision }) => stores.schedules.readRevision(schedule, revision),
    events: createSchedulerEvents(count, () => {}),
    redispatchMs: 2 * MINUTE,
    stopAt: at(DAY),
    now,
    ...changes,
  };
}

/** Slots that nobody waits for. */
export const NO_SLOTS = { async *waitedFor() {} };

/** All that is open in a shard and due by then, as sweeps see it. */
export async function openIn(
  open: Pick<SweepStore, 'openPage' | 'readOpen'>,
  shard: number,
  until: EpochMs,
): Promise<(PendingOccurrence | RunningOccurrence)[]> {
  const found: (PendingOccurrence | RunningOccurrence)[] = [];
  for (const kind of ['work', 'pull'] as const) {
    let after: OpenPosition | undefined;
    do {
      const page = await open.openPage({ kind, shard }, until, after);
      found.push(...(await open.readOpen(page.keys)));
      after = page.next;
    } while (after);
  }
  return found;
}
