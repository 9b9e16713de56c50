import { Duration } from 'luxon';
import { knownDurationMs } from '../duration.ts';
import { hashFraction } from '../hash.ts';
import type { FailureReason } from '../occurrence/occurrence.ts';
import type { RetryPolicy } from '../schedule/definition.ts';
import { type EpochMs, epochMs } from '../time.ts';

/**
 * Milliseconds between the end of attempt `attempt` (1-based) and the start of the next: exponential, capped,
 * less a jitter that is a hash of the occurrence and the attempt, so that the same failure always waits the
 * same time and a thousand of them do not come back together.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, seed: string): number {
  const initial = knownDurationMs(policy.initialDelay);
  const cap = knownDurationMs(policy.maxDelay);
  const grown = Math.min(cap, initial * policy.factor ** (attempt - 1));
  return Math.round(grown * (1 - policy.jitter * hashFraction(`${seed}#${attempt}`)));
}

/** How an attempt failed, as far as the decision to try again needs it. */
export interface AttemptFailure {
  /** False where trying again cannot help (an http 4xx, a missing function). */
  readonly retryable: boolean;
  /** Milliseconds that the target asked us to wait (`Retry-After`); a floor for the delay. */
  readonly retryAfterMs?: number;
}

export type RetryDecision =
  /** Not to be started after `startBy`. */
  | { readonly kind: 'retry'; readonly dueAt: EpochMs; readonly startBy: EpochMs }
  | {
      readonly kind: 'give-up';
      readonly reason: FailureReason;
      /** Where the reason alone would not tell a person why. */
      readonly note?: string;
    };

/** Whether attempt `attempt`, which ended at `now`, is followed by another, and when that is due. */
export function decideRetry(
  policy: RetryPolicy,
  failed: { readonly attempt: number; readonly firstDueAt: EpochMs; readonly seed: string },
  failure: AttemptFailure,
  now: EpochMs,
): RetryDecision {
  if (!failure.retryable) return { kind: 'give-up', reason: 'not-retryable' };
  if (failed.attempt >= policy.maxAttempts) return { kind: 'give-up', reason: 'attempts-exhausted' };
  const delay = Math.max(retryDelayMs(policy, failed.attempt, failed.seed), failure.retryAfterMs ?? 0);
  const dueAt = epochMs(now + delay);
  const startBy = epochMs(failed.firstDueAt + knownDurationMs(policy.maxAge));
  if (dueAt <= startBy) return { kind: 'retry', dueAt, startBy };
  return {
    kind: 'give-up',
    reason: 'max-age',
    ...(failure.retryAfterMs === delay && { note: waitNote(policy, delay) }),
  };
}

const waitNote = ({ maxAge }: RetryPolicy, asked: number): string =>
  `Retry-After asks for ${Duration.fromMillis(asked).rescale().toISO()}, beyond retry.maxAge (${maxAge}).`;
