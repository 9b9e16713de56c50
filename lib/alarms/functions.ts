import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type AlarmSpec, MINUTE, type Watched } from './spec.ts';

/** Functions that end in an error. */
export function functionsFailing({ functions }: Watched): AlarmSpec[] {
  return Object.entries(functions).map(([name, target]) => errors(name, target));
}

/** One error heals: the next minute, a retry or the sweep. A second one within five minutes is no accident. */
function errors(name: string, target: IFunction): AlarmSpec {
  return {
    id: `${name}-errors`,
    description: `The ${name} function throws, runs out of time or of memory.`,
    metric: target.metricErrors({ statistic: Stats.SUM, period: MINUTE }),
    comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: 1,
    datapoints: { bad: 2, of: 5 },
    // No invocation, no error. That tick and sweep do run is watched by the alarms on their metrics.
    missing: TreatMissingData.NOT_BREACHING,
  };
}
