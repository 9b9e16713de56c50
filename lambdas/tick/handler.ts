import { createLambdaClient } from '../adapters/aws/clients.ts';
import { systemClock } from '../adapters/clock.ts';
import {
  createBackfillStore,
  createOccurrenceStore,
  createPlanningStore,
  storeContext,
} from '../adapters/dynamodb/index.ts';
import { invokeAsync } from '../adapters/lambda/self-invoke.ts';
import { withObservability } from '../adapters/telemetry.ts';
import { parseEnv, tickEnv } from '../contract/env.ts';
import { tzdataVersion } from '../core/recurrence/index.ts';
import { headRecurrence } from '../core/schedule/head-recurrence.ts';
import { epochMs, SECOND } from '../core/time.ts';
import { tickBackfills } from './backfills.ts';
import { report } from './report.ts';
import { tickRevivals } from './revivals.ts';
import { requestedShards, shardLists } from './shards.ts';
import { tick } from './tick.ts';

const env = parseEnv(tickEnv, process.env);
const zoneData = tzdataVersion(process.versions);
const stores = storeContext(env);
const store = createPlanningStore(stores);
const occurrences = createOccurrenceStore(stores);
const backfills = createBackfillStore(stores);
const lambda = createLambdaClient();
/** Time kept for the page under way when the end of the invocation comes near. */
const RESERVE = 10 * SECOND;

export const handler = withObservability(async (event: unknown, context) => {
  const lists = shardLists(await store.recordShardCount(env.SHARD_COUNT), env.SHARDS_PER_INVOCATION);
  const [only] = lists;
  const shards = requestedShards(event) ?? (lists.length === 1 ? only : undefined);
  if (shards === undefined) {
    await Promise.all(lists.map((list) => invokeAsync(lambda, context.functionName, { shards: list })));
    return;
  }
  const now = systemClock.now();
  const deps = {
    store,
    occurrences,
    recurrenceOf: headRecurrence,
    zoneData,
    lead: env.LEAD_SECONDS * SECOND,
    planWindow: env.PLAN_WINDOW_SECONDS * SECOND,
    holder: context.awsRequestId,
    stopAt: epochMs(now + context.getRemainingTimeInMillis() - RESERVE),
    now: systemClock.now,
  };
  const planned = await tick(deps, shards);
  // Only now: what is on time comes before what makes up for the past.
  const held = await tickRevivals(deps, shards);
  const moved = await tickBackfills({ ...deps, backfills }, shards);
  report(planned, moved, held);
});
