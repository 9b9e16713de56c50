import { Duration } from 'aws-cdk-lib';
import {
  type ComparisonOperator,
  type IMetric,
  Metric,
  type TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { METRIC_NAMESPACE, type MetricName } from '../../lambdas/contract/metrics.ts';

/** One alarm. Files of this folder list them by what they watch; index.ts puts the lists together. */
export interface AlarmSpec {
  /** Heading in docs/runbook.md, and the end of the alarm's name: it stays what it is. */
  readonly id: string;
  /** What an operator reads first. */
  readonly description: string;
  readonly metric: IMetric;
  readonly comparison: ComparisonOperator;
  readonly threshold: number;
  /** So many of the last so many minutes. */
  readonly datapoints: { readonly bad: number; readonly of: number };
  readonly missing: TreatMissingData;
}

/** What lists of alarms are made from: each takes what it needs of it. */
export interface Watched {
  /** An own metric, as the functions emit it. */
  readonly own: (name: MetricName, statistic: string) => Metric;
  readonly functions: Readonly<Record<'tick' | 'relay' | 'worker' | 'sweep' | 'api', IFunction>>;
  readonly outbox: EventSourceMapping;
  readonly deadLetters: Queue;
  readonly overdueSeconds: number;
  readonly leadSeconds: number;
  /** Whether the deployment has one. */
  readonly canary: boolean;
}

/** The period of every alarm's metric. */
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
