import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';

/**
 * Two services use the key in their own name and not in that of a role. A key that is made in the app is told so here;
 * the policy of an imported one is its owner's (docs/deploy.md), and CDK leaves it alone.
 */
export function admitServices(key: IKey, scope: Construct, name: string): void {
  const stack = Stack.of(scope);
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: `LogsOf${name.replaceAll('-', '')}`,
      principals: [new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`)],
      actions: ['Encrypt', 'Decrypt', 'ReEncrypt*', 'GenerateDataKey*', 'DescribeKey'].map(
        (action) => `kms:${action}`,
      ),
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': stack.formatArn({
            service: 'logs',
            resource: 'log-group',
            resourceName: `${stack.stackName}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: `AlarmsOf${name.replaceAll('-', '')}`,
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: {
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        ArnLike: {
          'aws:SourceArn': stack.formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: `${name}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
}

/**
 * What a role needs of the key, by what it does with a service. For tables these are the actions of CDK's own
 * grants with their wildcards written out; for queues and buckets those that AWS names (SQS: Key management;
 * Lambda: Retaining records of failed invocations). A stream is read with its table's key.
 */
const USES = {
  readStream: { service: 'dynamodb', actions: ['Decrypt', 'DescribeKey'] },
  useTables: {
    service: 'dynamodb',
    actions: [
      'Decrypt',
      'DescribeKey',
      'Encrypt',
      'GenerateDataKey',
      'GenerateDataKeyWithoutPlaintext',
      'ReEncryptFrom',
      'ReEncryptTo',
    ],
  },
  // A sender decrypts as well: SQS uses the data key again and checks it first.
  sendMessages: { service: 'sqs', actions: ['Decrypt', 'GenerateDataKey'] },
  putObjects: { service: 's3', actions: ['GenerateDataKey'] },
} as const;

export type KeyUse = keyof typeof USES;

/** Only through the service: a role can neither decrypt nor encrypt anything by itself. Empty without a key. */
export function keyGrants({ encryptionKey }: Pick<Config, 'encryptionKey'>, uses: readonly KeyUse[]) {
  if (encryptionKey === undefined) return [];
  return uses.map((use) => {
    const { service, actions } = USES[use];
    return new PolicyStatement({
      actions: actions.map((action) => `kms:${action}`),
      resources: [encryptionKey.keyArn],
      conditions: {
        StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}` },
      },
    });
  });
}
