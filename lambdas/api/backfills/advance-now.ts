import { advance } from '../../core/backfill/advance.ts';
import type { Backfill } from '../../core/backfill/backfill.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ApiDeps } from '../deps.ts';

/** Steps taken at once; the tick takes those that are left. */
const MAX_STEPS = 3;

/**
 * Does at once what the tick would do within a minute. What was asked for is written already, so that whatever
 * stops this, the tick goes on from there and reports it: the caller is not told of a failure that is none.
 */
export async function moveOn(
  deps: Pick<ApiDeps, 'backfills' | 'occurrences'>,
  written: Backfill,
  now: EpochMs,
): Promise<Backfill> {
  let backfill = written;
  try {
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const result = await advance(deps, backfill, now);
      if (result.kind !== 'advanced') break;
      backfill = result.backfill;
      if (!result.more) break;
    }
  } catch {
    return backfill;
  }
  return backfill;
}
