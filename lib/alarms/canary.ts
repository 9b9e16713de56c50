import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import { type AlarmSpec, countOf, type Watched } from './spec.ts';

/** All that is between a time and its end, proven each minute by a schedule of the deployment's own. */
export function canary({ own, config }: Watched): AlarmSpec[] {
  if (!config.canary) return [];
  return [
    {
      id: 'canary-silent',
      description: 'The schedule that proves the pipeline has not succeeded for five minutes.',
      about: 'engine',
      // Filled, as ticks are: the last successes before the silence would be found for a while.
      metric: countOf(own, METRIC.canarySucceeded),
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: 1,
      // Long enough for a worker that died with one of them, a deployment and a redispatch by the sweep.
      datapoints: { bad: 5, of: 5 },
      // Nothing that could fail reports this: silence is what the alarm is for. So it may fire once when a first
      // deployment is not yet three minutes old, and it does when the canary is never made.
      missing: TreatMissingData.BREACHING,
    },
  ];
}
