import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ApiFunction } from './api-function.ts';
import type { Config } from './config.ts';
import { FailedRecords } from './failed-records.ts';
import { PunctualHttpApi } from './http-api.ts';
import { Monitoring } from './monitoring.ts';
import { RelayFunction } from './relay-function.ts';
import { ScheduleStore } from './schedule-store.ts';
import { SweepFunction } from './sweep-function.ts';
import { TickFunction } from './tick-function.ts';
import { WorkQueue } from './work-queue.ts';
import { WorkerFunction } from './worker-function.ts';

/** One environment of Punctual. Bound to no account and no Region: it deploys wherever the credentials point. */
export class PunctualStack extends Stack {
  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id, {
      stackName: config.stackName,
      description: 'Punctual: a serverless distributed cron and job scheduler',
    });
    const store = new ScheduleStore(this, 'Store', config);
    const { queue: workQueue, deadLetters } = new WorkQueue(this, 'Queue', config);
    const { bucket: failedRecords } = new FailedRecords(this, 'FailedRecords', config);

    const tick = new TickFunction(this, 'Tick', { config, store });
    const relay = new RelayFunction(this, 'Relay', { config, store, workQueue, failedRecords });
    const worker = new WorkerFunction(this, 'Worker', { config, store, workQueue, deadLetters });
    const sweep = new SweepFunction(this, 'Sweep', { config, store, workQueue });
    const api = new ApiFunction(this, 'Api', { config, store });
    worker.denyInvoking([tick, relay, worker, sweep, api].map(({ lambda }) => lambda));

    const http = new PunctualHttpApi(this, 'Http', { config, handler: api.lambda });
    const monitoring = config.monitoring
      ? new Monitoring(this, 'Monitoring', {
          config,
          watched: {
            functions: {
              tick: tick.lambda,
              relay: relay.lambda,
              worker: worker.lambda,
              sweep: sweep.lambda,
              api: api.lambda,
            },
            tables: { schedules: store.schedules, occurrences: store.occurrences },
            outbox: relay.source,
            workQueue,
            deadLetters,
            http: http.api,
          },
        })
      : undefined;

    const outputs = {
      ApiUrl: http.url,
      SchedulesTableName: store.schedules.tableName,
      OccurrencesTableName: store.occurrences.tableName,
      WorkQueueUrl: workQueue.queueUrl,
      DeadLetterQueueUrl: deadLetters.queueUrl,
      FailedRecordsBucketName: failedRecords.bucketName,
      ...(monitoring && { AlarmTopicArn: monitoring.topic.topicArn }),
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
