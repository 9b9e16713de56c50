import { count, logger, seconds } from '../adapters/telemetry.ts';
import { METRIC } from '../contract/metrics.ts';
import type { TickResult } from './tick.ts';

/** Metrics and log of a tick. Throws when a schedule could not be planned, so that the error alarm sees it. */
export function report(result: TickResult): void {
  const { failures, ...figures } = result;
  seconds(METRIC.shardLagSeconds, result.lagSeconds);
  count(METRIC.occurrencesMaterialised, result.materialised);
  count(METRIC.materialiseRacesLost, result.lostRaces);
  for (const { schedule, error } of failures) {
    logger.error('A schedule could not be planned', { schedule, error: error as Error });
  }
  logger.info('Tick', { ...figures, failures: failures.length });
  if (failures.length > 0) {
    throw new Error(`${failures.length} schedules could not be planned; the log names each.`);
  }
  count(METRIC.ticksCompleted, 1);
}
