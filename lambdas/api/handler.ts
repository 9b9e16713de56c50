import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { newSecret } from '../adapters/chance.ts';
import { systemClock } from '../adapters/clock.ts';
import {
  createBackfillStore,
  createCalendarStore,
  createOccurrenceStore,
  createPlanningStore,
  createScheduleStore,
  createWatchStore,
  storeContext,
} from '../adapters/dynamodb/index.ts';
import { logger, schedulerEvents, withObservability } from '../adapters/telemetry.ts';
import { createAllowList } from '../contract/allow/allow-list.ts';
import { apiEnv, parseEnv } from '../contract/env.ts';
import { tzdataVersion } from '../core/recurrence/index.ts';
import { SECOND } from '../core/time.ts';
import { createApp } from './app.ts';
import { answerEvent } from './http/gateway.ts';

const env = parseEnv(apiEnv, process.env);
const zoneData = tzdataVersion(process.versions);
const context = storeContext(env);
const app = createApp({
  schedules: createScheduleStore(context),
  occurrences: createOccurrenceStore(context),
  backfills: createBackfillStore(context),
  calendars: createCalendarStore(context),
  planning: createPlanningStore(context),
  watches: createWatchStore(context),
  zoneData,
  allowed: createAllowList(env.ALLOWED_TARGETS, env.ALLOWED_SECRETS),
  limits: { lead: env.LEAD_SECONDS * SECOND, planWindow: env.PLAN_WINDOW_SECONDS * SECOND },
  clock: systemClock,
  newSecret,
  logger,
  events: schedulerEvents,
});

// Its metrics are of outside work. API Gateway counts requests, errors and latency of every route already.
export const handler = withObservability((event: APIGatewayProxyEventV2, lambdaContext) =>
  answerEvent(app, event, lambdaContext),
);
