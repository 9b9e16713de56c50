import { hash48 } from '../hash.ts';
import { type Dispatched, type OccurrenceId, occurrenceId } from '../ids.ts';
import { isTerminal, type Occurrence } from '../occurrence/occurrence.ts';
import type { Entry, Place } from './store.ts';

/**
 * Whether an entry stands for an attempt that may run: promised to one that is pending, running here, or kept over
 * retries and waits. An entry that is dead is so for ever, since a sequence never comes back: so what was seen dead may
 * be removed however much later.
 */
export function isAlive({ seq }: Entry, { slot, stripe }: Place, found: Occurrence | undefined): boolean {
  if (!found || isTerminal(found.status)) return false;
  const isHere = found.places[slot] === stripe;
  if (found.dispatchSeq === seq && (found.status === 'pending' || isHere)) return true;
  const kept = found.kept[slot];
  return kept !== undefined && seq >= kept && isHere;
}

export interface Held extends Place, Entry {}

/** The entries of an occurrence that has ended, or gone on, from how it was read: all up to its sequence are dead. */
export function heldBy(occurrence: Dispatched): Held[] {
  const id = occurrenceId(occurrence);
  return Object.entries(occurrence.places ?? {}).map(([slot, stripe]) => ({
    id,
    slot,
    stripe,
    seq: occurrence.dispatchSeq,
  }));
}

/** The stripe that an occurrence tries first: those of one slot are spread over all of them. */
export function homeStripe(id: OccurrenceId, stripes: number): number {
  return stripes <= 1 ? 0 : hash48(id) % stripes;
}
