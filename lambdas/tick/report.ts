import { count, logger } from '../adapters/telemetry.ts';
import { METRIC } from '../contract/metrics.ts';
import type { BackfillTickResult } from './backfills.ts';
import type { RevivalFailure } from './revivals.ts';
import type { TickResult } from './tick.ts';

/** Metrics and log of a tick. Throws when a schedule could not be planned, so that the error alarm sees it. */
export function report(result: TickResult, moved: BackfillTickResult, held: readonly RevivalFailure[]): void {
  const { failures, costly, ...figures } = result;
  if (costly.length > 0)
    logger.warn('The times of schedules take long to find: plans were cut short and go on a minute later', {
      costly,
    });
  count(METRIC.occurrencesMaterialised, result.materialised);
  count(METRIC.materialiseRacesLost, result.lostRaces);
  count(METRIC.timesCoalesced, result.coalesced);
  for (const { schedule, error } of failures) {
    logger.error('A schedule could not be planned', { schedule, error: error as Error });
  }
  for (const { schedule, error } of moved.failures) {
    logger.error('A backfill could not be moved on', { schedule, error: error as Error });
  }
  for (const { schedule, error } of held) {
    logger.error('What a pause held could not be brought back', { schedule, error: error as Error });
  }
  const { advanced, created } = moved;
  const failed = failures.length + moved.failures.length + held.length;
  logger.info('Tick', { ...figures, backfills: advanced, backfilled: created, failures: failed });
  if (failed > 0) {
    throw new Error(`${failed} schedules or backfills could not be moved on; the log names each.`);
  }
  count(METRIC.ticksCompleted, 1);
}
