import type { RetryStrategyV2, RetryToken } from '@smithy/types';
import { createRetryStrategy } from '../../../lambdas/adapters/aws/retry-strategy.ts';
import type { EpochMs } from '../../../lambdas/core/time.ts';

/**
 * The retries of production by the world's clock: the SDK's own pauses would be of real time, so that it is told of none.
 * Chance is the worst that it can be, the same in each run.
 */
export function retryByClock(now: () => EpochMs, sleep: (ms: number) => Promise<void>): RetryStrategyV2 {
  const strategy = createRetryStrategy({ now, random: () => 1, timeLeft: () => Number.POSITIVE_INFINITY });
  return {
    acquireInitialRetryToken: (scope) => strategy.acquireInitialRetryToken(scope),
    async refreshRetryTokenForRetry(last: RetryToken, info) {
      const next = await strategy.refreshRetryTokenForRetry(last, info);
      await sleep(next.getRetryDelay());
      return { ...next, getRetryDelay: () => 0 };
    },
    recordSuccess: (token) => strategy.recordSuccess(token),
  };
}
