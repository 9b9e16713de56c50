import { type OccurrenceId, type OccurrenceKey, occurrenceId, type Places } from '../ids.ts';
import type { Occurrence, PendingOccurrence, RunningOccurrence } from '../occurrence/occurrence.ts';
import { isAlive } from '../slots/entries.ts';
import { takeFor } from '../slots/hand-over.ts';
import { isOwnSlot } from '../slots/needs.ts';
import type { Place, Stripe } from '../slots/store.ts';
import { waitFor } from '../slots/wait.ts';
import type { Claim, ClaimDeps, ClaimEnd } from './claim.ts';

export type Blocked =
  | { readonly kind: 'full'; readonly stripe: Stripe }
  /** There may be room, but another must start before. */
  | {
      readonly kind: 'behind';
      readonly place: Place;
      readonly earlier: PendingOccurrence | RunningOccurrence;
    };

/**
 * What an occurrence does that may not start now. The overlap policy is about its own schedule; a shared key or a group
 * limit is a throttle, and what meets one waits: to lose a run because of somebody else's schedule is never what was
 * meant. Undefined: the slot is to be tried again.
 */
export async function applyOverlapPolicy(
  deps: ClaimDeps,
  claim: Claim,
  blocked: Blocked,
  taken: Places,
): Promise<ClaimEnd | undefined> {
  const { attempt, overlap } = claim;
  const { occurrences } = deps;
  const found = await occurrences.readOccurrence(attempt);
  if (found?.status !== 'pending' || found.dispatchSeq !== attempt.dispatchSeq)
    return { kind: 'not-claimable', occurrence: found };
  const yielding = { deps, claim, pending: found, taken };
  if (blocked.kind === 'behind') {
    const { earlier, place } = blocked;
    return wait(yielding, place, earlier.status === 'pending' ? { inPlaceOf: earlier } : {});
  }
  const { stripe } = blocked;
  // Who comes first to a full slot looks whether what is in it lives; those behind leave that to the sweep.
  const isWatched = stripe.hasLine && !isOwnSlot(stripe.slot);
  const holder = isWatched ? undefined : await holderOf(yielding, stripe);
  if (holder === 'again') return undefined;
  if (!isOwnSlot(stripe.slot) || overlap === 'buffer-all') return wait(yielding, stripe);
  const others = async () =>
    (await occurrences.slots.ownWaiting(attempt.schedule, stripe.slot, stripe.through)).filter(
      (one) => occurrenceId(one) !== occurrenceId(found),
    );
  if (!holder) {
    const waiting = await others();
    if (overlap === 'cancel-other') return displace(yielding, waiting, stripe);
    const [first] = waiting;
    if (!first) {
      // Nobody is there, and nobody waits: the mark of a line is left over.
      await takeFor(occurrences.slots, stripe, found);
      return undefined;
    }
    return overlap === 'skip' && found.attempt === 0 ? skip(yielding, first) : wait(yielding, stripe);
  }
  switch (overlap) {
    case 'allow':
      return wait(yielding, stripe);
    case 'skip':
      // Work that has begun is never dropped.
      return found.attempt > 0 ? wait(yielding, stripe) : skip(yielding, holder);
    case 'buffer-one': {
      const end = await wait(yielding, stripe);
      return end.kind === 'waiting' ? keepFirst(yielding, await others(), end) : end;
    }
    case 'cancel-other': {
      if (isLater(holder, found)) return giveUp(deps, claim, found, holder);
      if (holder.status === 'pending') {
        await giveUp(deps, claim, holder, found);
        return undefined;
      }
      await occurrences.requestCancel(holder, 'overlap');
      return (await displace(yielding, await others(), undefined)) ?? wait(yielding, stripe);
    }
    default:
      return wait(yielding, stripe);
  }
}

/** Of those that wait only the newest is wanted. It is given the place where there is one. */
async function displace(
  { deps, claim, pending }: Yielding,
  waiting: readonly PendingOccurrence[],
  free: Place | undefined,
): Promise<ClaimEnd | undefined> {
  for (const one of waiting) if (!isLater(one, pending)) await giveUp(deps, claim, one, pending);
  const newest = waiting.find((one) => isLater(one, pending));
  if (newest) return giveUp(deps, claim, pending, newest);
  if (free) await takeFor(deps.occurrences.slots, free, pending);
  return undefined;
}

