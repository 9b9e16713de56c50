import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  FilterCriteria,
  type IEventSourceDlq,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { RelayEnv } from '../lambdas/contract/env.ts';
import { RELAY_FILTER } from '../lambdas/contract/tables.ts';
import { OUTBOX } from '../lambdas/contract/topology.ts';
import type { Config } from './config.ts';
import { keyGrants } from './customer-key.ts';
import { PunctualFunction } from './punctual-function.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** AWS: names of the objects that an event source mapping writes to its on-failure bucket. */
const KEPT_UNDER = 'aws/lambda/*';

export interface RelayFunctionProps {
  readonly config: Config;
  readonly store: ScheduleStore;
  readonly workQueue: Queue;
  readonly failedRecords: Bucket;
}

/** Reads the outbox, which is the stream of the occurrences table, and hands what is pending to the work queue. */
export class RelayFunction extends PunctualFunction<RelayEnv> {
  readonly source: EventSourceMapping;

  constructor(scope: Construct, id: string, props: RelayFunctionProps) {
    const { config, store, workQueue, failedRecords } = props;
    const streamArn = store.occurrences.tableStreamArn;
    if (streamArn === undefined) throw new Error('The occurrences table has no stream.');
    super(scope, id, config, {
      folder: 'relay',
      description: 'Hands pending occurrences from the stream to the work queue',
      reservedConcurrentExecutions: config.relayReservedConcurrency,
      environment: { WORK_QUEUE_URL: workQueue.queueUrl },
      grants: [
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [workQueue.queueArn] }),
        new PolicyStatement({
          actions: [
            'dynamodb:DescribeStream',
            'dynamodb:GetRecords',
            'dynamodb:GetShardIterator',
            'dynamodb:ListStreams',
          ],
          resources: [streamArn],
        }),
        // Lambda keeps failed records with the function's role, and checks that the bucket is there.
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: [failedRecords.bucketArn] }),
        new PolicyStatement({
          actions: ['s3:PutObject'],
          resources: [failedRecords.arnForObjects(KEPT_UNDER)],
        }),
        ...keyGrants(config, ['readStream', 'sendMessages', 'putObjects']),
      ],
    });
    const bucketId = Stack.of(this).getLogicalId(failedRecords.node.defaultChild as CfnBucket);
    Validations.of(this.role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/${KEPT_UNDER}]`,
      reason: 'Lambda chooses the names of the objects that it keeps failed records in.',
    });
    this.source = new EventSourceMapping(this, 'Outbox', {
      target: this.lambda,
      eventSourceArn: streamArn,
      // What was written while the mapping was away is still handed over.
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter({ ...RELAY_FILTER, eventName: [...RELAY_FILTER.eventName] })],
      batchSize: OUTBOX.batchSize,
      parallelizationFactor: OUTBOX.parallelizationFactor,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: OUTBOX.retryAttempts,
      maxRecordAge: Duration.seconds(OUTBOX.maxRecordAgeSeconds),
      onFailure: keepIn(failedRecords),
      supportS3OnFailureDestination: true,
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    // The mapping is refused while the role cannot read the stream yet.
    this.source.node.addDependency(this.role);
  }
}

/** As CDK's S3OnFailureDestination, without its right to read, overwrite and delete in the whole bucket. */
function keepIn(bucket: Bucket): IEventSourceDlq {
  return { bind: () => ({ destination: bucket.bucketArn }) };
}
