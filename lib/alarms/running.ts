import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import { type AlarmSpec, countOf, filled, type Watched } from './spec.ts';

const { GREATER_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;

/** Outside workers ask at a pace of their own. */
const UNCLAIMED = Duration.minutes(5);

/** Attempts under way, and those that others are to make. */
export function running({ own }: Watched): AlarmSpec[] {
  return [
    {
      id: 'leases-expired',
      description: 'Workers keep losing their leases: they die, freeze, or do not reach the table.',
      about: 'engine',
      metric: countOf(own, METRIC.leasesExpired),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      // One worker that dies takes ten leases with it, which end within two sweeps, and the sweep heals that.
      datapoints: { bad: 3, of: 15 },
      // Emitted only when there was one. That sweeps report at all is watched by oldest-overdue.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'pull-unclaimed',
      description: 'An occurrence has waited for more than five minutes to be claimed from a pull queue.',
      // The workers of pull queues are not ours.
      about: 'work',
      metric: filled(
        { oldest: own(METRIC.oldestUnclaimedSeconds, Stats.MAXIMUM) },
        METRIC.oldestUnclaimedSeconds,
      ),
      comparison: GREATER_THAN_THRESHOLD,
      threshold: UNCLAIMED.toSeconds(),
      datapoints: { bad: 3, of: 5 },
      // Emitted only when one waits.
      missing: TreatMissingData.NOT_BREACHING,
    },
  ];
}
