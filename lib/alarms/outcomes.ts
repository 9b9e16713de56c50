import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import type { AlarmSpec, Watched } from './spec.ts';

/** Whether what runs comes to a good end. */
export function outcomes({ own }: Watched): AlarmSpec[] {
  return [
    {
      id: 'schedules-without-success',
      description: 'A schedule has not succeeded for longer than its expectSuccessWithin.',
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
