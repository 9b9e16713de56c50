import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { SweepEnv } from '../lambdas/contract/env.ts';
import {
  DUE_INDEX,
  LAST_SUCCESS_ATTRIBUTE,
  OPEN_INDEX,
  PARTITION,
  TTL_ATTRIBUTE,
  WAITING_INDEX,
} from '../lambdas/contract/tables.ts';
import type { Config } from './config.ts';
import { keyGrants } from './customer-key.ts';
import { EveryMinute } from './every-minute.ts';
import { PunctualFunction } from './punctual-function.ts';
import { onAttributes, onIndex, onTable, SCHEDULE_ITEMS, type ScheduleStore } from './schedule-store.ts';

export interface SweepFunctionProps {
  readonly config: Config;
  readonly store: ScheduleStore;
  readonly workQueue: Queue;
}

/** Takes over what expired, hands over again what is overdue, and measures how late we are. */
export class SweepFunction extends PunctualFunction<SweepEnv> {
  constructor(scope: Construct, id: string, { config, store, workQueue }: SweepFunctionProps) {
    const shardCount = onTable(store.schedules, 'UpdateItem');
    shardCount.addCondition('ForAllValues:StringEquals', { 'dynamodb:LeadingKeys': [PARTITION.shards] });
    const heads = onTable(store.schedules, 'PutItem');
    heads.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [SCHEDULE_ITEMS] });
    super(scope, id, config, {
      folder: 'sweep',
      description: 'Recovers expired leases and overdue occurrences, measures lateness',
      reservedConcurrentExecutions: config.sweepReservedConcurrency,
      environment: {
        ...store.environment,
        SHARD_COUNT: String(config.shardCount),
        RETENTION_DAYS: String(config.retentionDays),
        CANARY: String(config.canary),
        WORK_QUEUE_URL: workQueue.queueUrl,
        REDISPATCH_SECONDS: String(config.redispatchSeconds),
      },
      grants: [
        onIndex(store.occurrences, OPEN_INDEX, 'Query'),
        // Who waits for a slot: whoever gives a place back hands it to the first.
        onIndex(store.occurrences, WAITING_INDEX, 'Query'),
        // Query: the ledger, whether the latest have all failed.
        onTable(store.occurrences, 'BatchGetItem', 'GetItem', 'Query', 'UpdateItem'),
        // How many messages it holds: only what it cannot hold is handed over again.
        new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [workQueue.queueArn] }),
        // The revision, for its retry policy.
        onTable(store.schedules, 'BatchGetItem', 'GetItem'),
        shardCount,
        heads,
        // Schedules that have not succeeded for too long; when to look at them again, or never.
        onIndex(store.schedules, DUE_INDEX, 'Query'),
        onAttributes(
          onTable(store.schedules, 'UpdateItem'),
          LAST_SUCCESS_ATTRIBUTE,
          DUE_INDEX.sortKey.name,
          DUE_INDEX.partitionKey.name,
          TTL_ATTRIBUTE,
        ),
        ...keyGrants(config, ['useTables']),
      ],
    });
    new EveryMinute(this, 'Clock', { target: this.lambda, description: 'Starts the sweep' });
  }
}
