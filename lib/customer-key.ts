import { Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';

const ID = 'CustomerKey';

/**
 * The key that the deployer has named, or undefined: then each service encrypts with a key of its own. It is
 * theirs, and so is its policy, which has to name CloudWatch Logs and CloudWatch (docs/deploy.md).
 */
export function customerKey(scope: Construct, { kmsKeyArn }: Pick<Config, 'kmsKeyArn'>): IKey | undefined {
  if (kmsKeyArn === undefined) return undefined;
  const stack = Stack.of(scope);
  return (stack.node.tryFindChild(ID) as IKey | undefined) ?? Key.fromKeyArn(stack, ID, kmsKeyArn);
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
export function keyGrants({ kmsKeyArn }: Pick<Config, 'kmsKeyArn'>, uses: readonly KeyUse[]) {
  if (kmsKeyArn === undefined) return [];
  return uses.map((use) => {
    const { service, actions } = USES[use];
    return new PolicyStatement({
      actions: actions.map((action) => `kms:${action}`),
      resources: [kmsKeyArn],
      conditions: {
        StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}` },
      },
    });
  });
}
