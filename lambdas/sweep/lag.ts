import { type EpochMs, HOUR, SECOND } from '../core/time.ts';

/** A shard that was never scanned to its end has no watermark to be behind; it counts as so far behind. */
const NEVER_SCANNED = HOUR;

/** Seconds that the slowest shard's watermark is behind `now`; 0 when all are ahead of it, as they usually are. */
export function shardLagSeconds(watermarks: readonly (EpochMs | undefined)[], now: EpochMs): number {
  const lags = watermarks.map((through) => (through === undefined ? NEVER_SCANNED : now - through));
  return Math.max(0, ...lags) / SECOND;
}
