import type { RunningOccurrence } from '../core/occurrence.ts';
import type { Clock, OccurrenceStore } from '../core/ports.ts';
import { type EpochMs, epochMs } from '../core/time.ts';

export interface HeldLease {
  readonly lost: () => boolean;
  /** Settles once `ended` aborts and the renewal under way, if any, is over. */
  readonly stopped: Promise<void>;
}

/**
 * Renews a lease at a third of its time until `ended`. It is lost when somebody else holds the occurrence, or
 * when renewals kept failing until it ran out: from then on another worker may start the next attempt.
 */
export function holdLease(
  deps: {
    readonly clock: Clock;
    readonly occurrences: Pick<OccurrenceStore, 'renew'>;
    readonly leaseMs: number;
  },
  running: RunningOccurrence,
  ended: AbortSignal,
  onLost: () => void,
): HeldLease {
  const { clock, occurrences, leaseMs } = deps;
  let lost = false;

  async function keep(): Promise<void> {
    let expiresAt: EpochMs = running.lease.expiresAt;
    for (;;) {
      await clock.until(epochMs(Math.min(clock.now() + leaseMs / 3, expiresAt)), ended);
      if (ended.aborted) return;
      const next = epochMs(clock.now() + leaseMs);
      const outcome = await renewOnce(next);
      if (ended.aborted) return;
      if (outcome === 'done') expiresAt = next;
      else if (outcome === 'lost-lease' || clock.now() >= expiresAt) {
        lost = true;
        onLost();
        return;
      }
    }
  }

  async function renewOnce(next: EpochMs): Promise<'done' | 'lost-lease' | 'unknown'> {
    try {
      return (await occurrences.renew(running, next)).kind;
    } catch {
      // A fault of the store: the lease stands until it runs out, and the next third tries again.
      return 'unknown';
    }
  }

  return { lost: () => lost, stopped: keep() };
}
