import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { ROOT } from '../support/root.ts';

/** What schedules of the test call: a queue, and a function that reports its calls on that queue. */
const app = new App();
const stack = new Stack(app, app.node.getContext('targets'));

const arrivals = new Queue(stack, 'Arrivals', { retentionPeriod: Duration.hours(1) });
const probe = new NodejsFunction(stack, 'Probe', {
  entry: `${ROOT}test/e2e/targets/probe.ts`,
  projectRoot: ROOT,
  depsLockFilePath: `${ROOT}package-lock.json`,
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  memorySize: 256,
  timeout: Duration.minutes(1),
  environment: { ARRIVALS_QUEUE_URL: arrivals.queueUrl },
  logGroup: new LogGroup(stack, 'Logs', { removalPolicy: RemovalPolicy.DESTROY }),
  bundling: {
    format: OutputFormat.ESM,
    mainFields: ['module', 'main'],
    target: 'node24',
    externalModules: [],
  },
});
arrivals.grantSendMessages(probe);

new CfnOutput(stack, 'QueueUrl', { value: arrivals.queueUrl });
new CfnOutput(stack, 'QueueArn', { value: arrivals.queueArn });
new CfnOutput(stack, 'FunctionArn', { value: probe.functionArn });
