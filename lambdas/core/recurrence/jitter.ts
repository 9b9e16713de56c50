import { hash48 } from '../hash.ts';
import { type EpochMs, epochMs } from '../time.ts';

/**
 * When an occurrence may start: its nominal time plus a hashed share of the window (milliseconds). The same for the
 * same schedule and time, spread over schedules, and before the next nominal time, so that order is kept.
 */
export function dueAt(fireAt: EpochMs, nextFireAt: EpochMs | null, windowMs: number, seed: string): EpochMs {
  const room = nextFireAt === null ? windowMs : Math.min(windowMs, nextFireAt - fireAt);
  if (!(room >= 1)) return fireAt;
  return epochMs(fireAt + (hash48(`${seed}|${fireAt}`) % Math.floor(room)));
}
