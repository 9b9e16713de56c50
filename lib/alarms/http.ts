import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmSpec, filled, MINUTE, type Watched } from './spec.ts';

/** What callers of the API see. */
export function answering({ http }: Watched): AlarmSpec[] {
  const errors = http.metricServerError({ statistic: Stats.SUM, period: MINUTE });
  return [
    {
      id: 'api-5xx',
      description: 'The API answers with 5xx: the table refused, the function died, or it took too long.',
      about: 'engine',
      metric: filled({ errors }, '5xx'),
      comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      // As for errors of functions: one is tried again by whoever asked.
      datapoints: { bad: 2, of: 5 },
      // Reported with requests only: nobody asks, nobody is turned away.
      missing: TreatMissingData.NOT_BREACHING,
    },
  ];
}
