import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import { type AlarmSpec, countOf, filled, type Watched } from './spec.ts';

/** How the work of schedules ended. Nothing here says that Punctual is ill: it has done what it was asked to. */
export function outcomes({ own, config }: Watched): AlarmSpec[] {
  const { failedAlarmCount: count } = config;
  const failed = own(METRIC.occurrencesFailed, Stats.SUM).with({ period: Duration.minutes(5) });
  return [
    {
      id: 'occurrences-failed',
      description: `${count} or more occurrences ended failed within five minutes, all attempts used up.`,
      about: 'work',
      metric: filled({ failed }, METRIC.occurrencesFailed),
      comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: count,
      // For an hour: what fails every quarter of it is one message, not four and as many that it is over.
      datapoints: { bad: 1, of: 12 },
      // Emitted only when there was one.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'schedules-paused',
      description: 'A schedule has paused itself: its occurrences kept failing, or its target is gone.',
      about: 'work',
      metric: countOf(own, METRIC.schedulesPaused),
      comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Each one matters: it stays paused until a person resumes it.
      threshold: 1,
      // For an hour, as above.
      datapoints: { bad: 1, of: 60 },
      // Emitted only when there was one.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'schedules-without-success',
      description: 'A schedule has not succeeded for longer than its expectSuccessWithin.',
      about: 'work',
      metric: own(METRIC.schedulesWithoutSuccess, Stats.MAXIMUM),
      comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // Each sweep reports, with 0 when there is none. A minute without a sweep changes nothing about a schedule, and
      // that none comes at all is told by oldest-overdue.
      missing: TreatMissingData.IGNORE,
    },
  ];
}
