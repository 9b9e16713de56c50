import { count, level, logger, seconds } from '../adapters/telemetry.ts';
import { METRIC } from '../contract/metrics.ts';
import type { SweepResult } from './sweep.ts';

/** `{ "reissue": true }`, sent by hand after the work queue was lost; the clock's own event has no such field. */
export function wantsReissue(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'reissue' in event && event.reissue === true;
}

/** Metrics and log of a sweep. Throws when an occurrence could not be swept, so that the error alarm sees it. */
export function report(result: SweepResult, shardLagSeconds: number): void {
  const { failures, ...figures } = result;
  seconds(METRIC.oldestOverdueSeconds, result.oldestOverdueSeconds);
  level(METRIC.overdueOccurrences, result.overdue);
  seconds(METRIC.shardLagSeconds, shardLagSeconds);
  count(METRIC.openOccurrences, result.open);
  if (result.oldestUnclaimedSeconds > 0) {
    seconds(METRIC.oldestUnclaimedSeconds, result.oldestUnclaimedSeconds);
  }
  count(METRIC.leasesExpired, result.leasesExpired);
  count(METRIC.attemptsFailed, result.leasesExpired + result.outsideExpired);
  count(METRIC.occurrencesFailed, result.failed);
  count(METRIC.schedulesPaused, result.paused);
  count(METRIC.occurrencesMissed, result.missed);
  count(METRIC.occurrencesRedispatched, result.redispatched);
  for (const { id, error } of failures) {
    logger.error('An occurrence could not be swept', { id, error: error as Error });
  }
  logger.info('Sweep', { ...figures, shardLagSeconds, failures: failures.length });
  if (failures.length > 0) {
    throw new Error(`${failures.length} occurrences could not be swept; the log names each.`);
  }
}
