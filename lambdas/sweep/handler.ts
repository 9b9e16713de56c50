import { createSqsClient } from '../adapters/aws/clients.ts';
import { systemClock } from '../adapters/clock.ts';
import {
  createOccurrenceStore,
  createPlanningStore,
  createScheduleStore,
  createSweepStore,
  createWatchStore,
  storeContext,
} from '../adapters/dynamodb/index.ts';
import { countMessages } from '../adapters/sqs/work-queue.ts';
import { schedulerEvents, withObservability } from '../adapters/telemetry.ts';
import { parseEnv, sweepEnv } from '../contract/env.ts';
import type { RunningOccurrence } from '../core/occurrence/occurrence.ts';
import { epochMs, SECOND } from '../core/time.ts';
import { pass } from './pass.ts';
import { wantsReissue } from './report.ts';

const env = parseEnv(sweepEnv, process.env);
const stores = storeContext(env);
const planning = createPlanningStore(stores);
const occurrences = createOccurrenceStore(stores);
const schedules = createScheduleStore(stores);
const watches = createWatchStore(stores);
const open = createSweepStore(stores);
const sqs = createSqsClient();
const messages = { counts: () => countMessages(sqs, env.WORK_QUEUE_URL) };
/** Time kept for the page under way when the end of the invocation comes near. */
const RESERVE = 10 * SECOND;

export const handler = withObservability(async (event: unknown, context) => {
  const shardCount = await planning.recordShardCount(env.SHARD_COUNT);
  const shards = Array.from({ length: shardCount }, (_, shard) => shard);
  const deps = {
    schedules,
    occurrences,
    open,
    messages,
    planning,
    watches,
    canary: env.CANARY,
    events: schedulerEvents,
    revisionOf: (open: Pick<RunningOccurrence, 'schedule' | 'revision'>) =>
      schedules.readRevision(open.schedule, open.revision),
    redispatchMs: env.REDISPATCH_SECONDS * SECOND,
    stopAt: epochMs(systemClock.now() + context.getRemainingTimeInMillis() - RESERVE),
    now: systemClock.now,
  };
  await pass(deps, { shards, reissue: wantsReissue(event) });
});
