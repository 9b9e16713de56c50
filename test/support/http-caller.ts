import { createSecretStore } from '../../lambdas/adapters/secrets/secret-store.ts';
import type { AddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import { createHttpCaller } from '../../lambdas/adapters/targets/http/call.ts';
import { type ConnectionLimits, createConnections } from '../../lambdas/adapters/targets/http/connections.ts';
import { createRequestSender } from '../../lambdas/adapters/targets/http/request.ts';
import { NOON } from './fixtures.ts';

const noSecrets = createSecretStore((arn) => Promise.reject(new Error(`Nobody asked for ${arn}.`)), {
  now: () => NOON,
});

interface Options {
  readonly bodyWithin?: number;
  readonly now?: () => number;
  readonly limits?: ConnectionLimits;
}

/** Sends without secrets, or anything else around it. */
export const senderThrough = (guard: AddressGuard, { bodyWithin, now = Date.now, limits }: Options = {}) =>
  createRequestSender(guard, createConnections(now, limits), bodyWithin);

/** Calls without secrets. */
export const callerThrough = (guard: AddressGuard, options?: Options) =>
  createHttpCaller(senderThrough(guard, options), noSecrets);
