import { LRUCache } from 'lru-cache';
import type { SecretRef } from '../../core/targets/http/secret-ref.ts';
import { MINUTE } from '../../core/time.ts';
import { SecretFault } from './secret-fault.ts';

/** Milliseconds that a value is used for, however well it works: a secret that was exchanged is in force this soon. */
export const MAX_SECRET_AGE = 5 * MINUTE;
const MAX_SECRETS = 500;

export interface Secret {
  readonly value: string;
  /** It was fetched for an earlier call, and may have been exchanged since. */
  readonly fromCache: boolean;
  /** For one that did not work: the next read fetches it anew. */
  readonly forget: () => void;
}

export interface SecretStore {
  /** Throws a `SecretFault`, or what `signal` is aborted with. */
  read(ref: SecretRef, signal: AbortSignal): Promise<Secret>;
}

/** Secrets in the memory of a warm function, and nowhere else. Calls side by side share one fetch. */
export function createSecretStore(
  fetch: (arn: string) => Promise<string>,
  clock: { readonly now: () => number },
): SecretStore {
  const cache = new LRUCache<string, string>({
    max: MAX_SECRETS,
    ttl: MAX_SECRET_AGE,
    ttlResolution: 0,
    perf: clock,
    fetchMethod: fetch,
    // Whoever waits for it gets it, also when it has been pushed out of the cache meanwhile.
    ignoreFetchAbort: true,
  });
  return {
    async read(ref, signal) {
      const status: LRUCache.Status<string, string> = {};
      const text = (await unlessAborted(cache.fetch(ref.secret, { status }), signal)) ?? '';
      const forget = () => {
        // Not one that somebody has fetched since.
        if (cache.peek(ref.secret) === text) cache.delete(ref.secret);
      };
      try {
        return { value: textIn(ref, text), fromCache: status.fetch === 'hit', forget };
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

function textIn({ secret, field }: SecretRef, text: string): string {
  const value = field === undefined ? text : memberOf(secret, field, text);
  if (value === '') throw new SecretFault(`${secret} is empty.`);
  return value;
}

function memberOf(secret: string, field: string, text: string): string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SecretFault(`${secret} is not JSON, and so has no member "${field}".`);
  }
  const isObject = typeof json === 'object' && json !== null && Object.hasOwn(json, field);
  const value = isObject ? (json as Record<string, unknown>)[field] : undefined;
  if (typeof value !== 'string') throw new SecretFault(`${secret} has no text under "${field}".`);
  return value;
}

/** The fetch goes on: others may wait for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
