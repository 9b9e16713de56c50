import type { CancelReason, RunningOccurrence } from '../core/occurrence/occurrence.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { OccurrenceStore, RenewResult } from '../core/ports/occurrence-store.ts';
import { type EpochMs, epochMs } from '../core/time.ts';

/** Why an attempt must stop before its target has answered. */
export type StopReason =
  /** Another worker may start the next attempt: nothing may be written any more. */
  { readonly kind: 'lost-lease' } | { readonly kind: 'cancel-requested'; readonly reason: CancelReason };

export interface HeldLease {
  readonly stop: () => StopReason | undefined;
  /** Settles once `ended` aborts, or the lease is lost or to be given up. */
  readonly stopped: Promise<void>;
}

/**
 * Renews a lease at a third of its time until `ended`. It is lost when somebody else has ended the attempt, or when
 * it has run out without a renewal: of which a store that never answers is one way. Its end is counted from before
 * the claim or renewal was sent. A renewal also brings the request to cancel.
 */
export function holdLease(
  deps: {
    readonly clock: Clock;
    readonly occurrences: Pick<OccurrenceStore, 'renew'>;
    readonly leaseMs: number;
  },
  running: RunningOccurrence,
  ended: AbortSignal,
  onStop: (reason: StopReason) => void,
): HeldLease {
  const { clock, occurrences, leaseMs } = deps;
  let stop: StopReason | undefined;

  async function keep(): Promise<void> {
    let expiresAt: EpochMs = running.lease.expiresAt;
    while (!ended.aborted && !stop) {
      await clock.until(epochMs(Math.min(clock.now() + leaseMs / 3, expiresAt)), ended);
      if (ended.aborted) return;
      const now = clock.now();
      const next = epochMs(now + leaseMs);
      // Not waited for beyond the end of the lease, nor of the attempt.
      const answered = new AbortController();
      const renewed = await Promise.race([
        renewOnce(next, now),
        clock.until(expiresAt, AbortSignal.any([ended, answered.signal])),
      ]);
      answered.abort();
      if (ended.aborted) return;
      if (renewed?.kind === 'done') expiresAt = next;
      else stop = renewed ?? (clock.now() >= expiresAt ? { kind: 'lost-lease' } : undefined);
    }
    if (stop) onStop(stop);
  }

  /** Undefined for a fault of the store: the lease stands until it runs out, and the next third tries again. */
  async function renewOnce(next: EpochMs, now: EpochMs): Promise<RenewResult | undefined> {
    try {
      return await occurrences.renew(running, next, now);
    } catch {
      return undefined;
    }
  }

  return { stop: () => stop, stopped: keep() };
}
