import { Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type IFunction, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { arnKind } from '../lambdas/contract/allow/arns.ts';
import type { WorkerEnv } from '../lambdas/contract/env.ts';
import { LAST_SUCCESS_ATTRIBUTE, OPEN_INDEX, WAITING_INDEX } from '../lambdas/contract/tables.ts';
import { WORK_QUEUE } from '../lambdas/contract/topology.ts';
import { allowedEnvironment, grantsFor } from './allowed.ts';
import type { Config } from './config.ts';
import { keyGrants } from './customer-key.ts';
import { PunctualFunction } from './punctual-function.ts';
import { onAttributes, onIndex, onTable, SCHEDULE_ITEMS, type ScheduleStore } from './schedule-store.ts';

export interface WorkerFunctionProps {
  readonly config: Config;
  readonly store: ScheduleStore;
  readonly workQueue: Queue;
  readonly deadLetters: Queue;
}

/** Runs occurrences: claims, calls the target, renews, settles. */
export class WorkerFunction extends PunctualFunction<WorkerEnv> {
  constructor(scope: Construct, id: string, props: WorkerFunctionProps) {
    const { config, store, workQueue, deadLetters } = props;
    const heads = onTable(store.schedules, 'PutItem');
    heads.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [SCHEDULE_ITEMS] });
    super(scope, id, config, {
      folder: 'worker',
      description: 'Runs due occurrences under a lease',
      memorySize: config.workerMemoryMb,
      // A message that comes early is sent on, at most 15 minutes further each time: a retry that waits half a
      // day passes here 48 times. Lambda takes more than 16 for an endless loop and would stop it.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...store.environment,
        SHARD_COUNT: String(config.shardCount),
        RETENTION_DAYS: String(config.retentionDays),
        WORK_QUEUE_URL: workQueue.queueUrl,
        DEAD_LETTER_QUEUE_URL: deadLetters.queueUrl,
        LEASE_SECONDS: String(config.leaseSeconds),
        ...allowedEnvironment(config),
        HTTP_ALLOWED_RANGES: config.httpAllowedRanges.join(','),
      },
      grants: [
        // BatchGetItem: versions of calendars, and what heads leave to their revisions.
        onTable(store.schedules, 'BatchGetItem', 'GetItem'),
        // Query: the ledger, whether the latest have all failed; and with the index what a pause then cancels.
        onTable(store.occurrences, 'BatchGetItem', 'GetItem', 'Query', 'UpdateItem'),
        onIndex(store.occurrences, OPEN_INDEX, 'Query'),
        // Who waits for a slot: whoever gives a place back hands it to the first.
        onIndex(store.occurrences, WAITING_INDEX, 'Query'),
        heads,
        // When a schedule that is watched last succeeded.
        onAttributes(onTable(store.schedules, 'UpdateItem'), LAST_SUCCESS_ATTRIBUTE),
        new PolicyStatement({
          actions: [
            'sqs:ChangeMessageVisibility',
            'sqs:DeleteMessage',
            'sqs:GetQueueAttributes',
            'sqs:ReceiveMessage',
            'sqs:SendMessage',
          ],
          resources: [workQueue.queueArn],
        }),
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }),
        ...grantsFor([...config.allowedTargets, ...config.allowedSecrets]),
        ...keyGrants(config, ['useTables', 'sendMessages']),
      ],
    });
    for (const pattern of [...config.allowedTargets, ...config.allowedSecrets].filter(arnKind)) {
      Validations.of(this.role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${pattern}]`,
        reason: 'The deployer allows these by a pattern of their own.',
      });
    }
    const source = new EventSourceMapping(this, 'Work', {
      target: this.lambda,
      eventSourceArn: workQueue.queueArn,
      batchSize: WORK_QUEUE.batchSize,
      reportBatchItemFailures: true,
      ...(config.workerMaxConcurrency !== undefined && { maxConcurrency: config.workerMaxConcurrency }),
      ...(config.workerMinPollers !== undefined &&
        config.workerMaxPollers !== undefined && {
          provisionedPollerConfig: {
            minimumPollers: config.workerMinPollers,
            maximumPollers: config.workerMaxPollers,
          },
        }),
    });
    // The mapping is refused while the role cannot read the queue yet.
    source.node.addDependency(this.role);
  }

  /**
   * Whatever `allowedTargets` covers, no schedule may invoke the scheduler's own functions:
   * the api function believes what API Gateway says about the caller.
   */
  denyInvoking(functions: readonly IFunction[]): void {
    this.grantApart(
      'NeverItself',
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['lambda:InvokeFunction'],
        resources: functions.flatMap(({ functionArn }) => [functionArn, `${functionArn}:*`]),
      }),
    );
  }
}
