import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import type { ApiEnv, EnvironmentOf } from '../../lambdas/contract/env.ts';
import { type Gateway, startGateway } from '../../local/gateway/server.ts';
import { LOCAL } from '../../local/settings.ts';
import { openStores } from '../support/stores.ts';

export interface ServedApi {
  readonly url: string;
  /** What went wrong around the function, such as an answer that never came. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/**
 * The deployed handler behind the gateway of the embedded run, on tables in memory. No tick, relay or worker runs
 * beside it: nothing that is made here is ever started, so that no target is called, whatever its address.
 */
export async function serveApi(): Promise<ServedApi> {
  const stores = await openStores();
  const environment: EnvironmentOf<ApiEnv> = {
    SCHEDULES_TABLE_NAME: stores.schedulesTable,
    OCCURRENCES_TABLE_NAME: stores.occurrencesTable,
    SHARD_COUNT: '4',
    LEAD_SECONDS: '120',
    PLAN_WINDOW_SECONDS: '600',
    RETENTION_DAYS: '30',
    ALLOWED_TARGETS: LOCAL.allowedTargets.join(','),
    ALLOWED_SECRETS: LOCAL.allowedSecrets.join(','),
  };
  Object.assign(process.env, environment, {
    AWS_ENDPOINT_URL_DYNAMODB: stores.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const { handler } = (await import('../../lambdas/api/handler.ts')) as unknown as {
    handler: (event: unknown, context: Context) => Promise<unknown>;
  };
  const faults: string[] = [];
  const invoke = (event: unknown) =>
    handler(event, {
      awsRequestId: randomUUID(),
      functionName: 'api',
      memoryLimitInMB: '512',
    } as Context);
  const gateway: Gateway = await startGateway({ invoke }, 0, { onError: (fault) => faults.push(fault) });
  return {
    url: gateway.url,
    faults,
    async close() {
      await gateway.close();
      await stores.close();
    },
  };
}
