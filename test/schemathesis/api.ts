import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { type Gateway, startGateway } from '../../local/gateway/server.ts';
import { LOCAL } from '../../local/settings.ts';
import { importApiHandler } from '../support/api-handler.ts';
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
  const { allowedTargets: targets, allowedSecrets: secrets } = LOCAL;
  const handler = await importApiHandler(stores, { targets, secrets });
  const faults: string[] = [];
  const invoke = (event: unknown) =>
    handler(event, {
      awsRequestId: randomUUID(),
      functionName: 'api',
      memoryLimitInMB: '512',
      getRemainingTimeInMillis: () => 29_000,
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
