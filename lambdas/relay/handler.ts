import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createSqsClient } from '../adapters/aws/clients.ts';
import { systemClock } from '../adapters/clock.ts';
import { outboxRecordOf } from '../adapters/dynamodb/stream.ts';
import { createWorkQueue } from '../adapters/sqs/work-queue.ts';
import { count, logger, withObservability } from '../adapters/telemetry.ts';
import { parseEnv, relayEnv } from '../contract/env.ts';
import { METRIC } from '../contract/metrics.ts';
import { relay } from './relay.ts';

const env = parseEnv(relayEnv, process.env);
const queue = createWorkQueue(createSqsClient(), env.WORK_QUEUE_URL);

export const handler = withObservability(
  async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const { sent, failed } = await relay({ queue, clock: systemClock }, event.Records.map(outboxRecordOf));
    count(METRIC.occurrencesDispatched, sent);
    if (failed.length > 0) logger.warn('Not accepted by the work queue; they come again', { failed });
    // Lambda goes on from the lowest of these; what was sent behind it is sent twice, which the claim sorts out.
    return { batchItemFailures: failed.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
  },
);
