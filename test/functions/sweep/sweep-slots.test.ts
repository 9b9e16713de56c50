import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WAITING_SHARDS } from '../../../lambdas/contract/tables.ts';
import type { SlotStore } from '../../../lambdas/core/slots/store.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { sweepSlots } from '../../../lambdas/sweep/slots.ts';
import { type SweepDeps, sweep } from '../../../lambdas/sweep/sweep.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { readPending } from '../../support/seed.ts';
import { sharing, slotWorker } from '../../support/slots.ts';
import { openStores, type Stores } from '../../support/stores.ts';
import { sweepDeps } from '../../support/sweep.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores({ shardCount: 2 });
});
afterAll(() => stores.close());

const deps = (now: () => EpochMs, changes: Partial<SweepDeps> = {}) => sweepDeps(stores, now, changes);
const ALL = { shards: [0, 1], reissue: false };

/** Slots that somebody waits for, by shard of the index, each of which takes a second to look at. */
function longLists(byShard: Readonly<Record<number, number>>, faults = new Set<number>()) {
  const names = (shard: number) =>
    Array.from({ length: byShard[shard] ?? 0 }, (_, index) => `${shard}-${String(index).padStart(5, '0')}`);
  const looked: string[] = [];
  let now = NOON;
  const slots = {
    async *waitedFor(shard: number, after = '') {
      if (faults.has(shard)) throw new Error('The index does not answer.');
      yield* names(shard).filter((name) => name > after);
    },
    async readStripes(slot: string, [stripe]: readonly number[]) {
      if (stripe === 0) looked.push(slot);
      now = epochMs(now + SECOND);
      return [];
    },
    waiting: async () => [],
    readMany: async () => new Map(),
  } as unknown as SlotStore;
  return { slots, looked, names, now: () => now, set: (time: EpochMs) => (now = time) };
}

async function listOf(slots: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const slot of slots) all.push(slot);
  return all;
}

describe('slots that somebody waits for', () => {
  it('are all looked at in turn, however many more there are than one pass holds', async () => {
    const world = longLists({ 2: 300, 5: 40, 7: 1 });
    let memory: Awaited<ReturnType<SweepDeps['open']['readMemory']>>;
    const open = {
      ...stores.open,
      readMemory: async () => memory,
      async writeMemory(_: string, next: NonNullable<typeof memory>) {
        memory = JSON.parse(JSON.stringify(next));
      },
    };
    const seen = new Set<string>();
    let passes = 0;
    while (passes < 40 && seen.size < 341) {
      passes += 1;
      world.set(at(passes * MINUTE));
      world.looked.length = 0;
      const occurrences = { ...stores.occurrences, slots: world.slots };
      const { unfinished } = await sweep(
        deps(world.now, { occurrences, open, stopAt: at(passes * MINUTE + 50 * SECOND) }),
        ALL,
      );
      if (passes === 1) expect(unfinished).toBeGreaterThan(0);
      expect(new Set(world.looked).size).toBeGreaterThan(10);
      // A shard with few slots does not wait for one with many.
      if (passes === 1) expect(world.looked).toContain('7-00000');
      for (const slot of world.looked) seen.add(slot);
    }
    expect(seen.size).toBe(341);
    // Each pass holds some thirty looks; none is looked at again and again before the others.
    expect(passes).toBeLessThanOrEqual(25);
  });

  it('are looked at once in a pass that comes around', async () => {
    const world = longLists({ 3: 20 });
    const from = { 3: '3-00012' };
    const none = { expireLease: async () => {}, mayBeLost: () => {}, stopAt: at(HOUR) };
    const occurrences = { ...stores.occurrences, slots: world.slots };
    const { positions, waitedFor } = await sweepSlots({ ...none, occurrences, now: world.now }, from);
    expect([positions, waitedFor]).toEqual([{}, 20]);
    expect([...new Set(world.looked)].toSorted()).toEqual(world.names(3));
  });

  it('are looked at although the index of others cannot be read', async () => {
    const world = longLists({ 1: 5, 2: 5 }, new Set([1]));
    const none = { expireLease: async () => {}, mayBeLost: () => {}, stopAt: at(HOUR) };
    const occurrences = { ...stores.occurrences, slots: world.slots };
    const { failures, waitedFor } = await sweepSlots({ ...none, occurrences, now: world.now });
    expect([failures.map(({ id }) => id), waitedFor]).toEqual([['slots-1'], 5]);
  });

  it('are found in the index behind a given one', async () => {
    const worker = slotWorker(stores);
    const made = new Set<string>();
    for (let index = 0; index < 12; index += 1) {
      const terms = sharing(1);
      const [a, b] = await worker.jobs(2, terms);
      if (!a || !b) throw new Error('There are no jobs.');
      await worker.start(a, terms);
      expect((await worker.begin(b, terms)).kind).toBe('waiting');
      made.add(terms.slot);
    }
    const { slots } = stores.occurrences;
    const found: string[] = [];
    for (let shard = 0; shard < WAITING_SHARDS; shard += 1) {
      const all = await listOf(slots.waitedFor(shard));
      found.push(...all);
      for (const [index, slot] of all.entries())
        expect(await listOf(slots.waitedFor(shard, slot))).toEqual(all.slice(index + 1));
    }
    expect(found.filter((slot) => made.has(slot)).toSorted()).toEqual([...made].toSorted());
  });
});

describe('a place that was promised to one that does not come', () => {
  it.each([
    [
      'is handed over again at once where the queue does not hold its message',
      { visible: 0, inFlight: 0 },
      1,
    ],
    ['is not handed over again while it is merely queued', { visible: 500, inFlight: 100 }, 0],
    ['is not handed over again while the queue does not say', undefined, 0],
  ])('%s', async (_, counts, sends) => {
    const worker = slotWorker(stores);
    const terms = sharing(1);
    const [a, b, c] = await worker.jobs(3, terms);
    if (!a || !b || !c) throw new Error('There are no jobs.');
    const running = await worker.start(a, terms);
    for (const key of [b, c]) await worker.begin(key, terms);
    await worker.succeed(running, NOON);
    const messages = {
      counts: async () => {
        if (!counts) throw new Error('It does not answer.');
        return counts;
      },
    };
    await sweep(
      deps(() => at(20 * SECOND), { messages }),
      ALL,
    );
    expect(await readPending(stores, b)).toMatchObject({ sends, places: { [terms.slot]: 0 } });
    expect((await readPending(stores, c)).waitingFor).toBe(terms.slot);
  });
});
