import { ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { type AlarmSpec, MINUTE, type Watched } from './spec.ts';

const { GREATER_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;

/** The way from the stream over the work queue to a worker. */
export function handingOver({ functions, outbox, deadLetters, leadSeconds }: Watched): AlarmSpec[] {
  return [
    {
      id: 'relay-behind',
      description: 'The relay reads the stream late; occurrences reach the work queue after they were due.',
      metric: functions.relay.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: MINUTE }),
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
      metric: mapping(outbox, 'OnFailureDestinationDeliveredEventCount'),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // Reported only when there was something to count.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'records-dropped',
      description: 'Records of the stream were given up and not even kept in the bucket of failed records.',
      metric: mapping(outbox, 'DroppedEventCount'),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // As above.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'dead-letters',
      description: 'Messages are on the dead-letter queue.',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MAXIMUM,
        period: MINUTE,
      }),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // SQS goes quiet about a queue that has been empty and unused for six hours.
      missing: TreatMissingData.NOT_BREACHING,
    },
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
