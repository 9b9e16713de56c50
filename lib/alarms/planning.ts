import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import { type AlarmSpec, countOf, type Watched } from './spec.ts';

/** Whether what comes due is created in time. */
export function planning({ own }: Watched): AlarmSpec[] {
  return [
    {
      id: 'tick-silent',
      description: 'No tick has completed for three minutes; nothing new is being scheduled.',
      about: 'engine',
      // Filled: without it the alarm would find ticks of before the silence and wait for them to grow old.
      metric: countOf(own, METRIC.ticksCompleted),
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 3, of: 3 },
      // A tick that does not run emits nothing: missing data is what this alarm is for.
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'shard-lag',
      description:
        'Schedules of at least one shard are not planned up to now; their occurrences are created late.',
      about: 'engine',
      metric: own(METRIC.shardLagSeconds, Stats.MAXIMUM),
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // A tick plans ahead by the lead. Anything above 0 means that the lead is used up.
      threshold: 0,
      datapoints: { bad: 3, of: 5 },
      // Each sweep reports, with 0 when all is well. Its silence is told by oldest-overdue.
      missing: TreatMissingData.NOT_BREACHING,
    },
  ];
}
