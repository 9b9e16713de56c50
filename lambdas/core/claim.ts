import type { Backfill } from './backfill/backfill.ts';
import type { BackfillStore } from './backfill/store.ts';
import {
  type Dispatched,
  type OccurrenceId,
  type OccurrenceKey,
  occurrenceId,
  parseOccurrenceId,
} from './ids.ts';
import type { PendingOccurrence } from './occurrence.ts';
import type { ClaimResult, OccurrenceStore } from './ports.ts';
import type { Definition, Revision } from './schedule.ts';
import { backfillNeeds, decideBlocked, type OverlapPolicy, type SlotNeed, slotNeeds } from './slots.ts';
import { type EpochMs, epochMs } from './time.ts';

export interface ClaimDeps {
  readonly occurrences: Pick<
    OccurrenceStore,
    'claim' | 'waitForSlot' | 'skip' | 'requestCancel' | 'readOccurrence'
  >;
  readonly backfills: Pick<BackfillStore, 'readBackfill'>;
  /** How many of a group's occurrences may run at once; undefined when there is no limit. */
  readonly groupLimitOf: (key: OccurrenceKey) => Promise<number | undefined>;
  readonly leaseMs: number;
  /** An unguessable text for each claim; chance is an argument. */
  readonly newSecret: () => string;
}

export type ClaimEnd =
  | Exclude<ClaimResult, { kind: 'blocked' }>
  /** Not started because of another; terminal. */
  | { readonly kind: 'skipped'; readonly by: OccurrenceId }
  /** In line for a slot; it is handed over again when its turn comes. */
  | { readonly kind: 'waiting'; readonly slot: string };

/** Rounds of "blocked, and then free after all" before the message is left to come again. */
const MAX_ROUNDS = 5;

/** Claims an occurrence with the slots that its definition asks for, or does what its overlap policy says. */
export async function claimOrYield(
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
  const needs = revision ? needsOf(attempt, { ...revision.definition, overlap }, groupLimit, backfill) : [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const claim = await deps.occurrences.claim(attempt, lease, now, needs);
    if (claim.kind !== 'blocked') return claim;
    const end = await yieldTo(deps, claim, overlap, now);
    if (end) return end;
  }
  throw new Error(`${occurrenceId(attempt)} found its slot free and full in turn; its message comes again.`);
}

function needsOf(
  { schedule, kind }: OccurrenceKey,
  definition: Definition,
  groupLimit: number | undefined,
  backfill: Backfill | undefined,
): SlotNeed[] {
  return kind === 'backfill'
    ? backfillNeeds(schedule, definition, groupLimit, backfill)
    : slotNeeds(schedule, definition, groupLimit);
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

/** Undefined when the slot was given back meanwhile. */
async function yieldTo(
  deps: ClaimDeps,
  blocked: Extract<ClaimResult, { kind: 'blocked' }>,
  overlap: OverlapPolicy,
  now: EpochMs,
): Promise<ClaimEnd | undefined> {
  const { need, by, occurrence } = blocked;
  const decision = decideBlocked(need, overlap);
  if (decision.kind === 'skip') return skipFor(deps, occurrence, by, now);
  if (decision.cancelHolder) await cancelHolder(deps, by);
  const waited = await deps.occurrences.waitForSlot(occurrence, need, decision.capacity);
  switch (waited.kind) {
    case 'waiting':
      return { kind: 'waiting', slot: need.slot };
    case 'free':
      return undefined;
    case 'changed':
      return { kind: 'not-claimable', occurrence: await deps.occurrences.readOccurrence(occurrence) };
    case 'full':
      if (!decision.cancelHolder) return skipFor(deps, occurrence, waited.by, now);
      // The newest is the one that is wanted: what waited before it gives up its place.
      await displace(deps, waited.by, occurrenceId(occurrence), now);
      return undefined;
  }
}

async function skipFor(
  deps: ClaimDeps,
  occurrence: PendingOccurrence,
  by: OccurrenceId,
  now: EpochMs,
): Promise<ClaimEnd> {
  const skipped = await deps.occurrences.skip(occurrence, 'overlap', by, now);
  if (skipped.kind === 'done') return { kind: 'skipped', by };
  return { kind: 'not-claimable', occurrence: await deps.occurrences.readOccurrence(occurrence) };
}

async function cancelHolder(deps: ClaimDeps, holder: OccurrenceId): Promise<void> {
  const key = parseOccurrenceId(holder);
  if (key) await deps.occurrences.requestCancel(key, 'overlap');
}

async function displace(
  deps: ClaimDeps,
  waiting: OccurrenceId,
  by: OccurrenceId,
  now: EpochMs,
): Promise<void> {
  const key = parseOccurrenceId(waiting);
  const found = key && (await deps.occurrences.readOccurrence(key));
  if (found?.status === 'pending') await deps.occurrences.skip(found, 'overlap', by, now);
}
