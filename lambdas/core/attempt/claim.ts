import type { Backfill } from '../backfill/backfill.ts';
import { backfillNeeds } from '../backfill/slot-needs.ts';
import type { BackfillStore } from '../backfill/store.ts';
import { type Dispatched, type OccurrenceId, type OccurrenceKey, occurrenceId, type Places } from '../ids.ts';
import type { Occurrence } from '../occurrence/occurrence.ts';
import type { ClaimResult, OccurrenceStore } from '../ports/occurrence-store.ts';
import type { OverlapPolicy } from '../schedule/definition.ts';
import type { Revision } from '../schedule/revision.ts';
import { heldBy, homeStripe, isAlive } from '../slots/entries.ts';
import { giveBack } from '../slots/hand-over.ts';
import { type GroupLimit, isOwnSlot, type SlotNeed, slotNeeds } from '../slots/needs.ts';
import { type FullSlots, type Stripe, stripesFor } from '../slots/store.ts';
import { isOutdated, takePlace } from '../slots/take.ts';
import { type EpochMs, epochMs } from '../time.ts';
import { applyOverlapPolicy } from './overlap.ts';
import { findEarlier } from './start-order.ts';

export interface ClaimDeps {
  readonly occurrences: Pick<
    OccurrenceStore,
    'claim' | 'slots' | 'skip' | 'cancel' | 'requestCancel' | 'readOccurrence'
  >;
  readonly backfills: Pick<BackfillStore, 'readBackfill'>;
  /** How many of a group's occurrences may run at once; undefined when there is no limit. */
  readonly groupLimitOf: (key: OccurrenceKey) => Promise<GroupLimit | undefined>;
  readonly leaseMs: number;
  /** What was seen of full slots a moment ago. */
  readonly full?: FullSlots;
  /** An unguessable text for each claim; chance is an argument. */
  readonly newSecret: () => string;
}

export type ClaimEnd =
  | ClaimResult
  /** Not started because of another; terminal. */
  | { readonly kind: 'skipped'; readonly by: OccurrenceId }
  /** In line for a slot; it is handed over again when its turn comes. */
  | { readonly kind: 'waiting'; readonly slot: string };

/** What an attempt takes places for, and how it yields. */
export interface Claim {
  readonly attempt: Dispatched;
  readonly overlap: OverlapPolicy;
  readonly backfill: Backfill | undefined;
  readonly now: EpochMs;
}

/** Rounds of "full, and then free after all" before the message is left to come again. */
const MAX_ROUNDS = 5;

/**
 * Takes a place in each slot that the definition asks for, in their order, and then claims the occurrence; or does what
 * the overlap policy says. A place that is taken stays as long as the attempt lives, so nothing has to be looked at again.
 */
export async function claimWithOverlapPolicy(
  deps: ClaimDeps,
  attempt: Dispatched,
  revision: Revision | undefined,
  holder: string,
  now: EpochMs,
): Promise<ClaimEnd> {
  const lease = { holder, expiresAt: epochMs(now + deps.leaseMs), secret: deps.newSecret() };
  const [overlap, groupLimit, backfill] = await Promise.all([
    overlapOf(deps, attempt, revision),
    deps.groupLimitOf(attempt),
    backfillOf(deps, attempt),
  ]);
  const needs = revision ? needsOf(attempt, revision, overlap, groupLimit, backfill) : [];
  const claim = { attempt, overlap, backfill, now };
  const taken: Record<string, number> = {};
  const left: Left = {};
  for (const need of needs) {
    const end = await takeOrYield(deps, claim, need, taken, left);
    if (end) return end;
  }
  const kept = needs.filter((need) => need.kept && need.slot in taken).map(({ slot }) => slot);
  const result = await deps.occurrences.claim(attempt, lease, now, { places: taken, kept, ...left });
  if (result.kind === 'claimed') {
    await giveBackRest(deps, attempt, taken, now);
    return result;
  }
  return { kind: 'not-claimable', occurrence: await letGo(deps, attempt, taken, result.occurrence, now) };
}

/** Places that it has kept in slots that it needs no more, since an edit. They are dead: its claim is for others. */
async function giveBackRest(
  { occurrences }: ClaimDeps,
  attempt: Dispatched,
  taken: Places,
  now: EpochMs,
): Promise<void> {
  const rest = heldBy(attempt).filter(({ slot }) => !(slot in taken));
  // Should it fail, whoever comes to the slot finds them dead.
  if (rest.length > 0) await giveBack(occurrences.slots, rest, now).catch(() => undefined);
}

/** Where a later look for those that are left to start begins, when that is not at its own time. */
interface Left {
  through?: EpochMs;
}

