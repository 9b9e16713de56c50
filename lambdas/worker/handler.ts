import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import pLimit from 'p-limit';
import { createSqsClient } from '../adapters/aws/clients.ts';
import { newSecret } from '../adapters/chance.ts';
import { systemClock } from '../adapters/clock.ts';
import {
  createBackfillStore,
  createOccurrenceStore,
  createScheduleStore,
  createWatchStore,
  storeContext,
} from '../adapters/dynamodb/index.ts';
import { createDeadLetters, createMessageVisibility, createWorkQueue } from '../adapters/sqs/work-queue.ts';
import { createTargetCaller } from '../adapters/targets/index.ts';
import { schedulerEvents, withObservability } from '../adapters/telemetry.ts';
import { createAllowList } from '../contract/allow/allow-list.ts';
import { parseEnv, workerEnv } from '../contract/env.ts';
import { SECOND } from '../core/time.ts';
import { orComeAgain } from './come-again.ts';
import { createFullSlots } from './full-slots.ts';
import { createGroupLimits } from './group-limits.ts';
import { handleMessage } from './message.ts';
import { createRevisionCache } from './revision-cache.ts';

/** As many as a batch has: several invocations share a process in the embedded run only. */
const MAX_BEGINNING = 10;

const env = parseEnv(workerEnv, process.env);
const context = storeContext(env);
const sqs = createSqsClient();
const schedules = createScheduleStore(context);
const deps = {
  backfills: createBackfillStore(context),
  clock: systemClock,
  occurrences: createOccurrenceStore(context),
  schedules,
  watches: createWatchStore(context),
  events: schedulerEvents,
  revisionOf: createRevisionCache(schedules),
  groupLimitOf: createGroupLimits(schedules, systemClock),
  queue: createWorkQueue(sqs, env.WORK_QUEUE_URL),
  deadLetters: createDeadLetters(sqs, env.DEAD_LETTER_QUEUE_URL),
  targets: createTargetCaller({
    allowed: createAllowList(env.ALLOWED_TARGETS, env.ALLOWED_SECRETS),
    clock: systemClock,
    httpAllowedRanges: env.HTTP_ALLOWED_RANGES.split(',').filter((range) => range !== ''),
  }),
  full: createFullSlots(),
  oneOfFew: pLimit(MAX_BEGINNING),
  newSecret,
  leaseMs: env.LEASE_SECONDS * SECOND,
};
const visibility = createMessageVisibility(sqs, env.WORK_QUEUE_URL);
const processor = new BatchProcessor(EventType.SQS);

export const handler = withObservability((event: SQSEvent, { awsRequestId }) =>
  processPartialResponse(
    event,
    ({ body, messageId, receiptHandle, attributes }: SQSRecord) => {
      const received = { messageId, receiptHandle, receives: Number(attributes.ApproximateReceiveCount) };
      return orComeAgain(visibility, received, () =>
        handleMessage(deps, body, `${awsRequestId}/${messageId}`),
      );
    },
    processor,
    { processInParallel: true, throwOnFullBatchFailure: false },
  ),
);
