import type { Revision } from '../schedule/revision.ts';
import { type EpochMs, epochMs } from '../time.ts';
import { fillSlot, setLimit, settledStripes } from './limit.ts';
import { keySlot, keyTerms } from './needs.ts';
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
export async function applyKeyLimit(slots: SlotStore, revision: KeyRevision, now: EpochMs): Promise<void> {
  const { concurrency } = revision.definition;
  if (!concurrency) return;
  await applyLimit(slots, keyTerms(concurrency, revision), now).catch(() => undefined);
}

type KeyRevision = Pick<Revision, 'definition' | 'createdAt' | 'keySince'>;

/**
 * A revision that is about to be written. By its time alone the limit that it gives its key would not come after the one
 * in force, when that was given in the same millisecond or by a clock that is ahead.
 */
export async function afterOtherKeyLimits<Of extends KeyRevision>(
  slots: SlotStore,
  revision: Of,
): Promise<Of> {
  const { concurrency } = revision.definition;
  if (!concurrency) return revision;
  const [first] = await slots.readStripes(keySlot(concurrency.key), [0]);
  if (!first || first.since < revision.createdAt || first.limit === concurrency.limit) return revision;
  return { ...revision, keySince: epochMs(first.since + 1) };
}
