import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionName } from '../lambdas/contract/topology.ts';
import { ApiFunction } from './api-function.ts';
import type { Config } from './config.ts';
import { admitServices } from './customer-key.ts';
import { FailedRecords } from './failed-records.ts';
import { PunctualHttpApi } from './http-api.ts';
import { Monitoring } from './monitoring.ts';
import { type PunctualProps, resolveProps } from './punctual-props.ts';
import { RelayFunction } from './relay-function.ts';
import { ScheduleStore } from './schedule-store.ts';
import { SweepFunction } from './sweep-function.ts';
import { TickFunction } from './tick-function.ts';
import { WorkQueue } from './work-queue.ts';
import { WorkerFunction } from './worker-function.ts';

/** A whole scheduler, for a stack of your own. Several may live side by side; they share nothing. */
export class Punctual extends Construct {
  /** Heads, revisions, calendars, groups and backfills. */
  readonly schedulesTable: Table;
  /** The ledger. Its stream feeds the relay. */
  readonly occurrencesTable: Table;
  readonly workQueue: Queue;
  readonly deadLetterQueue: Queue;
  /** Stream records that the relay could not hand to the queue. */
  readonly failedRecords: Bucket;
  readonly functions: Readonly<Record<FunctionName, LambdaFunction>>;
  readonly httpApi: HttpApi;
  readonly apiUrl: string;
  /** Where alarms go. Undefined when `monitoring` is false. */
  readonly alarmTopic: Topic | undefined;
  private readonly config: Config;

  constructor(scope: Construct, id: string, props: PunctualProps = {}) {
    super(scope, id);
    const config = resolveProps(this, props);
    this.config = config;
    if (config.encryptionKey) admitServices(config.encryptionKey, this, config.name);

    const store = new ScheduleStore(this, 'Store', config);
    const { queue: workQueue, deadLetters } = new WorkQueue(this, 'Queue', config);
    const { bucket: failedRecords } = new FailedRecords(this, 'FailedRecords', config);

    const tick = new TickFunction(this, 'Tick', { config, store });
    const relay = new RelayFunction(this, 'Relay', { config, store, workQueue, failedRecords });
    const worker = new WorkerFunction(this, 'Worker', { config, store, workQueue, deadLetters });
    const sweep = new SweepFunction(this, 'Sweep', { config, store, workQueue });
    const api = new ApiFunction(this, 'Api', { config, store });
    this.functions = {
      tick: tick.lambda,
      relay: relay.lambda,
      worker: worker.lambda,
      sweep: sweep.lambda,
      api: api.lambda,
    };
    worker.denyInvoking(Object.values(this.functions));

    const http = new PunctualHttpApi(this, 'Http', { config, handler: api.lambda });
    this.schedulesTable = store.schedules;
    this.occurrencesTable = store.occurrences;
    this.workQueue = workQueue;
    this.deadLetterQueue = deadLetters;
    this.failedRecords = failedRecords;
    this.httpApi = http.api;
    this.apiUrl = http.url;
    this.alarmTopic = config.monitoring
      ? new Monitoring(this, 'Monitoring', {
          config,
          watched: {
            functions: this.functions,
            tables: { schedules: store.schedules, occurrences: store.occurrences },
            outbox: relay.source,
            workQueue,
            deadLetters,
            http: http.api,
          },
        }).topic
      : undefined;
  }

  /** Lets a role call every route of the API with signed requests. */
  grantInvokeApi(grantee: IGrantable): Grant {
    if (this.config.jwtIssuer !== undefined) {
      throw new Error(
        `The API of ${this.node.path} takes tokens of ${this.config.jwtIssuer}, not signed requests. ` +
          'Let that issuer give the caller a token, or remove jwtIssuer.',
      );
    }
    return Grant.addToPrincipal({
      grantee,
      actions: ['execute-api:Invoke'],
      resourceArns: [this.httpApi.arnForExecuteApi('*', '/*', '$default')],
    });
  }
}
