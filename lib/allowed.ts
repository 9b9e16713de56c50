import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type ArnKind, arnKind } from '../lambdas/contract/allow/arns.ts';
import type { EnvironmentOf, WorkerEnv } from '../lambdas/contract/env.ts';
import type { Config } from './config.ts';

/** What the worker does with a target, or a secret, of each kind. */
const ACTIONS: Readonly<Record<ArnKind, string>> = {
  lambda: 'lambda:InvokeFunction',
  sqs: 'sqs:SendMessage',
  sns: 'sns:Publish',
  eventBus: 'events:PutEvents',
  stateMachine: 'states:StartExecution',
  secret: 'secretsmanager:GetSecretValue',
  parameter: 'ssm:GetParameter',
  encryptionKey: 'kms:Decrypt',
};

/** A key decrypts for the two services that keep secrets, in any Region, and for the worker itself nothing. */
const THROUGH_SERVICES = {
  StringLike: { 'kms:ViaService': ['secretsmanager.*', 'ssm.*'] },
};

/**
 * Nothing by default. What is allowed is what the deployer has named, word for word, so that IAM and the functions
 * agree. Hosts need no permission of AWS's.
 */
export function grantsFor(entries: readonly string[]): PolicyStatement[] {
  return (Object.keys(ACTIONS) as ArnKind[])
    .map((kind) => ({ kind, resources: entries.filter((entry) => arnKind(entry) === kind) }))
    .filter(({ resources }) => resources.length > 0)
    .map(
      ({ kind, resources }) =>
        new PolicyStatement({
          actions: [ACTIONS[kind]],
          resources,
          ...(kind === 'encryptionKey' && { conditions: THROUGH_SERVICES }),
        }),
    );
}

/** The same lists for the functions, which ask before IAM would. */
export function allowedEnvironment(
  config: Pick<Config, 'allowedTargets' | 'allowedSecrets'>,
): Pick<EnvironmentOf<WorkerEnv>, 'ALLOWED_TARGETS' | 'ALLOWED_SECRETS'> {
  return {
    ALLOWED_TARGETS: config.allowedTargets.join(','),
    ALLOWED_SECRETS: config.allowedSecrets.join(','),
  };
}
