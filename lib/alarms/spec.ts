import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  type ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  type TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { METRIC_NAMESPACE, type MetricName } from '../../lambdas/contract/metrics.ts';
import type { Config } from '../config.ts';

/** One alarm. Files of this folder list them by what they watch; index.ts puts the lists together. */
export interface AlarmSpec {
  /** Heading in docs/runbook.md, and the end of the alarm's name: it stays what it is. */
  readonly id: string;
  /** What an operator reads first. */
  readonly description: string;
  /**
   * `engine`: Punctual itself is sick. Told by the one composite alarm, which names it; it has no action of its own.
   * `work`: something that Punctual runs or was sent needs its owner. Told by itself, and not a case for a pager.
   */
  readonly about: 'engine' | 'work';
  readonly metric: IMetric;
  readonly comparison: ComparisonOperator;
  readonly threshold: number;
  /**
   * So many of the last so many periods of the metric. The first is smaller by two at least where silence is not what
   * the alarm is for: metrics come a minute or two late, and the latest periods have nothing, or a filled 0, until then.
   */
  readonly datapoints: { readonly bad: number; readonly of: number };
  readonly missing: TreatMissingData;
}

/** What lists of alarms are made from: each takes what it needs of it. */
export interface Watched {
  readonly config: Config;
  /** An own metric, as the functions emit it, by the minute. */
  readonly own: (name: MetricName, statistic: string) => Metric;
  readonly functions: Readonly<Record<'tick' | 'relay' | 'worker' | 'sweep' | 'api', LambdaFunction>>;
  readonly tables: Readonly<Record<'schedules' | 'occurrences', Table>>;
  readonly outbox: EventSourceMapping;
  readonly workQueue: Queue;
  readonly deadLetters: Queue;
  readonly http: HttpApi;
}

/** The period of nearly every alarm's metric. */
export const MINUTE = Duration.minutes(1);

/** Own metrics: powertools adds the service, which is the stack's name, as the only dimension. */
export function emittedBy(service: string): Watched['own'] {
  return (metricName, statistic) =>
    new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      dimensionsMap: { service },
      statistic,
      period: MINUTE,
    });
}

/**
 * The sum of metrics that come only when there is something to count, with 0 for the minutes in between.
 *
 * `TreatMissingData` alone is not enough for those: an alarm looks for values further back than its periods, takes
 * the old ones that it finds for the latest, and may stay in ALARM long after the last event; and on AWS/DynamoDB
 * metrics it is ignored altogether (AWS: alarms and missing data). It still decides while there is no value at all.
 * The latest period is 0 until its metric has come: an alarm that wanted all of its periods would never ring (AWS:
 * Using metric math, FILL).
 */
export function filled(metrics: Readonly<Record<string, Metric>>, label: string): MathExpression {
  const ids = Object.keys(metrics);
  return new MathExpression({
    expression: ids.map((id) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: metrics,
    label,
    period: Object.values(metrics)[0]?.period ?? MINUTE,
  });
}

/** How many there were of what an own metric counts, 0 in minutes without any. */
export function countOf(own: Watched['own'], name: MetricName): MathExpression {
  return filled({ events: own(name, Stats.SUM) }, name);
}
