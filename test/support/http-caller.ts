import { createSecretStore } from '../../lambdas/adapters/secrets/secret-store.ts';
import type { AddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import { createHttpCaller } from '../../lambdas/adapters/targets/http/call.ts';
import { createRequestSender } from '../../lambdas/adapters/targets/http/request.ts';
import { NOON } from './fixtures.ts';

const noSecrets = createSecretStore((arn) => Promise.reject(new Error(`Nobody asked for ${arn}.`)), {
  now: () => NOON,
});

/** Calls without secrets. */
export const callerThrough = (guard: AddressGuard, bodyWithin?: number) =>
  createHttpCaller(createRequestSender(guard, bodyWithin), noSecrets);
