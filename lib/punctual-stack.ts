import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { StackConfig } from './config.ts';
import { Punctual } from './punctual.ts';

/** One environment of Punctual. Bound to no account and no Region: it deploys wherever the credentials point. */
export class PunctualStack extends Stack {
  constructor(scope: Construct, id: string, { stackName, kmsKeyArn, ...settings }: StackConfig) {
    super(scope, id, { stackName, description: 'Punctual: a serverless distributed cron and job scheduler' });
    // `Default` adds nothing to logical ids.
    const punctual = new Punctual(this, 'Default', {
      ...settings,
      name: stackName,
      ...(kmsKeyArn !== undefined && { encryptionKey: Key.fromKeyArn(this, 'CustomerKey', kmsKeyArn) }),
    });
    const outputs = {
      ApiUrl: punctual.apiUrl,
      SchedulesTableName: punctual.schedulesTable.tableName,
      OccurrencesTableName: punctual.occurrencesTable.tableName,
      WorkQueueUrl: punctual.workQueue.queueUrl,
      DeadLetterQueueUrl: punctual.deadLetterQueue.queueUrl,
      FailedRecordsBucketName: punctual.failedRecords.bucketName,
      ...(punctual.alarmTopic && { AlarmTopicArn: punctual.alarmTopic.topicArn }),
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
