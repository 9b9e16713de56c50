import { LRUCache } from 'lru-cache';
import type { FullSlots, Place, Stripe } from '../core/slots/store.ts';
import type { EpochMs } from '../core/time.ts';

/** Milliseconds for which a stripe that was met full, with others waiting for it, is taken to be so still. */
const FRESH = 2_000;
/** Stripes remembered; beyond that the oldest are forgotten. */
const MOST = 1_000;

/**
 * What a worker has seen of full slots a moment ago. When thousands come to a slot that is full, each would be refused by a
 * write of the same few items. Who trusts this memory waits at once, and looks at the stripe after that, as all do who
 * wait: so a place that has become free meanwhile is not overlooked.
 */
export function createFullSlots(): FullSlots {
  const seen = new LRUCache<string, { readonly stripe: Stripe; readonly at: EpochMs }>({ max: MOST });
  const keyOf = ({ slot, stripe }: Place) => `${slot}#${stripe}`;
  return {
    note(stripe, now) {
      seen.set(keyOf(stripe), { stripe, at: now });
    },
    find(place, now) {
      const found = seen.get(keyOf(place));
      return found && Math.abs(now - found.at) < FRESH ? found.stripe : undefined;
    },
  };
}
