import type { EpochMs } from '../time.ts';
import type { Stripe } from './store.ts';

/** Milliseconds for which a stripe that was met full, with others waiting for it, is taken to be so still. */
const FRESH = 2_000;
/** Stripes remembered; beyond that the oldest are forgotten. */
const MOST = 1_000;

/**
 * What a worker has seen of full slots a moment ago. When thousands come to a slot that is full, each would be refused by a
 * write of the same few items. Who trusts this memory waits at once, and looks at the stripe after that, as all do who
 * wait: so a place that has become free meanwhile is not overlooked.
 */
export class FullSlots {
  readonly #seen = new Map<string, { readonly stripe: Stripe; readonly at: EpochMs }>();

  note(stripe: Stripe, now: EpochMs): void {
    const key = keyOf(stripe);
    this.#seen.delete(key);
    this.#seen.set(key, { stripe, at: now });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST && oldest !== undefined) this.#seen.delete(oldest);
  }

  find(place: Pick<Stripe, 'slot' | 'stripe'>, now: EpochMs): Stripe | undefined {
    const seen = this.#seen.get(keyOf(place));
    return seen && Math.abs(now - seen.at) < FRESH ? seen.stripe : undefined;
  }
}

const keyOf = ({ slot, stripe }: Pick<Stripe, 'slot' | 'stripe'>): string => `${slot}#${stripe}`;
