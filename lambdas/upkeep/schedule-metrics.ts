import { METRIC, SCHEDULE_METRIC, type ScheduleReport } from '../contract/metrics.ts';
import type { ScheduleId } from '../core/ids.ts';
import type { RunningOccurrence } from '../core/occurrence.ts';
import type { ScheduleStore } from '../core/ports.ts';
import type { ScheduleHead } from '../core/schedule.ts';
import type { EpochMs } from '../core/time.ts';

export interface ScheduleMetricsDeps {
  readonly reportSchedule: ScheduleReport;
}

/**
 * Metrics of a schedule that asks for its own, at the end of an attempt: how late it started, how long it took and how
 * it ended. Asked of the head, so that an edit holds for what is pending too.
 */
export function reportAttempt(
  { reportSchedule }: ScheduleMetricsDeps,
  running: Pick<RunningOccurrence, 'schedule' | 'kind' | 'attempt' | 'dueAt' | 'attemptStartedAt'>,
  head: Pick<ScheduleHead, 'policy'> | undefined,
  end: 'succeeded' | 'failed' | 'retry',
  now: EpochMs,
): void {
  if (head?.policy.metrics !== true) return;
  // As in the deployment's own: a retry waits on purpose, and so do those of a backfill for each other.
  const hasDelay = running.attempt === 1 && running.kind !== 'backfill';
  reportSchedule(running.schedule, {
    ...(hasDelay && { [METRIC.startDelayMs]: running.attemptStartedAt - running.dueAt }),
    [SCHEDULE_METRIC.durationMs]: now - running.attemptStartedAt,
    [end === 'succeeded' ? METRIC.attemptsSucceeded : METRIC.attemptsFailed]: 1,
    ...(end === 'failed' && { [METRIC.occurrencesFailed]: 1 }),
  });
}

type NotRun = (typeof METRIC)['occurrencesMissed' | 'occurrencesSkipped' | 'occurrencesFailed'];

/** That an occurrence was not run, or not run again. There is no head at hand, and it is seldom: it is read for this. */
export async function reportNotRun(
  {
    reportSchedule,
    schedules,
  }: ScheduleMetricsDeps & { readonly schedules: Pick<ScheduleStore, 'readHead'> },
  schedule: ScheduleId,
  how: NotRun,
): Promise<void> {
  const head = await schedules.readHead(schedule);
  if (head?.policy.metrics === true) reportSchedule(schedule, { [how]: 1 });
}
