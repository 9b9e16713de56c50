import pMap from 'p-map';
import { WAITING_SHARDS } from '../contract/tables.ts';
import type { PendingOccurrence, RunningOccurrence } from '../core/occurrence/occurrence.ts';
import { isLeaseOver, isUnsent } from '../core/occurrence/overdue.ts';
import type { OccurrenceStore } from '../core/ports/occurrence-store.ts';
import { isAlive } from '../core/slots/entries.ts';
import { fillSlot, settledStripes } from '../core/slots/limit.ts';
import type { Entry, Place, SlotStore } from '../core/slots/store.ts';
import { type EpochMs, MINUTE, SECOND } from '../core/time.ts';

/** Slots looked at side by side in one shard of the index, and entries of one slot. */
const SLOT_CONCURRENCY = 2;
const ENTRY_CONCURRENCY = 8;

/** What was promised a place and has not started may be lost after this; each time the pause doubles. */
const PROMISE = 15 * SECOND;
/** Handed over so often; then the place goes to another, and the occurrence stands in the line again. */
const MAX_PROMISES = 8;
/** Outside workers come when they like: a place is not kept for them for longer. */
const PULL_PROMISE = MINUTE;

export interface SlotSweepDeps {
  readonly occurrences: Pick<OccurrenceStore, 'slots' | 'redispatch'>;
  /** Ends an attempt whose lease is over, by its retry policy. */
  readonly expireLease: (running: RunningOccurrence, now: EpochMs) => Promise<unknown>;
  /** It was promised a place and does not come: to be handed over again, should the queue not hold its message. */
  readonly mayBeLost: (promised: PendingOccurrence) => void;
  /** No slot is begun after this. */
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

/** By shard of the index: the last slot that was looked at, where time was up before the shard was through. */
export type SlotPositions = Readonly<Record<string, string>>;

export interface SlotSweepResult {
  /** Slots that somebody waited for. */
  readonly waitedFor: number;
  /** That were handed a place. */
  readonly handedOut: number;
  /** Shards that were not looked through, and where the next pass is to go on in them. */
  readonly unfinished: number;
  readonly positions: SlotPositions;
  readonly failures: readonly { readonly id: string; readonly error: unknown }[];
}

/**
 * Looks at every slot that somebody waits for, whatever has become of those that were to wake them: what is to be done is
 * read off the items. What is dead goes, what is stale is ended first, and all the room there is is handed out. The shards
 * take turns, and each goes on where the last pass stopped: none of more slots than one pass holds is left out for ever.
 */
export async function sweepSlots(deps: SlotSweepDeps, from: SlotPositions = {}): Promise<SlotSweepResult> {
  const result = { waitedFor: 0, handedOut: 0, unfinished: 0 };
  const positions: Record<string, string> = {};
  const failures: { id: string; error: unknown }[] = [];
  const look = async (slot: string) => {
    result.waitedFor += 1;
    try {
      result.handedOut += await sweepSlot(deps, slot);
    } catch (error) {
      failures.push({ id: slot, error });
    }
  };
  const sweepShard = async (shard: number) => {
    let last = from[shard];
    const inTime = async function* () {
      for await (const slot of inTurn(deps.occurrences.slots, shard, from[shard])) {
        if (deps.now() >= deps.stopAt) {
          result.unfinished += 1;
          if (last !== undefined) positions[shard] = last;
          return;
        }
        last = slot;
        yield slot;
      }
    };
    try {
      await pMap(inTime(), look, { concurrency: SLOT_CONCURRENCY });
    } catch (error) {
      // The index could not be read: as far as it was, and no other shard is the worse for it.
      failures.push({ id: `slots-${shard}`, error });
      if (last !== undefined) positions[shard] = last;
    }
  };
  const shards = Array.from({ length: WAITING_SHARDS }, (_, shard) => shard);
  await pMap(shards, sweepShard, { concurrency: WAITING_SHARDS });
  return { ...result, positions, failures };
}

/** Those behind the one where the last pass stopped, and then those up to it. */
async function* inTurn(
  slots: Pick<SlotStore, 'waitedFor'>,
  shard: number,
  stoppedAt: string | undefined,
): AsyncGenerator<string> {
  yield* slots.waitedFor(shard, stoppedAt);
  if (stoppedAt === undefined) return;
  for await (const slot of slots.waitedFor(shard)) {
    yield slot;
    if (slot >= stoppedAt) return;
  }
}

async function sweepSlot(deps: SlotSweepDeps, slot: string): Promise<number> {
  const { slots } = deps.occurrences;
  const stripes = await settledStripes(slots, slot);
  const entries = stripes.flatMap((place) =>
    [...place.entries].map(([id, seq]) => ({ place, entry: { id, seq } })),
  );
  const found = await slots.readMany(entries.map(({ entry }) => entry.id));
  const cleared = await pMap(entries, ({ place, entry }) => clear(deps, place, entry, found.get(entry.id)), {
    concurrency: ENTRY_CONCURRENCY,
  });
  const now = deps.now();
  const isChanged = cleared.includes(true);
  return fillSlot(slots, slot, isChanged ? await settledStripes(slots, slot) : stripes, now);
}

type Found = Parameters<typeof isAlive>[2];

/** Removes an entry whose attempt is dead, or makes it dead and then removes it. Answers whether anything has changed. */
async function clear(deps: SlotSweepDeps, place: Place, entry: Entry, found: Found): Promise<boolean> {
  const { slots } = deps.occurrences;
  const now = deps.now();
  if (!isAlive(entry, place, found)) return (await slots.remove(place, entry)).kind === 'removed';
  if (found?.status === 'running') {
    if (!isLeaseOver(found, now)) return false;
    // Its end gives the place back, unless it is kept for the next attempt.
    await deps.expireLease(found, now);
    return true;
  }
  if (found?.status !== 'pending' || place.slot in found.kept) return false;
  return isForgotten(found, now) ? takeBack(deps, place, entry, found, now) : false;
}

function isForgotten(
  { redispatchedAt, dueAt, createdAt, redispatches, pullQueue }: PendingOccurrence,
  now: EpochMs,
) {
  const since = now - Math.max(redispatchedAt ?? 0, dueAt, createdAt);
  return (
    since >= (pullQueue === undefined ? PROMISE * 2 ** Math.min(redispatches, MAX_PROMISES) : PULL_PROMISE)
  );
}

/** Answers whether the place is free again. Until its message is known to be lost it stays promised. */
async function takeBack(
  { occurrences, mayBeLost }: SlotSweepDeps,
  place: Place,
  entry: Entry,
  pending: PendingOccurrence,
  now: EpochMs,
): Promise<boolean> {
  const { slots } = occurrences;
  if (isUnsent(pending)) {
    // The queue need not be asked.
    await occurrences.redispatch(pending, now, 'overdue');
    return false;
  }
  if (pending.pullQueue === undefined && pending.redispatches < MAX_PROMISES) {
    mayBeLost(pending);
    return false;
  }
  if (!(await slots.fence(pending, place.slot, now))) return false;
  return (await slots.remove(place, entry)).kind === 'removed';
}
