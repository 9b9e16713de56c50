import type { ScheduleId } from '../core/ids.ts';

/** Metric names, shared by those who emit and those who alarm. */
export const METRIC_NAMESPACE = 'Punctual';

/**
 * Environment variable whose value is the `service` dimension of every metric and log line (powertools reads it).
 * It is the name of the stack, so that one deployment's silence is not covered up by another's in the account.
 */
export const SERVICE_VARIABLE = 'POWERTOOLS_SERVICE_NAME';

/**
 * A custom metric is paid for in each hour that brings a value for it. The first five are levels, reported each
 * minute whatever they are, since their silence is an alarm; all others come only when there is something to say.
 */
export const METRIC = {
  /**
   * Seconds; age past due of the oldest occurrence that no worker has started. By each sweep, 0 when none. Those of
   * `pull` targets are not in it: their workers are somebody else's.
   */
  oldestOverdueSeconds: 'OldestOverdueSeconds',
  /** Count; occurrences past due that no worker has started. By each sweep, 0 when none. */
  overdueOccurrences: 'OverdueOccurrences',
  /** Count; 1 for each tick that went through its shards. Silence is the alarm. */
  ticksCompleted: 'TicksCompleted',
  /**
   * Seconds; how far behind now the slowest shard's watermark is: up to there its schedules are planned. By each
   * sweep, 0 when all are ahead. Not by the tick: a shard that no tick comes to would then not be in it.
   */
  shardLagSeconds: 'ShardLagSeconds',
  /** Count; schedules without a success for longer than their `expectSuccessWithin`. By each sweep, 0 when none. */
  schedulesWithoutSuccess: 'SchedulesWithoutSuccess',
  /** Count; occurrences that are due and have not ended: running, waiting for a slot, or late. By each sweep. */
  openOccurrences: 'OpenOccurrences',
  /** Seconds; age past due of the oldest occurrence that no outside worker has claimed. By each sweep. */
  oldestUnclaimedSeconds: 'OldestUnclaimedSeconds',
  /** Seconds; how far the clock was set back, as far as the watermarks show it. By each sweep that sees it. */
  clockBehindSeconds: 'ClockBehindSeconds',
  /** Count; occurrences created by ticks. */
  occurrencesMaterialised: 'OccurrencesMaterialised',
  /** Count; materialisations that found that somebody else did it. */
  materialiseRacesLost: 'MaterialiseRacesLost',
  /** Count; occurrences handed to the work queue. */
  occurrencesDispatched: 'OccurrencesDispatched',
  /** Milliseconds; startedAt - dueAt of first attempts. */
  startDelayMs: 'StartDelayMs',
  /** Count; successes of the canary, one a minute. Its silence is an alarm; it is in no other metric of workers. */
  canarySucceeded: 'CanarySucceeded',
  /** Count; nominal times that catch-up left out; one record in the ledger may stand for many. */
  timesCoalesced: 'TimesCoalesced',
  /** Count; attempts by their end. One that succeeded ends its occurrence. */
  attemptsSucceeded: 'AttemptsSucceeded',
  attemptsFailed: 'AttemptsFailed',
  /** Count; occurrences that ended failed. */
  occurrencesFailed: 'OccurrencesFailed',
  /** Count; schedules that were paused because their occurrences kept failing or their target was gone. */
  schedulesPaused: 'SchedulesPaused',
  /** Count; occurrences that were not run because they were too late. */
  occurrencesMissed: 'OccurrencesMissed',
  /** Count; occurrences that were not run because another of their schedule was in the way. */
  occurrencesSkipped: 'OccurrencesSkipped',
  /** Count; leases of workers of ours that the sweep found expired; attempts that go on outside are not in it. */
  leasesExpired: 'LeasesExpired',
  /** Count; occurrences whose message was sent again by the sweep. */
  occurrencesRedispatched: 'OccurrencesRedispatched',
  /** Count; messages that were put on the dead-letter queue by a worker, with their reason. */
  messagesRejected: 'MessagesRejected',
} as const;

export type MetricName = (typeof METRIC)[keyof typeof METRIC];

/** Dimensions, beside the service, of the metrics of a schedule that asks for its own. Each pair is paid for. */
export const SCHEDULE_DIMENSIONS = ['group', 'schedule'] as const;

/** What such a schedule has beside those of the deployment. */
export const SCHEDULE_METRIC = {
  /** Milliseconds; how long an attempt took. */
  durationMs: 'DurationMs',
} as const;

type ScheduleMetricName = MetricName | (typeof SCHEDULE_METRIC)[keyof typeof SCHEDULE_METRIC];

/** Writes metrics of one schedule under its own dimensions, at once. */
export type ScheduleReport = (
  schedule: ScheduleId,
  figures: Readonly<Partial<Record<ScheduleMetricName, number>>>,
) => void;

/** Adds to a metric of counts. */
export type Count = (name: MetricName, value: number) => void;