interface Yielding {
  readonly deps: ClaimDeps;
  readonly claim: Claim;
  /** The one that yields, as it is now. */
  readonly pending: PendingOccurrence;
  readonly taken: Places;
}

async function wait(
  { deps, claim, pending, taken }: Yielding,
  { slot, stripe }: Place,
  options: Parameters<typeof waitFor>[3] = {},
): Promise<ClaimEnd> {
  const { slots } = deps.occurrences;
  const place = { slot, stripe };
  const parked = await waitFor(slots, { pending, place, taken, overlap: claim.overlap }, claim.now, options);
  if (parked) return { kind: 'waiting', slot };
  return { kind: 'not-claimable', occurrence: await deps.occurrences.readOccurrence(pending) };
}

/**
 * One that has a place. An entry whose attempt is dead was left behind by a process that died: it is replaced, and the
 * slot is then tried again.
 */
async function holderOf(
  { deps, pending }: Yielding,
  stripe: Stripe,
): Promise<PendingOccurrence | RunningOccurrence | undefined | 'again'> {
  const own = occurrenceId(pending);
  const others = [...stripe.entries].filter(([id]) => id !== own).map(([id, seq]) => ({ id, seq }));
  const { slots } = deps.occurrences;
  const found = await slots.readMany(others.map(({ id }) => id));
  const dead = others.find((entry) => !isAlive(entry, stripe, found.get(entry.id)));
  const [first] = others;
  if (!dead) return first && (found.get(first.id) as PendingOccurrence | RunningOccurrence);
  if (stripe.hasLine) await slots.remove(stripe, dead);
  else await slots.replace(stripe, dead, { id: own, seq: pending.dispatchSeq }, { marksLine: false });
  return 'again';
}

async function skip({ deps, claim, pending }: Yielding, by: OccurrenceKey): Promise<ClaimEnd> {
  return skipped(deps, pending, occurrenceId(by), claim);
}

async function skipped(
  { occurrences }: ClaimDeps,
  pending: PendingOccurrence,
  by: OccurrenceId,
  { now }: Claim,
): Promise<ClaimEnd> {
  const done = await occurrences.skip(pending, 'overlap', by, now);
  if (done.kind === 'done') return { kind: 'skipped', by };
  return { kind: 'not-claimable', occurrence: await occurrences.readOccurrence(pending) };
}

/** The older of two gives way to the newer: without a trace of work it is skipped, after an attempt it is cancelled. */
async function giveUp(
  deps: ClaimDeps,
  claim: Claim,
  older: PendingOccurrence | RunningOccurrence,
  newer: OccurrenceKey,
): Promise<ClaimEnd> {
  const { occurrences } = deps;
  if (older.status !== 'pending') return { kind: 'not-claimable', occurrence: older };
  if (older.attempt === 0) return skipped(deps, older, occurrenceId(newer), claim);
  await occurrences.cancel(older, 'overlap', claim.now);
  return { kind: 'not-claimable', occurrence: await occurrences.readOccurrence(older) };
}

/** One waits; of several that came at once the first. What has begun waits in any case. */
async function keepFirst(
  { deps, claim, pending }: Yielding,
  others: readonly PendingOccurrence[],
  waiting: ClaimEnd,
): Promise<ClaimEnd> {
  const own = await deps.occurrences.readOccurrence(pending);
  const isOwnThere = own?.status === 'pending' && own.waitingFor !== undefined;
  const all = [...others, ...(isOwnThere ? [own] : [])].filter(({ attempt }) => attempt === 0);
  const [first, ...late] = all.toSorted((a, b) => (isLater(a, b) ? 1 : -1));
  let end = waiting;
  for (const one of late) {
    const result = await skipped(deps, one, occurrenceId(first as PendingOccurrence), claim);
    if (occurrenceId(one) === occurrenceId(pending)) end = result;
  }
  return end;
}

/** By nominal time, and by id where that is the same. */
function isLater(one: Occurrence | OccurrenceKey, other: OccurrenceKey): boolean {
  const by = one.scheduledTime - other.scheduledTime;
  return by > 0 || (by === 0 && occurrenceId(one) > occurrenceId(other));
}
