import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import type { AlarmSpec, Watched } from './spec.ts';

/** Whether what runs comes to a good end: the schedules, and the canary for all that is between a time and its end. */
export function outcomes({ own, canary }: Watched): AlarmSpec[] {
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
    ...(canary ? [canarySilent(own)] : []),
  ];
}

function canarySilent(own: Watched['own']): AlarmSpec {
  return {
    id: 'canary-silent',
    description: 'The schedule that proves the pipeline has not succeeded for five minutes.',
    metric: own(METRIC.canarySucceeded, Stats.SUM),
    comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    // Long enough for a worker that died with one of them, a deployment and a redispatch by the sweep.
    datapoints: { bad: 5, of: 5 },
    // Nothing that could fail reports this: silence is what the alarm is for. So it may fire once when a first
    // deployment is not yet three minutes old, and it does when the canary is never made.
    missing: TreatMissingData.BREACHING,
  };
}
