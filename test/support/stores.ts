import {
  createBackfillStore,
  createCalendarStore,
  createDocumentClient,
  createOccurrenceStore,
  createPlanningStore,
  createScheduleStore,
  createSweepStore,
  createWatchStore,
} from '../../lambdas/adapters/dynamodb/index.ts';
import { createTables, startEngine } from './engine.ts';

/** The stores over a fresh pair of tables on the embedded engine, for one test file. */
export async function openStores(options: { readonly shardCount?: number } = {}) {
  const engine = await startEngine();
  const tables = { schedulesTable: 'schedules', occurrencesTable: 'occurrences' };
  await createTables(engine.dynamodbEndpoint, tables);
  const client = createDocumentClient({
    endpoint: engine.dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const context = { client, ...tables, shardCount: options.shardCount ?? 4, retentionDays: 30 };
  return {
    ...context,
    context,
    endpoint: engine.dynamodbEndpoint,
    schedules: createScheduleStore(context),
    planning: createPlanningStore(context),
    occurrences: createOccurrenceStore(context),
    backfills: createBackfillStore(context),
    calendars: createCalendarStore(context),
    watches: createWatchStore(context),
    open: createSweepStore(context),
    async close() {
      client.destroy();
      await engine.stop();
    },
  };
}

export type Stores = Awaited<ReturnType<typeof openStores>>;
