import { createLambdaClient } from '../adapters/clients.ts';
import { systemClock } from '../adapters/clock.ts';
import { createDocumentClient, createPlanningStore } from '../adapters/dynamodb/index.ts';
import { invokeAsync } from '../adapters/lambda/self-invoke.ts';
import { observed } from '../adapters/telemetry.ts';
import { parseEnv, tickEnv } from '../contract/env.ts';
import { headRecurrence } from '../core/head-recurrence.ts';
import { epochMs, SECOND } from '../core/time.ts';
import { report } from './report.ts';
import { requestedShards, shardLists } from './shards.ts';
import { tick } from './tick.ts';

const env = parseEnv(tickEnv, process.env);
const store = createPlanningStore({
  client: createDocumentClient(),
  schedulesTable: env.SCHEDULES_TABLE_NAME,
  occurrencesTable: env.OCCURRENCES_TABLE_NAME,
  shardCount: env.SHARD_COUNT,
  retentionDays: env.RETENTION_DAYS,
});
const lambda = createLambdaClient();
/** Time kept for the page under way when the end of the invocation comes near. */
const RESERVE = 10 * SECOND;

export const handler = observed(async (event: unknown, context) => {
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
    recurrenceOf: headRecurrence,
    lead: env.LEAD_SECONDS * SECOND,
    planWindow: env.PLAN_WINDOW_SECONDS * SECOND,
    holder: context.awsRequestId,
    stopAt: epochMs(now + context.getRemainingTimeInMillis() - RESERVE),
    now: systemClock.now,
  };
  report(await tick(deps, shards));
});
