import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type AlarmSpec, filled, MINUTE, type Watched } from './spec.ts';

const PER_MINUTE = { statistic: Stats.SUM, period: MINUTE };

/** Functions that end in an error, or that Lambda does not start. */
export function functionsFailing({ functions }: Watched): AlarmSpec[] {
  return [
    ...Object.entries(functions).map(([name, target]) => errors(name, target)),
    {
      id: 'functions-throttled',
      description: 'Lambda refuses to start functions: the concurrency of the account is used up.',
      about: 'engine',
      metric: filled(
        Object.fromEntries(
          Object.entries(functions).map(([name, target]) => [name, target.metricThrottles(PER_MINUTE)]),
        ),
        'Throttles',
      ),
      comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      // Refused events come again. Only a refusal that lasts keeps ticks or messages from their turn.
      datapoints: { bad: 3, of: 5 },
      // Reported with invocations, refused ones included: no invocation, no refusal.
      missing: TreatMissingData.NOT_BREACHING,
    },
  ];
}

/** One error heals: the next minute, a retry or the sweep. A second one within five minutes is no accident. */
function errors(name: string, target: IFunction): AlarmSpec {
  return {
    id: `${name}-errors`,
    description: `The ${name} function throws, runs out of time or of memory.`,
    about: 'engine',
    metric: filled({ errors: target.metricErrors(PER_MINUTE) }, 'Errors'),
    comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: 1,
    datapoints: { bad: 2, of: 5 },
    // No invocation, no error. That tick and sweep do run is watched by the alarms on their metrics.
    missing: TreatMissingData.NOT_BREACHING,
  };
}
