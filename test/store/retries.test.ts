import type { RetryErrorInfo } from '@smithy/types';
import { describe, expect, it } from 'vitest';
import { CONFLICT, createRetryStrategy, RETRY_WITHIN } from '../../lambdas/adapters/aws/retry-strategy.ts';
import { SECOND } from '../../lambdas/core/time.ts';

const met = Object.assign(new Error(), { [CONFLICT]: true }) as unknown as NonNullable<
  RetryErrorInfo['error']
>;
const conflict: RetryErrorInfo = { errorType: 'TRANSIENT', error: met };
const throttled: RetryErrorInfo = { errorType: 'THROTTLING' };
const fault: RetryErrorInfo = { errorType: 'TRANSIENT' };

/** Pauses between the tries of a call that always fails so, the latest possible ones unless `random` says otherwise. */
async function pauses(
  failure: RetryErrorInfo,
  { random = 1, left = Number.POSITIVE_INFINITY, takes = 0 } = {},
) {
  let now = 0;
  const strategy = createRetryStrategy({
    now: () => now,
    random: () => random,
    timeLeft: () => left - now,
  });
  const taken: number[] = [];
  let token = await strategy.acquireInitialRetryToken('');
  for (;;) {
    now += takes;
    try {
      token = await strategy.refreshRetryTokenForRetry(token, failure);
    } catch {
      return { taken, gaveUpAt: now };
    }
    taken.push(token.getRetryDelay());
    now += token.getRetryDelay();
  }
}

describe('a call that fails', () => {
  it('for a transaction of somebody else is tried again within milliseconds, and for as long as there is time', async () => {
    const { taken, gaveUpAt } = await pauses(conflict);
    expect(taken.slice(0, 6)).toEqual([25, 50, 100, 200, 400, 800]);
    expect(Math.max(...taken)).toBe(SECOND);
    expect(gaveUpAt).toBeLessThan(RETRY_WITHIN);
    expect(gaveUpAt).toBeGreaterThan(RETRY_WITHIN - 2 * SECOND);
    // Half of it on average, a few milliseconds at first: where slots meet, the median used to be 0.68 s.
    expect((await pauses(conflict, { random: 0.5 })).taken.slice(0, 3)).toEqual([12, 25, 50]);
  });

  it('for being throttled stays away longer, and comes back five times at most', async () => {
    expect((await pauses(throttled)).taken).toEqual([500, 1_000, 2_000, 4_000]);
    expect((await pauses(throttled, { random: 0.1 })).taken).toEqual([50, 100, 200, 400, 500]);
  });

  it('for a fault of the network comes back five times at most', async () => {
    expect((await pauses(fault)).taken).toEqual([50, 100, 200, 400, 800]);
  });

  it.each([conflict, throttled, fault])('gives up before its invocation ends: %o', async (failure) => {
    for (const left of [0, 100, 900, 3_000]) {
      const { gaveUpAt } = await pauses(failure, { left, takes: 20 });
      expect(gaveUpAt).toBeLessThanOrEqual(left + 20);
    }
  });

  it('for itself is not tried again', async () => {
    const strategy = createRetryStrategy({ now: () => 0, random: () => 0, timeLeft: () => SECOND });
    const token = await strategy.acquireInitialRetryToken('');
    await expect(strategy.refreshRetryTokenForRetry(token, { errorType: 'CLIENT_ERROR' })).rejects.toThrow();
  });
});

describe('many calls that fail', () => {
  it('are tried again only as often as calls have gone through, conflicts apart', async () => {
    const strategy = createRetryStrategy({ now: () => 0, random: () => 0, timeLeft: () => SECOND });
    const first = await strategy.acquireInitialRetryToken('');
    const again = (info: RetryErrorInfo) => strategy.refreshRetryTokenForRetry(first, info);
    let retries = 0;
    for (; retries < 1_000; retries += 1)
      if (
        await again(fault).then(
          () => false,
          () => true,
        )
      )
        break;
    expect(retries).toBe(35);
    await expect(again(fault)).rejects.toThrow();
    await again(conflict);
    for (let call = 0; call < 14; call += 1) strategy.recordSuccess(first);
    await again(fault);
  });
});
