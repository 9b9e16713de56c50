import { sideBySide } from '../side-by-side.ts';
import type { EpochMs } from '../time.ts';
import { handOut } from './hand-over.ts';
import { type LimitTerms, MAX_PLACES, type SlotStore, type Stripe, stripesFor } from './store.ts';

const CONCURRENCY = 16;
/** Woken at most by one request to change a limit, and by one look of the sweep at a slot without a limit. */
const MOST_AT_ONCE = 200;
const WAKE_CONCURRENCY = 8;

/**
 * Puts a limit in force, unless a later one is. The limit of a slot lives in its stripes and nowhere else, so that taking
 * a place and lowering the limit are ordered by the item that both write.
 */
export async function setLimit(slots: SlotStore, terms: LimitTerms, now: EpochMs): Promise<void> {
  const isOne = stripesFor(terms.limit ?? 1) === 1 && (await slots.writeLimit(terms));
  const first = isOne ? undefined : await slots.beginLimit(terms);
  if (first) await shareOut(slots, first);
  // Those who came meanwhile wait.
  if (first) await fillSlot(slots, terms.slot, await settledStripes(slots, terms.slot), now);
}

/**
 * Shares the limit of a slot of several stripes out among them. First no stripe takes anybody, then all are read, then
 * each has its share: so that no two of them ever admit more together than the limit says. While more run than it says,
 * nobody is let in; the sweep comes back to it (`isSettled`). Who dies half-way leaves stripes that admit nobody, and the
 * sweep goes on from there.
 */
export async function shareOut(slots: SlotStore, first: Stripe): Promise<void> {
  const { slot, stripes } = first;
  const all = Array.from({ length: stripes }, (_, stripe) => stripe);
  const write = (stripe: number, cap: number, frozen: boolean, of?: number) =>
    slots.share({ slot, stripe }, first, cap, { frozen, ...(of !== undefined && { stripes: of }) });
  const frozen = await sideBySide(all, CONCURRENCY, (stripe) => write(stripe, 0, true));
  // Somebody else changes it again, and carries that out.
  if (frozen.includes(false)) return;
  const now = await slots.readStripes(slot, all);
  const { caps, isSettled } = sharesOf(first.limit, now);
  // Without a limit nobody asks for a place; the stripes stay, for the next limit.
  const used = isSettled ? stripesFor(first.limit ?? 1) : stripes;
  const raised = await sideBySide(all, CONCURRENCY, (stripe) =>
    write(stripe, caps[stripe] ?? 0, false, used),
  );
  if (isSettled && !raised.includes(false)) await slots.endLimit(first, used);
}

export interface Shares {
  readonly caps: readonly number[];
  /** Nothing more is to be moved. */
  readonly isSettled: boolean;
}

/**
 * What each stripe may hold, by what all of them hold while nobody is let in. What they may hold together, or hold already,
 * is never more than the limit and what runs: a stripe that is to go takes nobody, and one with more than its share neither.
 */
export function sharesOf(limit: number | undefined, stripes: readonly Stripe[]): Shares {
  if (limit === undefined) return { caps: stripes.map(() => 0), isSettled: true };
  const wanted = stripes.map((_, index) => Math.max(0, Math.min(MAX_PLACES, limit - index * MAX_PLACES)));
  const sizes = stripes.map(({ entries }) => entries.size);
  if (sizes.every((size, index) => size <= (wanted[index] ?? 0))) return { caps: wanted, isSettled: true };
  let free = limit - sizes.reduce((sum, size) => sum + size, 0);
  if (free <= 0) return { caps: stripes.map(() => 0), isSettled: false };
  const caps = sizes.map((size, index) => {
    const most = wanted[index] ?? 0;
    if (size >= most) return most;
    const more = Math.min(free, most - size);
    free -= more;
    return size + more;
  });
  return { caps, isSettled: false };
}

/** The stripes of a slot as they are, once what was left of a change of its limit has been carried out. */
export async function settledStripes(slots: SlotStore, slot: string): Promise<Stripe[]> {
  const [first] = await slots.readStripes(slot, [0]);
  if (!first) return [];
  if (!first.isSettled) {
    const again = await slots.restartLimit(first);
    if (again) await shareOut(slots, again);
  }
  return slots.readStripes(
    slot,
    Array.from({ length: first.stripes }, (_, stripe) => stripe),
  );
}

/** Hands out all the room of a slot; where nobody needs a place any more, whoever waits is woken. Answers how many. */
export async function fillSlot(
  slots: SlotStore,
  slot: string,
  stripes: readonly Stripe[],
  now: EpochMs,
): Promise<number> {
  const [first] = stripes;
  if (first && first.limit !== undefined) return handOut(slots, slot, stripes, now);
  const line = await slots.waiting(slot, MOST_AT_ONCE);
  const woken = await sideBySide(line, WAKE_CONCURRENCY, (one) => slots.wake(one, { slot, stripe: 0 }, now));
  return woken.filter((one) => one !== undefined).length;
}
