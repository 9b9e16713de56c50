import { count, gauge, logger, seconds } from '../adapters/telemetry.ts';
import { METRIC } from '../contract/metrics.ts';
import type { SweepResult } from './result.ts';
import type { WatchResult } from './watches.ts';

/** `{ "reissue": true }`, sent by hand after the work queue was lost; the clock's own event has no such field. */
export function wantsReissue(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'reissue' in event && event.reissue === true;
}

/** Metrics and log of a sweep. Throws when something could not be swept, so that the error alarm sees it. */
export function report(
  result: SweepResult,
  shardLagSeconds: number,
  watches: WatchResult,
  clockBehindSeconds = 0,
): void {
  const { failures, ...figures } = result;
  seconds(METRIC.oldestOverdueSeconds, result.oldestOverdueSeconds);
  gauge(METRIC.overdueOccurrences, result.overdue);
  seconds(METRIC.shardLagSeconds, shardLagSeconds);
  if (clockBehindSeconds > 0) {
    seconds(METRIC.clockBehindSeconds, clockBehindSeconds);
    logger.warn('The clock was set back; what is planned already comes when it is there again', {
      clockBehindSeconds,
    });
  }
  count(METRIC.openOccurrences, result.open);
  if (result.oldestUnclaimedSeconds > 0) {
    seconds(METRIC.oldestUnclaimedSeconds, result.oldestUnclaimedSeconds);
  }
  count(METRIC.leasesExpired, result.leasesExpired);
  count(METRIC.occurrencesRedispatched, result.redispatched);
  gauge(METRIC.schedulesWithoutSuccess, watches.overdue);
  for (const { id, error } of failures) {
    logger.error('An occurrence could not be swept', { id, error: error as Error });
  }
  for (const { schedule, error } of watches.failures) {
    logger.error('A schedule could not be watched', { schedule, error: error as Error });
  }
  if (watches.overdue > 0) {
    const { overdue, longest: schedules } = watches;
    logger.warn('Schedules have not succeeded for longer than they say', { overdue, schedules });
  }
  const failed = failures.length + watches.failures.length;
  logger.info('Sweep', {
    ...figures,
    shardLagSeconds,
    withoutSuccess: watches.overdue,
    failures: failed,
  });
  if (failed > 0) {
    throw new Error(`${failed} occurrences or schedules could not be swept; the log names each.`);
  }
}
