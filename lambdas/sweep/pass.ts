import type { PlanningStore } from '../core/ports/planning-store.ts';
import { type CanaryDeps, keepCanary } from './create-canary.ts';
import { clockBehindSeconds, shardLagSeconds } from './lag.ts';
import { report } from './report.ts';
import { type SweepDeps, type SweepRequest, sweep } from './sweep.ts';
import { sweepWatches, type WatchDeps } from './watches.ts';

export type PassDeps = SweepDeps &
  CanaryDeps & {
    readonly schedules: SweepDeps['schedules'] & CanaryDeps['schedules'];
    readonly occurrences: SweepDeps['occurrences'] & WatchDeps['occurrences'];
    readonly watches: WatchDeps['watches'];
    readonly planning: Pick<PlanningStore, 'watermarks'>;
  };

/** All that one invocation does. Throws when something could not be swept, once all else is done. */
export async function pass(deps: PassDeps, request: SweepRequest): Promise<void> {
  const swept = await sweep(deps, request);
  const watermarks = await deps.planning.watermarks(request.shards);
  const lag = shardLagSeconds(watermarks, deps.now());
  try {
    report(swept, lag, await sweepWatches(deps), clockBehindSeconds(watermarks, deps.now()));
  } finally {
    // Last, so that what it meets keeps nothing from being swept or measured; and in any case, so that one occurrence
    // that cannot be swept does not silence it.
    await keepCanary(deps, deps.now());
  }
}
