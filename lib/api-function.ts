import type { Construct } from 'constructs';
import type { ApiEnv } from '../lambdas/contract/env.ts';
import {
  ATTENTION_INDEX,
  BY_GROUP_INDEX,
  OPEN_INDEX,
  PARTITION,
  WAITING_INDEX,
} from '../lambdas/contract/tables.ts';
import { allowedEnvironment } from './allowed.ts';
import type { Config } from './config.ts';
import { keyGrants } from './customer-key.ts';
import { PunctualFunction } from './punctual-function.ts';
import { onIndex, onTable, type ScheduleStore } from './schedule-store.ts';

/** Partition keys of the versions and users of calendars. */
const CALENDAR_ITEMS = `${PARTITION.calendar}*`;

export interface ApiFunctionProps {
  readonly config: Config;
  readonly store: ScheduleStore;
}

/** Answers the HTTP API. */
export class ApiFunction extends PunctualFunction<ApiEnv> {
  constructor(scope: Construct, id: string, { config, store }: ApiFunctionProps) {
    // A schedule that stops using a calendar.
    const calendarUsers = onTable(store.schedules, 'DeleteItem');
    calendarUsers.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [CALENDAR_ITEMS] });
    super(scope, id, config, {
      folder: 'api',
      description: 'Answers the HTTP API',
      reservedConcurrentExecutions: config.apiReservedConcurrency,
      environment: {
        ...store.environment,
        SHARD_COUNT: String(config.shardCount),
        LEAD_SECONDS: String(config.leadSeconds),
        PLAN_WINDOW_SECONDS: String(config.planWindowSeconds),
        RETENTION_DAYS: String(config.retentionDays),
        ...allowedEnvironment(config),
      },
      grants: [
        // Update: a change whose first occurrences are many is planned as a tick does it.
        // Query: the backfills of a schedule.
        onTable(
          store.schedules,
          'BatchGetItem',
          'ConditionCheckItem',
          'GetItem',
          'PutItem',
          'Query',
          'UpdateItem',
        ),
        calendarUsers,
        // Scan of the index: a list over all groups.
        onIndex(store.schedules, BY_GROUP_INDEX, 'Query', 'Scan'),
        onTable(store.occurrences, 'BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'),
        // What failed on a day, and what is due in a pull queue.
        onIndex(store.occurrences, ATTENTION_INDEX, 'Query'),
        onIndex(store.occurrences, OPEN_INDEX, 'Query'),
        // Who waits for a slot: whoever gives a place back hands it to the first.
        onIndex(store.occurrences, WAITING_INDEX, 'Query'),
        ...keyGrants(config, ['useTables']),
      ],
    });
  }
}
