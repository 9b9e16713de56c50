import { ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { METRIC } from '../../lambdas/contract/metrics.ts';
import { OLDEST_HEALTHY_MESSAGE_SECONDS } from '../../lambdas/contract/topology.ts';
import { type AlarmSpec, countOf, filled, MINUTE, type Watched } from './spec.ts';

const { GREATER_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;

/** From the stream to the work queue. */
export function relaying({ functions, outbox, config }: Watched): AlarmSpec[] {
  const age = functions.relay.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: MINUTE });
  return [
    {
      id: 'relay-behind',
      description: 'The relay reads the stream late; occurrences reach the work queue after they were due.',
      about: 'engine',
      metric: filled({ age }, 'IteratorAge'),
      comparison: GREATER_THAN_THRESHOLD,
      // Half the lead: the other half is left before starts are late. A new stream shard alone takes 30 to 60 s.
      threshold: (config.leadSeconds / 2) * 1000,
      datapoints: { bad: 3, of: 5 },
      // Lambda reports it with invocations only: with nothing to hand over nothing is late.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'records-failed',
      description: 'The relay gave records of the stream up; they are in the bucket of failed records.',
      about: 'engine',
      metric: counted(outbox, 'OnFailureDestinationDeliveredEventCount'),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 5 },
      // Reported only when there was something to count.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'records-dropped',
      description: 'Records of the stream were given up and not even kept in the bucket of failed records.',
      about: 'engine',
      metric: counted(outbox, 'DroppedEventCount'),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 5 },
      // As above.
      missing: TreatMissingData.NOT_BREACHING,
    },
  ];
}

/** From the work queue to a worker, or to where messages end that no worker could take. */
export function queueing({ own, workQueue, deadLetters }: Watched): AlarmSpec[] {
  return [
    {
      id: 'queue-age',
      description: 'A message has been on the work queue for longer than one that a worker died over.',
      about: 'engine',
      metric: workQueue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: MINUTE }),
      comparison: GREATER_THAN_THRESHOLD,
      // The age counts from the sending, delays and time under work included: less would ring for healthy ones.
      // That starts are late is told within minutes by oldest-overdue; this is about messages that never end.
      threshold: OLDEST_HEALTHY_MESSAGE_SECONDS,
      datapoints: { bad: 3, of: 5 },
      // SQS goes quiet about a queue that has been empty and unused for six hours.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'dead-letters',
      description: 'Messages are on the dead-letter queue.',
      // Not the engine's: it lasts until somebody has looked at the messages, and would hide all else meanwhile.
      about: 'work',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MAXIMUM,
        period: MINUTE,
      }),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      datapoints: { bad: 1, of: 1 },
      // As the queue above.
      missing: TreatMissingData.NOT_BREACHING,
    },
    {
      id: 'messages-rejected',
      description: 'Messages that no worker can read keep coming to the work queue.',
      about: 'work',
      metric: countOf(own, METRIC.messagesRejected),
      comparison: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: 1,
      // The first one is told by dead-letters, which then stays as it is. This says that it goes on.
      datapoints: { bad: 3, of: 15 },
      // Emitted only when there was one.
      missing: TreatMissingData.NOT_BREACHING,
    },
  ];
}

function counted(source: EventSourceMapping, metricName: string) {
  const events = new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { EventSourceMappingUUID: source.eventSourceMappingId },
    statistic: Stats.SUM,
    period: MINUTE,
  });
  return filled({ events }, metricName);
}
