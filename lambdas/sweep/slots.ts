import pMap from 'p-map';
import { WAITING_SHARDS } from '../contract/tables.ts';
import type { PendingOccurrence, RunningOccurrence } from '../core/occurrence.ts';
import { isLeaseOver } from '../core/overdue.ts';
import type { OccurrenceStore } from '../core/ports.ts';
import { isAlive } from '../core/slots/entries.ts';
import { fillSlot, settledStripes } from '../core/slots/limit.ts';
import type { Entry, Place } from '../core/slots/store.ts';
import { type EpochMs, MINUTE, SECOND } from '../core/time.ts';

/** Shards of the index looked at side by side, slots within one, and entries of one slot. */
const SHARD_CONCURRENCY = 4;
const SLOT_CONCURRENCY = 4;
const ENTRY_CONCURRENCY = 8;

/** What was promised a place and has not started is handed over again after this; each time the pause doubles. */
const PROMISE = 15 * SECOND;
/** So often; then the place goes to another, and the occurrence stands in the line again. */
const MAX_PROMISES = 8;
/** Outside workers come when they like: a place is not kept for them for longer. */
const PULL_PROMISE = MINUTE;

export interface SlotSweepDeps {
  readonly occurrences: Pick<OccurrenceStore, 'slots' | 'redispatch'>;
  /** Ends an attempt whose lease is over, by its retry policy. */
  readonly expireLease: (running: RunningOccurrence, now: EpochMs) => Promise<unknown>;
  /** No slot is begun after this. */
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export interface SlotSweepResult {
  /** Slots that somebody waited for. */
  readonly waitedFor: number;
  /** That were handed a place. */
  readonly handedOut: number;
  readonly isUnfinished: boolean;
  readonly failures: readonly { readonly id: string; readonly error: unknown }[];
}

/**
 * Looks at every slot that somebody waits for, whatever has become of those that were to wake them: what is to be done is
 * read off the items. What is dead goes, what is stale is ended first, and all the room there is is handed out.
 */
export async function sweepSlots(deps: SlotSweepDeps): Promise<SlotSweepResult> {
  // Each pass begins elsewhere, so that one that runs out of time does not always leave the same ones.
  const from = Math.floor(deps.now() / MINUTE);
  const shards = Array.from({ length: WAITING_SHARDS }, (_, index) => (from + index) % WAITING_SHARDS);
  const result = { waitedFor: 0, handedOut: 0, isUnfinished: false };
  const failures: { id: string; error: unknown }[] = [];
  const sweepShard = async (shard: number) => {
    const inTime = async function* () {
      for await (const slot of deps.occurrences.slots.waitedFor(shard)) {
        if (deps.now() < deps.stopAt) yield slot;
        else {
          result.isUnfinished = true;
          return;
        }
      }
    };
    const look = async (slot: string) => {
      result.waitedFor += 1;
      try {
        result.handedOut += await sweepSlot(deps, slot);
      } catch (error) {
        failures.push({ id: slot, error });
      }
    };
    await pMap(inTime(), look, { concurrency: SLOT_CONCURRENCY });
  };
  await pMap(shards, sweepShard, { concurrency: SHARD_CONCURRENCY });
  return { ...result, failures };
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

async function takeBack(
  { occurrences }: SlotSweepDeps,
  place: Place,
  entry: Entry,
  pending: PendingOccurrence,
  now: EpochMs,
): Promise<boolean> {
  const { slots } = occurrences;
  if (pending.pullQueue === undefined && pending.redispatches < MAX_PROMISES) {
    await occurrences.redispatch(pending, now, 'overdue');
    return false;
  }
  if (!(await slots.fence(pending, now))) return false;
  return (await slots.remove(place, entry)).kind === 'removed';
}
