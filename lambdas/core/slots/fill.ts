import type { Revision } from '../schedule.ts';
import { keySlot } from '../slots.ts';
import type { EpochMs } from '../time.ts';
import { fillSlot, setLimit, settledStripes } from './limit.ts';
import type { LimitTerms, SlotStore } from './store.ts';

/**
 * Puts a limit that was changed in force at once, and lets in whom it now has room for. A slot
 * is made before it is used, so that those who come to it together find it.
 */
export async function applyLimit(slots: SlotStore, terms: LimitTerms, now: EpochMs): Promise<void> {
  const [first] = await slots.readStripes(terms.slot, [0]);
  if (first && (first.limit === terms.limit || first.since >= terms.since)) return;
  if (!first && terms.limit === undefined) return;
  await setLimit(slots, terms, now);
  if (first) await fillSlot(slots, terms.slot, await settledStripes(slots, terms.slot), now);
}

/**
 * Of several definitions that name a key the one that was written last says what its limit is. Should this fail, the first
 * occurrence of that revision does it.
 */
export async function applyKeyLimit(
  slots: SlotStore,
  { definition, createdAt }: Pick<Revision, 'definition' | 'createdAt'>,
  now: EpochMs,
): Promise<void> {
  const { concurrency } = definition;
  if (!concurrency) return;
  const terms = { slot: keySlot(concurrency.key), limit: concurrency.limit, since: createdAt };
  await applyLimit(slots, terms, now).catch(() => undefined);
}
