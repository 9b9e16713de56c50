import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import type { AlarmSpec, Watched } from './spec.ts';

/** What was due and has not started: seen at the end of the line, whatever the cause. */
export function lateness({ own, overdueSeconds }: Watched): AlarmSpec[] {
  return [
    {
      id: 'oldest-overdue',
      description: `An occurrence has been due for more than ${overdueSeconds} s and has not started.`,
      metric: own(METRIC.oldestOverdueSeconds, Stats.MAXIMUM),
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: overdueSeconds,
      // Sweeps come a few seconds apart from the full minute: one minute may hold none and the next two.
      datapoints: { bad: 3, of: 3 },
      // Each sweep reports, with 0 when nothing is overdue. Silence means that nobody looks.
      missing: TreatMissingData.BREACHING,
    },
  ];
}
