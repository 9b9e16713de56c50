import type { CancelReason, RunningOccurrence } from '../core/occurrence.ts';
import type { Clock, OccurrenceStore, RenewResult } from '../core/ports.ts';
import { type EpochMs, epochMs } from '../core/time.ts';

/** Why an attempt must stop before its target has answered. */
export type StopReason =
  /** Another worker may start the next attempt: nothing may be written any more. */
  { readonly kind: 'lost-lease' } | { readonly kind: 'cancel-requested'; readonly reason: CancelReason };

export interface HeldLease {
  readonly stop: () => StopReason | undefined;
  /** Settles once `ended` aborts and the renewal under way, if any, is over. */
  readonly stopped: Promise<void>;
}

/**
 * Renews a lease at a third of its time until `ended`. It is lost when somebody else holds the occurrence, or
 * when renewals kept failing until it ran out. A renewal also brings the request to cancel.
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
      const next = epochMs(clock.now() + leaseMs);
      const renewed = await renewOnce(next);
      if (ended.aborted) return;
      if (renewed?.kind === 'done') expiresAt = next;
      else stop = renewed ?? (clock.now() >= expiresAt ? { kind: 'lost-lease' } : undefined);
    }
    if (stop) onStop(stop);
  }

  /** Undefined for a fault of the store: the lease stands until it runs out, and the next third tries again. */
  async function renewOnce(next: EpochMs): Promise<RenewResult | undefined> {
    try {
      return await occurrences.renew(running, next);
    } catch {
      return undefined;
    }
  }

  return { stop: () => stop, stopped: keep() };
}