/** Adds the place to `taken`; or answers why the attempt does not start now. */
async function takeOrYield(
  deps: ClaimDeps,
  claim: Claim,
  need: SlotNeed,
  taken: Record<string, number>,
  left: Left,
): Promise<ClaimEnd | undefined> {
  const { attempt, now } = claim;
  const { slots } = deps.occurrences;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const order = await findEarlier(deps.occurrences, claim, need);
    const full = round === 0 ? seenFull(deps, claim, need) : undefined;
    const blocked =
      order.earlier !== undefined
        ? ({ kind: 'behind', place: { slot: need.slot, stripe: 0 }, earlier: order.earlier } as const)
        : full !== undefined
          ? ({ kind: 'full', stripe: full } as const)
          : await takePlace(slots, attempt, need, attempt.places?.[need.slot], now, order);
    switch (blocked.kind) {
      case 'held':
        taken[need.slot] = blocked.stripe;
        if (order.through !== undefined && order.through !== attempt.scheduledTime)
          left.through = order.through;
        return undefined;
      case 'not-needed':
        return undefined;
      case 'stale': {
        const found = await deps.occurrences.readOccurrence(attempt);
        return { kind: 'not-claimable', occurrence: await letGo(deps, attempt, taken, found, now) };
      }
      default: {
        if (blocked.kind === 'full' && blocked.stripe.hasLine) deps.full?.note(blocked.stripe, now);
        const end = await applyOverlapPolicy(deps, claim, blocked, taken);
        if (end?.kind === 'not-claimable')
          return { ...end, occurrence: await letGo(deps, attempt, taken, end.occurrence, now) };
        if (end?.kind === 'skipped') await giveBack(slots, heldBy({ ...attempt, places: taken }), now);
        if (end) return end;
      }
    }
  }
  throw new Error(`${occurrenceId(attempt)} found its slot free and full in turn; its message comes again.`);
}

/** Where an attempt that comes for the first time is known to find a shared slot full, without a write that is refused. */
function seenFull(deps: ClaimDeps, { attempt, now }: Claim, need: SlotNeed): Stripe | undefined {
  if (isOwnSlot(need.slot) || attempt.places?.[need.slot] !== undefined) return undefined;
  const stripe = homeStripe(occurrenceId(attempt), stripesFor(need.limit));
  const seen = deps.full?.find({ slot: need.slot, stripe }, now);
  return seen && seen.limit !== undefined && !isOutdated(seen, need) ? seen : undefined;
}

/**
 * Gives back what an attempt has taken that is not to start. A copy of its message may have started it on these very
 * places: only what is dead goes. One that is still pending, past its start deadline, takes them along to its end.
 */
async function letGo(
  { occurrences }: ClaimDeps,
  attempt: Dispatched,
  taken: Places,
  found: Occurrence | undefined,
  now: EpochMs,
): Promise<Occurrence | undefined> {
  if (found?.status === 'pending' && found.dispatchSeq === attempt.dispatchSeq)
    return { ...found, places: { ...found.places, ...taken } };
  const held = heldBy({ ...attempt, places: { ...attempt.places, ...taken } });
  await giveBack(
    occurrences.slots,
    held.filter((entry) => !isAlive(entry, entry, found)),
    now,
  );
  return found;
}

function needsOf(
  { schedule, kind }: OccurrenceKey,
  revision: Revision,
  overlap: OverlapPolicy,
  groupLimit: GroupLimit | undefined,
  backfill: Backfill | undefined,
): SlotNeed[] {
  const terms = { ...revision, definition: { ...revision.definition, overlap } };
  return kind === 'backfill'
    ? backfillNeeds(schedule, terms, groupLimit, backfill)
    : slotNeeds(schedule, terms, groupLimit);
}

/** Of an occurrence of another kind, or when it is over so long that it is kept no more: undefined. */
export async function backfillOf(
  { backfills }: Pick<ClaimDeps, 'backfills'>,
  { kind, schedule, token }: OccurrenceKey,
): Promise<Backfill | undefined> {
  if (kind !== 'backfill' || token === undefined) return undefined;
  return backfills.readBackfill(schedule, token);
}

/** One that a person asked for may have been given a policy of its own; the others are spared the read. */
async function overlapOf(
  deps: ClaimDeps,
  key: OccurrenceKey,
  revision: Revision | undefined,
): Promise<OverlapPolicy> {
  const own = key.kind !== 'manual' ? undefined : await deps.occurrences.readOccurrence(key);
  return own?.overlap ?? revision?.definition.overlap ?? 'allow';
}
