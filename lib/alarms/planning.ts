import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import type { AlarmSpec, Watched } from './spec.ts';

/** Whether what comes due is created in time. */
export function planning({ own }: Watched): AlarmSpec[] {
  return [
    {
      id: 'tick-silent',
      description: 'No tick has completed for three minutes; nothing new is being scheduled.',
      metric: own(METRIC.ticksCompleted, Stats.SUM),
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 3, of: 3 },
      // A tick that does not run emits nothing: missing data is what this alarm is for.
      missing: TreatMissingData.BREACHING,
    },
  ];
}
