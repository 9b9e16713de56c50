import { occurrenceId, type Places } from '../ids.ts';
import type { PendingOccurrence } from '../occurrence/occurrence.ts';
import type { OverlapPolicy } from '../schedule/definition.ts';
import type { EpochMs } from '../time.ts';
import { type Held, isAlive } from './entries.ts';
import { giveBack, lookAgain, takeFor } from './hand-over.ts';
import { isOwnSlot, keepsOwnWhileWaiting } from './needs.ts';
import type { Place, SlotStore } from './store.ts';

export interface Wait {
  /** As it is now, with the places that it came with. */
  readonly pending: PendingOccurrence;
  /** Where it found no room. */
  readonly place: Place;
  /** What it has taken so far. */
  readonly taken: Places;
  readonly overlap: OverlapPolicy;
}

/** Who has waited so often for one attempt holds what it has while it waits for the rest. */
const HOLDS_AFTER = 3;

/**
 * Lets an attempt wait for a slot. First it is parked, which counts its sequence up: nothing that was sent for it before can
 * take a place any more. Then its other places are given back, and then the slot is looked at again.
 *
 * Nothing shared is held while waiting, so that no place is idle; only one that has waited often holds what it has
 * already, or two busy slots could keep it from starting for ever. Who waits for a slot holds none that comes later in
 * the order, so nobody waits in a circle. Undefined: the occurrence has moved on.
 */
export async function waitFor(
  slots: SlotStore,
  { pending, place, taken, overlap }: Wait,
  now: EpochMs,
  { inPlaceOf }: { readonly inPlaceOf?: PendingOccurrence } = {},
): Promise<PendingOccurrence | undefined> {
  const came = pending.places;
  const holdsAll = pending.waits >= HOLDS_AFTER;
  const holds = Object.fromEntries(
    Object.entries(taken).filter(
      ([slot]) =>
        slot !== place.slot &&
        (holdsAll || slot in pending.kept || (isOwnSlot(slot) && keepsOwnWhileWaiting(overlap))),
    ),
  );
  const parked = await slots.park(pending, place.slot, holds);
  if (!parked) return undefined;
  const id = occurrenceId(pending);
  const seq = pending.dispatchSeq;
  const dropped: Held[] = Object.entries({ ...came, ...taken })
    .filter(([slot]) => !(slot in holds))
    .map(([slot, stripe]) => ({ id, seq, slot, stripe }));
  const here = dropped.find(({ slot }) => slot === place.slot);
  await giveBack(slots, inPlaceOf ? dropped.filter((one) => one !== here) : dropped, now);
  const isGiven = inPlaceOf !== undefined && (await promise(slots, here, place, inPlaceOf));
  if (inPlaceOf && here && !isGiven) await slots.remove(here, here);
  await lookAgain(slots, place, parked, now);
  return parked;
}

/**
 * Gives the place to one that must start before, and whose message is still on its way. It may have come to wait for the slot
 * meanwhile, and have seen it taken: then what it was given is dead, and nobody would be woken for it.
 */
async function promise(
  slots: SlotStore,
  here: Held | undefined,
  place: Place,
  { waitingFor, ...to }: PendingOccurrence,
): Promise<boolean> {
  // One that waits is woken in the usual way.
  if (waitingFor !== undefined) return false;
  const entry = { id: occurrenceId(to), seq: to.dispatchSeq };
  const isReplaced = here !== undefined && (await slots.replace(here, here, entry));
  if (!isReplaced && (await takeFor(slots, place, to)).kind !== 'taken') return false;
  const given = isReplaced ? here : place;
  const found = (await slots.readMany([entry.id])).get(entry.id);
  if (!isAlive(entry, given, found)) await slots.remove(given, entry);
  return true;
}
