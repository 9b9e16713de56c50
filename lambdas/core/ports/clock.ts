import type { EpochMs } from '../time.ts';

export interface Clock {
  now(): EpochMs;
  /** Resolves at `at` or when `signal` aborts, whichever is first; at once when `at` has passed. */
  until(at: EpochMs, signal?: AbortSignal): Promise<void>;
}
