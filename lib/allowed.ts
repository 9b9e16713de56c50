import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { arnForm, SECRET_FORMS, TARGET_FORMS } from '../lambdas/contract/allow/arns.ts';
import type { EnvironmentOf, WorkerEnv } from '../lambdas/contract/env.ts';
import type { Config } from './config.ts';

/** A key decrypts for the two services that keep secrets, in any Region, and for the worker itself nothing. */
const THROUGH_SERVICES = {
  StringLike: { 'kms:ViaService': ['secretsmanager.*', 'ssm.*'] },
};

/**
 * Nothing by default. What is allowed is what the deployer has named, word for word, so that IAM and the functions
 * agree. Hosts need no permission of AWS's.
 */
export function grantsFor(entries: readonly string[]): PolicyStatement[] {
  return [...TARGET_FORMS, ...SECRET_FORMS]
    .map((form) => ({ form, resources: entries.filter((entry) => arnForm(entry) === form) }))
    .filter(({ resources }) => resources.length > 0)
    .map(
      ({ form: { kind, action }, resources }) =>
        new PolicyStatement({
          actions: [action],
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
