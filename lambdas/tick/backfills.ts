import pMap from 'p-map';
import { type AdvanceDeps, advance } from '../core/backfill/advance.ts';
import type { Backfill } from '../core/backfill/backfill.ts';
import type { BackfillStore } from '../core/backfill/store.ts';
import type { ScheduleId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';

/** Shards side by side. */
const CONCURRENCY = 4;
/** Steps of one backfill in one tick: so many windows of times that are there already are passed over. */
const MAX_STEPS = 20;

export interface BackfillTickDeps extends AdvanceDeps {
  readonly backfills: AdvanceDeps['backfills'] & Pick<BackfillStore, 'dueBackfills'>;
  /** No step is begun after this; the next tick goes on. */
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export interface BackfillTickResult {
  readonly advanced: number;
  readonly created: number;
  readonly failures: readonly { readonly schedule: ScheduleId; readonly error: unknown }[];
}

/** Moves on the backfills of `shards` that are due. Comes after the schedules, which it must not hold up. */
export async function tickBackfills(
  deps: BackfillTickDeps,
  shards: readonly number[],
): Promise<BackfillTickResult> {
  const results = await pMap(shards, (shard) => tickShard(deps, shard), { concurrency: CONCURRENCY });
  return results.flat().reduce(merge, EMPTY);
}

const EMPTY: BackfillTickResult = { advanced: 0, created: 0, failures: [] };

function merge(a: BackfillTickResult, b: BackfillTickResult): BackfillTickResult {
  return {
    advanced: a.advanced + b.advanced,
    created: a.created + b.created,
    failures: [...a.failures, ...b.failures],
  };
}

async function tickShard(deps: BackfillTickDeps, shard: number): Promise<BackfillTickResult[]> {
  const results: BackfillTickResult[] = [];
  for await (const page of deps.backfills.dueBackfills(shard, deps.now())) {
    for (const backfill of page) {
      if (deps.now() >= deps.stopAt) return results;
      results.push(await advanceSafely(deps, backfill));
    }
  }
  return results;
}

/** One that cannot be moved on is reported and left; the others are not held up by it. */
async function advanceSafely(deps: BackfillTickDeps, due: Backfill): Promise<BackfillTickResult> {
  let backfill = due;
  let created = 0;
  try {
    for (let steps = 0; steps < MAX_STEPS && deps.now() < deps.stopAt; steps += 1) {
      const result = await advance(deps, backfill, deps.now());
      if (result.kind !== 'advanced') break;
      backfill = result.backfill;
      created += result.created;
      if (!result.more) break;
    }
    return { advanced: 1, created, failures: [] };
  } catch (error) {
    return { advanced: 0, created, failures: [{ schedule: due.schedule, error }] };
  }
}
