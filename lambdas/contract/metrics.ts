/** Metric names, shared by those who emit and those who alarm. */
export const METRIC_NAMESPACE = 'Punctual';

/**
 * Environment variable whose value is the `service` dimension of every metric and log line (powertools reads it).
 * It is the name of the stack, so that one deployment's silence is not covered up by another's in the account.
 */
export const SERVICE_VARIABLE = 'POWERTOOLS_SERVICE_NAME';

export const METRIC = {
  /** Seconds; age past due of the oldest occurrence that has not started. Emitted by each sweep, 0 when none. */
  oldestOverdueSeconds: 'OldestOverdueSeconds',
  /** Count; occurrences past due that have not started. Emitted by each sweep. */
  overdueOccurrences: 'OverdueOccurrences',
  /** Count; 1 for each tick that went through its shards. Silence is the alarm. */
  ticksCompleted: 'TicksCompleted',
  /** Seconds; how far behind now the slowest scanned shard's watermark is. */
  shardLagSeconds: 'ShardLagSeconds',
  /** Count; occurrences created by ticks. */
  occurrencesMaterialised: 'OccurrencesMaterialised',
  /** Count; materialisations that found that somebody else did it. */
  materialiseRacesLost: 'MaterialiseRacesLost',
  /** Count; occurrences handed to the work queue. */
  occurrencesDispatched: 'OccurrencesDispatched',
  /** Milliseconds; startedAt - dueAt of first attempts. */
  startDelayMs: 'StartDelayMs',
  /** Count; attempts by their end. */
  attemptsSucceeded: 'AttemptsSucceeded',
  attemptsFailed: 'AttemptsFailed',
  /** Count; occurrences that ended failed. */
  occurrencesFailed: 'OccurrencesFailed',
  /** Count; schedules that were paused because their occurrences kept failing or their target was gone. */
  schedulesPaused: 'SchedulesPaused',
  /** Count; occurrences that were not run because they were too late. */
  occurrencesMissed: 'OccurrencesMissed',
  /** Count; leases found expired by the sweep. */
  leasesExpired: 'LeasesExpired',
  /** Count; occurrences whose message was sent again by the sweep. */
  occurrencesRedispatched: 'OccurrencesRedispatched',
  /** Count; messages that were put on the dead-letter queue by a worker, with their reason. */
  messagesRejected: 'MessagesRejected',
} as const;

export type MetricName = (typeof METRIC)[keyof typeof METRIC];
