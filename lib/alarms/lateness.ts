import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import type { AlarmSpec, Watched } from './spec.ts';

/** What was due and has not started: seen at the end of the line, whatever the cause. */
export function lateness({ own, config }: Watched): AlarmSpec[] {
  const { overdueAlarmSeconds: seconds, overdueAlarmCount: count } = config;
  return [
    {
      id: 'oldest-overdue',
      description: `An occurrence has been due for more than ${seconds} s and no worker has started it.`,
      about: 'engine',
      metric: own(METRIC.oldestOverdueSeconds, Stats.MAXIMUM),
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: seconds,
      // Sweeps come a few seconds apart from the full minute: one minute may hold none and the next two.
      datapoints: { bad: 3, of: 3 },
      // Each sweep reports, with 0 when nothing is overdue. Silence means that nobody looks.
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'overdue-count',
      description: `More than ${count} occurrences at a time are overdue; starts do not keep up with what comes due. Beyond 20,000 open ones the metric is the least that there can be.`,
      about: 'engine',
      metric: own(METRIC.overdueOccurrences, Stats.MAXIMUM),
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: count,
      // A burst at the full hour is worked off within a minute or two. A crowd that stays is a lack of workers,
      // even when each of it starts before it is late enough for oldest-overdue.
      datapoints: { bad: 5, of: 7 },
      // As above, but silence is told by oldest-overdue already.
      missing: TreatMissingData.NOT_BREACHING,
    },
  ];
}
