import { toWire } from '../../../core/attempt/invocation.ts';
import type { CallResult, Invocation } from '../../../core/ports/target-caller.ts';
import type { HttpTarget } from '../../../core/targets/http/http.ts';
import { fillTarget } from '../../../core/targets/http/http.ts';
import { type EpochMs, SECOND, toIso } from '../../../core/time.ts';
import { SecretFault } from '../../secrets/secret-fault.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import { messageOf, payloadOf } from '../payload.ts';
import { ForbiddenAddressError } from './address-guard.ts';
import { sayFault } from './fault.ts';
import type { SendRequest } from './request.ts';
import { resultOf } from './result.ts';
import { type CallSecrets, secretsFor, withoutSecrets } from './secrets.ts';
import { signatureOf } from './signature.ts';

const UNAUTHORIZED = 401;

/**
 * Calls an http target once. 2xx is success; 408, 425, 429, 5xx, faults of the network and of secrets may be tried
 * again; any other answer, redirects included, fails at once, and 410 pauses the schedule. Redirects are not
 * followed: where one leads was not checked when the schedule was made.
 */
export function createHttpCaller(send: SendRequest, store: SecretStore) {
  return async function call(
    named: HttpTarget,
    invocation: Invocation,
    now: EpochMs,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const target = fillTarget(named, toWire(invocation));
    let secrets: CallSecrets | undefined;
    const clean = (text: string) => withoutSecrets(text, secrets?.all ?? []);
    try {
      secrets = await secretsFor(store, target, signal);
      const body = payloadOf(invocation);
      const { url, method } = target;
      const answer = await send(
        { url, method, headers: headersOf(secrets, invocation, now, body), body },
        signal,
      );
      const result = resultOf(answer, now, clean);
      return answer.status === UNAUTHORIZED ? { ...result, ...afterUnauthorized(secrets) } : result;
    } catch (error) {
      const cause = signal.aborted && signal.reason instanceof Error ? signal.reason : error;
      const said = sayFault(cause, new URL(target.url).host) ?? messageOf(cause);
      return { kind: 'failed', retryable: isRetryable(error), detail: clean(said) };
    }
  };
}

/**
 * A secret that another call was made with may have been exchanged since: the next attempt fetches it. One that
 * was fetched for this very call is refused as it is, and trying again would not help.
 */
function afterUnauthorized({ inHeaders }: CallSecrets): { readonly retryable?: true } {
  for (const { forget } of inHeaders) forget();
  return inHeaders.some(({ fromCache }) => fromCache) ? { retryable: true } : {};
}

/** A fault of a secret is: nothing was called, and it is mended without an edit of the schedule. */
const isRetryable = (error: unknown): boolean =>
  error instanceof SecretFault || !(error instanceof ForbiddenAddressError);

function headersOf(
  { headers, signingKeys }: CallSecrets,
  invocation: Invocation,
  now: EpochMs,
  body: string,
) {
  const { idempotencyKey } = invocation;
  const seconds = Math.floor(now / SECOND);
  return {
    ...headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'punctual/0.1',
    'idempotency-key': idempotencyKey,
    // Standard Webhooks: the id is the same for every attempt, the timestamp is the attempt's, in seconds.
    'webhook-id': idempotencyKey,
    'webhook-timestamp': String(seconds),
    ...(signingKeys.length > 0 && {
      'webhook-signature': signatureOf(signingKeys, idempotencyKey, seconds, body),
    }),
    'punctual-scheduled-time': toIso(invocation.scheduledTime),
    'punctual-attempt': String(invocation.attempt),
    'punctual-fencing-token': String(invocation.fencingToken),
    ...(invocation.completionToken !== undefined && {
      'punctual-completion-token': invocation.completionToken,
    }),
  };
}
