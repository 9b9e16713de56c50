import { type EpochMs, HOUR, MINUTE, SECOND } from '../core/time.ts';

/** A shard that was never scanned to its end has no watermark to be behind; it counts as so far behind. */
const NEVER_SCANNED = HOUR;

/** Seconds that the slowest shard's watermark is behind `now`; 0 when all are ahead of it, as they usually are. */
export function shardLagSeconds(watermarks: readonly (EpochMs | undefined)[], now: EpochMs): number {
  const lags = watermarks.map((through) => (through === undefined ? NEVER_SCANNED : now - through));
  return Math.max(0, ...lags) / SECOND;
}

/** A tick looks at most so far ahead; a watermark beyond it was set by a clock that was ahead of ours. */
const FARTHEST_AHEAD = 16 * MINUTE;

/**
 * Seconds that the clock was set back by, as far as it shows; 0 as it should be. Planning goes on from the watermark:
 * what ran in the time that comes again does not run again, and what comes next comes when the clock is there.
 */
export function clockBehindSeconds(watermarks: readonly (EpochMs | undefined)[], now: EpochMs): number {
  const ahead = Math.max(...watermarks.map((through) => (through ?? now) - now));
  return ahead > FARTHEST_AHEAD ? ahead / SECOND : 0;
}
