import type { Context } from 'aws-lambda';
import type { ApiEnv, EnvironmentOf } from '../../lambdas/contract/env.ts';
import type { Stores } from './stores.ts';

export type ApiHandler = (event: unknown, context: Context) => Promise<unknown>;

/**
 * The api function as deployed, over these stores. It reads the environment of this process when it is imported, as
 * it does in Lambda: once in a process, and what is set stays set.
 */
export async function importApiHandler(
  stores: Stores,
  allowed: { readonly targets: readonly string[]; readonly secrets: readonly string[] },
): Promise<ApiHandler> {
  const environment: EnvironmentOf<ApiEnv> = {
    SCHEDULES_TABLE_NAME: stores.schedulesTable,
    OCCURRENCES_TABLE_NAME: stores.occurrencesTable,
    SHARD_COUNT: '4',
    LEAD_SECONDS: '120',
    PLAN_WINDOW_SECONDS: '600',
    RETENTION_DAYS: '30',
    ALLOWED_TARGETS: allowed.targets.join(','),
    ALLOWED_SECRETS: allowed.secrets.join(','),
  };
  Object.assign(process.env, environment, {
    AWS_ENDPOINT_URL_DYNAMODB: stores.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  const { handler } = (await import('../../lambdas/api/handler.ts')) as unknown as { handler: ApiHandler };
  return handler;
}
