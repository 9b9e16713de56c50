import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { TickEnv } from '../lambdas/contract/env.ts';
import { DUE_INDEX, OPEN_INDEX, WAITING_INDEX } from '../lambdas/contract/tables.ts';
import type { Config } from './config.ts';
import { keyGrants } from './customer-key.ts';
import { EveryMinute } from './every-minute.ts';
import { PunctualFunction } from './punctual-function.ts';
import { onIndex, onTable, type ScheduleStore } from './schedule-store.ts';

export interface TickFunctionProps {
  readonly config: Config;
  readonly store: ScheduleStore;
}

/** Creates the occurrences that come due and moves their schedules on, each minute. */
export class TickFunction extends PunctualFunction<TickEnv> {
  constructor(scope: Construct, id: string, { config, store }: TickFunctionProps) {
    super(scope, id, config, {
      folder: 'tick',
      description: 'Creates due occurrences and advances their schedules',
      memorySize: config.tickMemoryMb,
      reservedConcurrentExecutions: config.tickReservedConcurrency,
      environment: {
        ...store.environment,
        SHARD_COUNT: String(config.shardCount),
        SHARDS_PER_INVOCATION: String(config.shardsPerInvocation),
        LEAD_SECONDS: String(config.leadSeconds),
        PLAN_WINDOW_SECONDS: String(config.planWindowSeconds),
        RETENTION_DAYS: String(config.retentionDays),
      },
      grants: [
        onIndex(store.schedules, DUE_INDEX, 'Query'),
        // Update: heads, backfills, shard leases and the largest shard count. Get: the schedule of a backfill.
        onTable(store.schedules, 'BatchGetItem', 'GetItem', 'UpdateItem'),
        // All but PutItem are for backfills: what they have made and what became of it, and what is to stop;
        // and to see whether anything is open of a schedule that is to be deleted once nothing is.
        onTable(store.occurrences, 'BatchGetItem', 'PutItem', 'Query', 'UpdateItem'),
        onIndex(store.occurrences, OPEN_INDEX, 'Query'),
        // Who waits for a slot: whoever gives a place back hands it to the first.
        onIndex(store.occurrences, WAITING_INDEX, 'Query'),
        ...keyGrants(config, ['useTables']),
      ],
    });
    this.grantApart(
      'FanOut',
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.lambda.functionArn] }),
    );
    new EveryMinute(this, 'Clock', { target: this.lambda, description: 'Starts the tick' });
  }
}
