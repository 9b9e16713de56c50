import { type Dispatched, occurrenceId } from '../ids.ts';
import { type EpochMs, SECOND } from '../time.ts';
import { homeStripe } from './entries.ts';
import { setLimit, settledStripes } from './limit.ts';
import type { SlotNeed } from './needs.ts';
import { hasRoom, type SlotStore, type Stripe, stripesFor, type TakeOptions } from './store.ts';

/** What became of the request for a place. */
export type Got =
  | { readonly kind: 'held'; readonly stripe: number }
  /** The slot has no limit any more. */
  | { readonly kind: 'not-needed' }
  /** No room, or others wait already. */
  | { readonly kind: 'full'; readonly stripe: Stripe }
  /** The occurrence is beyond this attempt. */
  | { readonly kind: 'stale' };

/** An index is seldom behind by more. */
const LEFT_OVER_AFTER = 2 * SECOND;
/** Other stripes that are looked at where the first is full. */
const MAX_PROBED = 10;
/** A slot is made, or its limit changed, and then again by somebody else, this often at most. */
const MAX_ROUNDS = 6;

/** Takes a place in one slot, for one that comes; `hint` is the stripe where it has a place, if it has one. */
export async function takePlace(
  slots: SlotStore,
  attempt: Dispatched,
  need: SlotNeed,
  hint: number | undefined,
  now: EpochMs,
  options: TakeOptions = {},
): Promise<Got> {
  const id = occurrenceId(attempt);
  if (hint !== undefined) {
    if (attempt.holds?.[need.slot] === hint) return { kind: 'held', stripe: hint };
    // Seen once it is proof: an entry stays for as long as its attempt lives.
    const [there] = await slots.readStripes(need.slot, [hint]);
    if (there?.entries.get(id) === attempt.dispatchSeq) return { kind: 'held', stripe: hint };
  }
  if (need.isNew && hint === undefined && (await slots.create(need, attempt)))
    return { kind: 'held', stripe: 0 };
  let stripe = hint ?? homeStripe(id, stripesFor(need.limit));
  let probed = false;
  let { passing = false } = options;
  let outdated = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const taken = await slots.take({ slot: need.slot, stripe }, attempt, need, { ...options, passing });
    if (taken.kind === 'taken') return { kind: 'held', stripe };
    const met = taken.stripe;
    if (!met) {
      if (stripesFor(need.limit) === 1 && stripe === 0 && (await slots.create(need, attempt)))
        return { kind: 'held', stripe };
      const [first] = await slots.readStripes(need.slot, [0]);
      if (first && stripe >= first.stripes) stripe = homeStripe(id, first.stripes);
      // Somebody is making it: who comes meanwhile waits, and is let in when it is made.
      else if (first && stripe > 0) return { kind: 'full', stripe: first };
      else if (!first) await setLimit(slots, need, now);
      continue;
    }
    const there = met.entries.get(id);
    if (there === attempt.dispatchSeq) return { kind: 'held', stripe };
    if (there !== undefined && there > attempt.dispatchSeq) return { kind: 'stale' };
    if (isOutdated(met, need)) {
      outdated += 1;
      if (outdated === 1) await setLimit(slots, need, now);
      // Whoever had begun to change it is at it still, or has died.
      else if (outdated === 2) await settledStripes(slots, need.slot);
      else return { kind: 'full', stripe: met };
      continue;
    }
    if (met.limit === undefined) return { kind: 'not-needed' };
    if (stripe >= met.stripes) {
      // One that is left over from a larger limit, which is what this need still names.
      stripe = homeStripe(id, met.stripes);
      continue;
    }
    if (!passing && hasRoom(met) && seemsLeftOver(met, now)) {
      passing = true;
      continue;
    }
    if (met.hasLine || probed || met.stripes === 1) return { kind: 'full', stripe: met };
    probed = true;
    const other = await emptiest(slots, need.slot, met);
    if (other === undefined) return { kind: 'full', stripe: met };
    stripe = other;
  }
  throw new Error(`The limit of ${need.slot} keeps changing; the message of ${id} comes again.`);
}

/**
 * Whether the mark of a line may be left over: nobody was found to wait, a while ago. It stays for a minute, so that whoever
 * gives a place back goes on looking; who comes meanwhile need not wait for that.
 */
function seemsLeftOver({ idleSince }: Stripe, now: EpochMs): boolean {
  return idleSince !== undefined && now - idleSince >= LEFT_OVER_AFTER;
}

/** Whether the slot has another limit than the one that was decided on later. */
export function isOutdated({ limit, since }: Stripe, need: Pick<SlotNeed, 'limit' | 'since'>): boolean {
  return limit !== need.limit && since < need.since;
}

/** Among some others, chosen by where one comes from, the one with most room; undefined when there is none, or a line. */
async function emptiest(slots: SlotStore, slot: string, met: Stripe): Promise<number | undefined> {
  const count = Math.min(MAX_PROBED, met.stripes - 1);
  const others = Array.from({ length: count }, (_, index) => (met.stripe + 1 + index) % met.stripes);
  const found = (await slots.readStripes(slot, others, false)).filter(hasRoom);
  const room = ({ cap, entries }: Stripe) => cap - entries.size;
  const [best] = found.filter(({ hasLine }) => !hasLine).toSorted((a, b) => room(b) - room(a));
  return best?.stripe;
}
