import { StandardRetryStrategy } from '@smithy/core/retry';
import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';

/** AWS: no pause of the SDK is longer. */
const LONGEST_PAUSE = 20_000;
/** The SDK sleeps by itself and writes down for how long: a millionth of it is no time, and says it all the same. */
const SCALE = 1e-6;

/** The longest pause that the SDK's chance could draw, so that a run takes the same course each time. */
class LongestPause {
  #base = 0;

  setDelayBase(base: number): void {
    this.#base = base;
  }

  computeNextBackoffDelay(retries: number): number {
    return SCALE * Math.min(this.#base * 2 ** retries, LONGEST_PAUSE);
  }
}

/** The SDK's own rule of what is tried again, how often and after how long; only that `sleep` takes the time. */
export function retryByClock(
  options: { readonly maxAttempts: number; readonly baseDelay: number },
  sleep: (ms: number) => Promise<void>,
): RetryStrategyV2 {
  const sdk = new StandardRetryStrategy({ ...options, backoff: new LongestPause() });
  type Token = Awaited<ReturnType<typeof sdk.refreshRetryTokenForRetry>>;
  return {
    acquireInitialRetryToken: (scope) => sdk.acquireInitialRetryToken(scope),
    async refreshRetryTokenForRetry(last: RetryToken, info: RetryErrorInfo) {
      const next: Token = await sdk.refreshRetryTokenForRetry(last as Token, info);
      await sleep(Math.round((next.$retryLog?.acquisitionDelay ?? 0) / SCALE));
      return next;
    },
    recordSuccess: (token) => sdk.recordSuccess(token as Token),
  };
}
