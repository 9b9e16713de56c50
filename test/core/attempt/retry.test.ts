import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRetry, retryDelayMs } from '../../../lambdas/core/attempt/retry.ts';
import { DEFAULT_RETRY } from '../../../lambdas/core/schedule/defaults.ts';
import type { RetryPolicy } from '../../../lambdas/core/schedule/definition.ts';
import { HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { at } from '../../support/fixtures.ts';

const policy: RetryPolicy = {
  maxAttempts: 5,
  initialDelay: 'PT2S',
  factor: 3,
  maxDelay: 'PT30S',
  jitter: 0,
  maxAge: 'PT1H',
};
const failed = (attempt: number) => ({ attempt, firstDueAt: at(0), seed: 'x' });

describe('retryDelayMs', () => {
  it('grows by the factor and stops at the cap', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(policy, attempt, 'x'))).toEqual([
      2 * SECOND,
      6 * SECOND,
      18 * SECOND,
      30 * SECOND,
    ]);
  });

  it('takes a share off by a hash: the same for one seed and attempt, different between seeds', () => {
    const jittered = { ...policy, jitter: 0.5 };
    expect(retryDelayMs(jittered, 2, 'a')).toBe(retryDelayMs(jittered, 2, 'a'));
    const delays = new Set(['a', 'b', 'c', 'd', 'e'].map((seed) => retryDelayMs(jittered, 2, seed)));
    expect(delays.size).toBe(5);
  });

  it('stays between the jittered and the full delay for every attempt and seed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.string(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, seed, jitter) => {
          const full = retryDelayMs({ ...policy, jitter: 0 }, n, seed);
          const delay = retryDelayMs({ ...policy, jitter }, n, seed);
          expect(delay).toBeLessThanOrEqual(full);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(full * (1 - jitter)));
        },
      ),
    );
  });
});

describe('decideRetry', () => {
  it('counts the first attempt in maxAttempts', () => {
    expect(decideRetry(policy, failed(4), { retryable: true }, at(MINUTE)).kind).toBe('retry');
    expect(decideRetry(policy, failed(5), { retryable: true }, at(MINUTE))).toEqual({
      kind: 'give-up',
      reason: 'attempts-exhausted',
    });
  });

  it('gives up at once on a failure that trying again cannot mend', () => {
    expect(decideRetry(policy, failed(1), { retryable: false }, at(0))).toEqual({
      kind: 'give-up',
      reason: 'not-retryable',
    });
  });

  it('waits at least as long as the target asked', () => {
    const decision = decideRetry(
      policy,
      failed(1),
      { retryable: true, retryAfterMs: 45 * SECOND },
      at(SECOND),
    );
    expect(decision).toEqual({ kind: 'retry', dueAt: at(46 * SECOND), startBy: at(HOUR) });
  });

  it('gives up when the next attempt would start later than maxAge after first due', () => {
    expect(decideRetry(policy, failed(1), { retryable: true }, at(HOUR - 2 * SECOND)).kind).toBe('retry');
    expect(decideRetry(policy, failed(1), { retryable: true }, at(HOUR - 2 * SECOND + 1))).toEqual({
      kind: 'give-up',
      reason: 'max-age',
    });
  });

  it('says that it is the target which asked for too long a wait', () => {
    const asked = { retryable: true, retryAfterMs: 48 * HOUR };
    expect(decideRetry(policy, failed(1), asked, at(0))).toEqual({
      kind: 'give-up',
      reason: 'max-age',
      note: 'Retry-After asks for P2D, beyond retry.maxAge (PT1H).',
    });
  });

  it('makes three attempts by default', () => {
    expect(decideRetry(DEFAULT_RETRY, failed(2), { retryable: true }, at(0)).kind).toBe('retry');
    expect(decideRetry(DEFAULT_RETRY, failed(3), { retryable: true }, at(0)).kind).toBe('give-up');
  });
});
