import type { RecurrenceSpec } from '../recurrence/spec.ts';
import { type CatchUpPolicy, isOneShot, type OverlapPolicy, type RetryPolicy } from './definition.ts';

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialDelay: 'PT5S',
  factor: 2,
  maxDelay: 'PT15M',
  jitter: 0.1,
  maxAge: 'PT24H',
};

export const DEFAULT_CATCH_UP: CatchUpPolicy = {
  mode: 'latest',
  maxAge: 'PT24H',
  maxRuns: 10,
  spreadOver: 'PT1M',
};

/**
 * A one-shot comes due once, so that only triggers could overlap it: without a policy of its own it is spared the two
 * writes of a slot, and a burst of them the time.
 */
export function defaultOverlap(times: Pick<RecurrenceSpec, 'expression'>): OverlapPolicy {
  return isOneShot(times) ? 'allow' : 'skip';
}

export const DEFAULT_COMPLETION = 'immediate';

export const DEFAULT_TIMEOUT = 'PT60S';

export const DEFAULT_TIMEZONE = 'UTC';

export const DEFAULT_GROUP = 'default';
