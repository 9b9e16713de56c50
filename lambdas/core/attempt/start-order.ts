import { occurrenceKeyIn } from '../backfill/backfill.ts';
import { occurrenceId } from '../ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../occurrence/occurrence.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import { isOwnSlot, type SlotNeed } from '../slots/needs.ts';
import { type EpochMs, epochMs } from '../time.ts';
import type { Claim } from './claim.ts';

export interface Order {
  /** One that has to start before; undefined when there is none left. */
  readonly earlier?: PendingOccurrence | RunningOccurrence;
  /** Of a schedule's own slot: a later look for who is left to start begins here. */
  readonly through?: EpochMs;
}

/**
 * Where occurrences must start in order, one that is left to start before this one. Whoever comes first to a free slot
 * would otherwise pass it, since messages come in any order. That all earlier ones have ended stays true, so what was
 * read here cannot change before the place is taken.
 */
export async function findEarlier(
  { slots, readOccurrence }: Pick<OccurrenceStore, 'slots' | 'readOccurrence'>,
  { attempt, overlap, backfill, now }: Claim,
  need: SlotNeed,
): Promise<Order> {
  if (isOwnSlot(need.slot)) {
    // One that was moved to before its time leaves those between to be looked at.
    const through = epochMs(Math.min(attempt.scheduledTime, now));
    if (overlap !== 'buffer-all') return { through };
    const [own, [stripe]] = await Promise.all([readOccurrence(attempt), slots.readStripes(need.slot, [0])]);
    if (own?.status !== 'pending') return { through };
    const from = stripe?.through;
    const { earlier, left = through } = await slots.lookBefore(own, from, now);
    if (earlier) return { earlier };
    // One that was put off does not take the look back to its time.
    return { through: epochMs(Math.max(Math.min(through, left), from ?? 0)) };
  }
  // Several at a time begin in their order only as far as they wait.
  if (!backfill || !need.slot.startsWith('backfill:') || need.limit > 1) return {};
  const before = backfill.open.slice(0, Math.max(0, backfill.open.indexOf(attempt.scheduledTime)));
  if (before.length === 0) return {};
  const ids = before.map((time) => occurrenceId(occurrenceKeyIn(backfill, time)));
  const [found, [stripe]] = await Promise.all([slots.readMany(ids), slots.readStripes(need.slot, [0])]);
  for (const id of ids) {
    const one = found.get(id);
    const isLeft = one?.status === 'pending' && one.attempt === 0 && one.dueAt <= now;
    // One that waits for another slot is passed: what it waits for is not this one's to give.
    const waitsElsewhere = one?.status === 'pending' && (one.waitingFor ?? need.slot) !== need.slot;
    if (isLeft && !waitsElsewhere && stripe?.entries.get(id) !== one.dispatchSeq) return { earlier: one };
    if (need.kept && one?.status === 'pending' && one.attempt > 0) return { earlier: one };
  }
  return {};
}
