import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';
import { SECOND } from '../../core/time.ts';

/** Milliseconds of the first pause and of the longest one, and how many attempts there are. */
interface Pace {
  readonly base: number;
  readonly longest: number;
  readonly attempts: number;
}

/**
 * Three kinds of "not now". Who met a transaction of somebody else tries again soon and often: that one is over in
 * milliseconds. Who is throttled stays away for longer, since each call makes it worse.
 */
const PACE = {
  conflict: { base: 25, longest: SECOND, attempts: 100 },
  fault: { base: 50, longest: SECOND, attempts: 6 },
  throttled: { base: 500, longest: 5 * SECOND, attempts: 6 },
} as const satisfies Record<string, Pace>;

/** Milliseconds after the beginning of a call in which it is tried again; the last try may take a little longer. */
export const RETRY_WITHIN = 8 * SECOND;

/**
 * Retries that are paid for in advance: an outage of a service is not answered with many times the calls. As the
 * SDK's own strategy has it; conflicts are no outage and are free.
 */
const CREDIT = 500;
const COST = { conflict: 0, fault: 14, throttled: 5 } as const satisfies Record<keyof typeof PACE, number>;

export interface RetryWorld {
  readonly now: () => number;
  /** From 0 to 1: callers that failed together do not come back together. */
  readonly random: () => number;
  /** Milliseconds that the invocation has left. */
  readonly timeLeft: (now: number) => number;
}

interface BoundedToken extends RetryToken {
  readonly giveUpAt: number;
  readonly cost: number;
}

/** Tries again at the pace of what went wrong, and gives up in time for the invocation to say so. */
export function createRetryStrategy({ now, random, timeLeft }: RetryWorld): RetryStrategyV2 {
  let credit = CREDIT;
  return {
    async acquireInitialRetryToken() {
      return tokenOf({
        retries: 0,
        delay: 0,
        cost: 0,
        giveUpAt: now() + Math.min(RETRY_WITHIN, timeLeft(now())),
      });
    },
    async refreshRetryTokenForRetry(token, info) {
      const { giveUpAt } = token as BoundedToken;
      const kind = kindOf(info);
      const retries = token.getRetryCount() + 1;
      if (kind === undefined || retries >= PACE[kind].attempts) throw new Error('Not to be tried again.');
      const delay = pauseOf(PACE[kind], retries, random());
      if (now() + delay >= giveUpAt) throw new Error('No time is left for another try.');
      if (credit < COST[kind]) throw new Error('Too many calls have failed lately.');
      credit -= COST[kind];
      return tokenOf({ retries, delay, cost: COST[kind], giveUpAt });
    },
    recordSuccess(token) {
      credit = Math.min(CREDIT, credit + Math.max(1, (token as BoundedToken).cost));
    },
  };
}

/** Anything from none to a pause that doubles ("full jitter"). */
const pauseOf = ({ base, longest }: Pace, retries: number, random: number): number =>
  Math.floor(random * Math.min(longest, base * 2 ** (retries - 1)));

function tokenOf(of: { retries: number; delay: number; cost: number; giveUpAt: number }): BoundedToken {
  const { retries, delay, cost, giveUpAt } = of;
  return { getRetryCount: () => retries, getRetryDelay: () => delay, cost, giveUpAt };
}

function kindOf({ error, errorType }: RetryErrorInfo): keyof typeof PACE | undefined {
  if (isConflict(error)) return 'conflict';
  if (errorType === 'THROTTLING') return 'throttled';
  return errorType === 'TRANSIENT' ? 'fault' : undefined;
}

/** Set where an error is known to be a transaction of somebody else that was under way. */
export const CONFLICT = Symbol('conflict');

const isConflict = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && CONFLICT in error;
