import { type Count, METRIC, SCHEDULE_METRIC, type ScheduleReport } from '../contract/metrics.ts';
import type { NotRun, SchedulerEvents } from '../core/ports/scheduler-events.ts';
import { isCanary } from '../core/schedule/canary-definition.ts';

const NOT_RUN = {
  missed: METRIC.occurrencesMissed,
  skipped: METRIC.occurrencesSkipped,
  'gave-up': METRIC.occurrencesFailed,
} as const satisfies Record<NotRun, string>;

/**
 * The only emitter of what is counted of attempts and occurrences: for the deployment, and for a schedule that asks for
 * metrics of its own. That is asked of the head, so that an edit holds for what is pending too.
 */
export function createSchedulerEvents(count: Count, reportSchedule: ScheduleReport): SchedulerEvents {
  return {
    attemptEnded(running, head, outcome, now) {
      // The canary proves that all is well and is no work of anybody's: metrics of work do without it.
      if (isCanary(running)) {
        if (outcome === 'succeeded') count(METRIC.canarySucceeded, 1);
        return;
      }
      const attempts = outcome === 'succeeded' ? METRIC.attemptsSucceeded : METRIC.attemptsFailed;
      const counts = {
        [attempts]: 1,
        ...(outcome === 'failed' && { [METRIC.occurrencesFailed]: 1 }),
      };
      count(attempts, 1);
      if (outcome === 'failed') count(METRIC.occurrencesFailed, 1);
      if (head?.policy.metrics !== true) return;
      // As in the deployment's own: a retry waits on purpose, and so do those of a backfill for each other.
      const hasDelay = running.attempt === 1 && running.kind !== 'backfill';
      reportSchedule(running.schedule, {
        ...(hasDelay && { [METRIC.startDelayMs]: running.attemptStartedAt - running.dueAt }),
        [SCHEDULE_METRIC.durationMs]: now - running.attemptStartedAt,
        ...counts,
      });
    },
    notRun(schedule, head, how) {
      if (isCanary({ schedule })) return;
      count(NOT_RUN[how], 1);
      if (head?.policy.metrics === true) reportSchedule(schedule, { [NOT_RUN[how]]: 1 });
    },
    schedulePaused: () => count(METRIC.schedulesPaused, 1),
  };
}
