import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  type IMetric,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { METRIC, METRIC_NAMESPACE, type MetricName } from '../lambdas/contract/metrics.ts';

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

export interface Watched {
  readonly tick: IFunction;
  readonly relay: IFunction;
  readonly worker: IFunction;
  readonly sweep: IFunction;
  readonly api: IFunction;
  readonly outbox: EventSourceMapping;
  readonly deadLetters: Queue;
}

export interface Thresholds {
  readonly overdueSeconds: number;
  readonly leadSeconds: number;
}

const MINUTE = Duration.minutes(1);
const { GREATER_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD, LESS_THAN_THRESHOLD } =
  ComparisonOperator;

/** As the functions emit it: powertools adds the service, which is the stack's name, as the only dimension. */
function emittedBy(service: string) {
  return (metricName: MetricName, statistic: string): Metric =>
    new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      dimensionsMap: { service },
      statistic,
      period: MINUTE,
    });
}

/** All alarms. What to do when one fires stands in docs/runbook.md under its id. */
export function alarms(
  service: string,
  watched: Watched,
  { overdueSeconds, leadSeconds }: Thresholds,
): AlarmSpec[] {
  const own = emittedBy(service);
  return [
    {
      id: 'oldest-overdue',
      description: `An occurrence has been due for more than ${overdueSeconds} s and has not started.`,
      metric: own(METRIC.oldestOverdueSeconds, Stats.MAXIMUM),
      comparison: GREATER_THAN_THRESHOLD,
      threshold: overdueSeconds,
      // Sweeps come a few seconds apart from the full minute: one minute may hold none and the next two.
      datapoints: { bad: 3, of: 3 },
      // Each sweep reports, with 0 when nothing is overdue. Silence means that nobody looks.
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'tick-silent',
      description: 'No tick has completed for three minutes; nothing new is being scheduled.',
      metric: own(METRIC.ticksCompleted, Stats.SUM),
      comparison: LESS_THAN_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 3, of: 3 },
      // A tick that does not run emits nothing: missing data is what this alarm is for.
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'relay-behind',
      description: 'The relay reads the stream late; occurrences reach the work queue after they were due.',
      metric: watched.relay.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: MINUTE }),
      comparison: GREATER_THAN_THRESHOLD,
      // Half the lead: the other half is left before starts are late. A new stream shard alone takes 30 to 60 s.
      threshold: (leadSeconds / 2) * 1000,
      datapoints: { bad: 3, of: 3 },
      // Lambda reports it with invocations only: with nothing to hand over nothing is late.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'records-failed',
      description: 'The relay gave records of the stream up; they are in the bucket of failed records.',
      metric: mapping(watched.outbox, 'OnFailureDestinationDeliveredEventCount'),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // Reported only when there was something to count.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'records-dropped',
      description: 'Records of the stream were given up and not even kept in the bucket of failed records.',
      metric: mapping(watched.outbox, 'DroppedEventCount'),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // As above.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'dead-letters',
      description: 'Messages are on the dead-letter queue.',
      metric: watched.deadLetters.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MAXIMUM,
        period: MINUTE,
      }),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // SQS goes quiet about a queue that has been empty and unused for six hours.
      missing: TreatMissingData.NOT_BREACHING,
    },
    ...(['tick', 'relay', 'worker', 'sweep', 'api'] as const).map((name) =>
      functionErrors(name, watched[name]),
    ),
  ];
}

function mapping(source: EventSourceMapping, metricName: string): Metric {
  return new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { EventSourceMappingUUID: source.eventSourceMappingId },
    statistic: Stats.SUM,
    period: MINUTE,
  });
}

/** One error heals: the next minute, a retry or the sweep. A second one within five minutes is no accident. */
function functionErrors(name: string, target: IFunction): AlarmSpec {
  return {
    id: `${name}-errors`,
    description: `The ${name} function throws, runs out of time or of memory.`,
    metric: target.metricErrors({ statistic: Stats.SUM, period: MINUTE }),
    comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: 1,
    datapoints: { bad: 2, of: 5 },
    // No invocation, no error. That tick and sweep do run is watched by the alarms on their metrics.
    missing: TreatMissingData.NOT_BREACHING,
  };
}
