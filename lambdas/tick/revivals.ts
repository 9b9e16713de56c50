import pMap from 'p-map';
import type { ScheduleId } from '../core/ids.ts';
import { moveOnRevival, type RevivalTickDeps } from '../core/pause/revival.ts';
import type { EpochMs } from '../core/time.ts';

/** Shards side by side. */
const CONCURRENCY = 4;

export interface TickRevivalsDeps extends RevivalTickDeps {
  /** None is begun after this; the next tick goes on. */
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export type RevivalFailure = { readonly schedule: ScheduleId; readonly error: unknown };

/** Brings back what pauses held that are over, where the end of the pause has left some. */
export async function tickRevivals(
  deps: TickRevivalsDeps,
  shards: readonly number[],
): Promise<readonly RevivalFailure[]> {
  const failures = await pMap(shards, (shard) => tickShard(deps, shard), { concurrency: CONCURRENCY });
  return failures.flat();
}

async function tickShard(deps: TickRevivalsDeps, shard: number): Promise<RevivalFailure[]> {
  const failures: RevivalFailure[] = [];
  for await (const page of deps.store.dueRevivals(shard, deps.now())) {
    for (const due of page) {
      if (deps.now() >= deps.stopAt) return failures;
      try {
        await moveOnRevival(deps, due, deps.now());
      } catch (error) {
        failures.push({ schedule: due.revival.id, error });
      }
    }
  }
  return failures;
}
