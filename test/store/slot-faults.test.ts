import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OccurrenceKey, occurrenceId } from '../../lambdas/core/ids.ts';
import { applyLimit } from '../../lambdas/core/slots/fill.ts';
import { setLimit, settledStripes } from '../../lambdas/core/slots/limit.ts';
import { type SlotStore, stripesFor } from '../../lambdas/core/slots/store.ts';
import { ownSlot } from '../../lambdas/core/slots.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, definition, NOON } from '../support/fixtures.ts';
import { keyOf, readPending, seedSchedule } from '../support/seed.ts';
import { sharing, slotWorker, type Terms } from '../support/slots.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
let slots: SlotStore;
let worker: ReturnType<typeof slotWorker>;
beforeAll(async () => {
  stores = await openStores();
  slots = stores.occurrences.slots;
  worker = slotWorker(stores);
});
afterAll(() => stores.close());

type Keys = [OccurrenceKey, OccurrenceKey, OccurrenceKey, OccurrenceKey];
const jobs = async (count: number, terms: Terms) => (await worker.jobs(count, terms)) as Keys;
const waits = async (key: OccurrenceKey) => (await readPending(stores, key)).waitingFor;
const stripe = async (slot: string, index = 0) => (await slots.readStripes(slot, [index]))[0];

/** Occurrences of one schedule, each a minute after the other; and what they need. */
async function runsOf(overlap: 'skip' | 'buffer-one' | 'buffer-all' | 'cancel-other', count: number) {
  const times = Array.from({ length: count }, (_, index) => at((index - count) * MINUTE));
  const of = await seedSchedule(stores, times, { definition: { overlap } });
  const terms: Terms = { definition: definition({ overlap }), createdAt: NOON };
  return { keys: times.map((time) => keyOf(of, time)) as Keys, terms, slot: ownSlot(of.id) };
}

describe('a place that is given back', () => {
  it('by one that is cancelled between its attempts goes to the next at once', async () => {
    const { keys, terms } = await runsOf('buffer-all', 2);
    const [a, b] = keys;
    await worker.fail(await worker.start(a, terms), at(HOUR));
    expect((await worker.begin(b, terms)).kind).toBe('waiting');
    await stores.occurrences.cancel(await readPending(stores, a), 'user', NOON);
    expect(await waits(b)).toBeUndefined();
    expect((await worker.begin(b, terms)).kind).toBe('claimed');
  });

  it('goes to another for each that ends, however many end in the same millisecond', async () => {
    const terms = sharing(8);
    const keys = await jobs(16, terms);
    const running = [];
    for (const key of keys.slice(0, 8)) running.push(await worker.start(key, terms));
    for (const key of keys.slice(8)) expect((await worker.begin(key, terms)).kind).toBe('waiting');
    await Promise.all(running.map((one) => worker.succeed(one)));
    const woken = keys.slice(8).map(occurrenceId);
    expect([...(await worker.entries(terms.slot)).keys()].toSorted()).toEqual(woken.toSorted());
    expect(await slots.waiting(terms.slot, 10)).toEqual([]);
  });

  it('is still there when the next has taken another on its own', async () => {
    const terms = sharing(2);
    const [a, b, c] = await jobs(3, terms);
    const held = { id: occurrenceId(a), seq: (await worker.start(a, terms)).dispatchSeq };
    const next = { id: occurrenceId(b), seq: (await worker.start(b, terms)).dispatchSeq };
    const place = { slot: terms.slot, stripe: 0 };
    expect(await slots.replace(place, held, next)).toBe(false);
    const other = { id: occurrenceId(c), seq: 1 };
    expect(await slots.replace(place, held, other)).toBe(true);
    // Said again, since its answer was lost.
    expect(await slots.replace(place, held, other)).toBe(true);
  });

  it('leaves no mark of a line behind once the line is gone', async () => {
    const terms = sharing(1);
    const keys = await jobs(5, terms);
    const [a, b] = keys;
    const first = await worker.start(a, terms);
    await worker.begin(b, terms);
    await worker.succeed(first);
    await worker.succeed(await worker.start(b, terms, at(SECOND)), at(SECOND));
    for (const [index, key] of keys.slice(2).entries()) {
      const now = at((index + 1) * 10 * SECOND);
      const end = await worker.begin(key, terms, now);
      // That nobody was found to wait is believed the second time: the index may be behind.
      expect(end.kind).toBe(index === 0 ? 'waiting' : 'claimed');
      await worker.succeed(
        end.kind === 'claimed' ? end.occurrence : await worker.start(key, terms, now),
        now,
      );
    }
    expect((await stripe(terms.slot))?.hasLine).toBe(false);
  });
});

describe('a limit of several stripes', () => {
  it('does not keep anybody waiting beside free places who still knows a larger one', async () => {
    const terms = sharing(1_000);
    const [a, ...rest] = await jobs(12, terms);
    await worker.succeed(await worker.start(a, terms));
    await applyLimit(slots, { slot: terms.slot, limit: 10, since: at(HOUR) }, NOON);
    for (const key of rest.slice(0, 10)) expect((await worker.begin(key, terms)).kind).toBe('claimed');
  });

  it('is put in force by those who come, when whoever changed it died half-way', async () => {
    const terms = sharing(20);
    const keys = await jobs(12, terms);
    await worker.succeed(await worker.start(keys[0], terms));
    const concurrency = { key: terms.slot.slice(4), limit: 30 };
    const later: Terms = { ...terms, createdAt: at(HOUR), definition: { ...terms.definition, concurrency } };
    await slots.beginLimit({ slot: terms.slot, limit: 30, since: at(HOUR) });
    for (const key of keys.slice(1)) {
      if ((await worker.begin(key, later)).kind === 'waiting') await worker.start(key, later);
    }
    expect((await settledStripes(slots, terms.slot)).map(({ cap }) => cap)).toEqual([10, 10, 10]);
  });

  it('is not undone by copies of its writes that come late', async () => {
    const terms = sharing(25);
    const late: (() => Promise<unknown>)[] = [];
    const recorded: SlotStore = {
      ...slots,
      beginLimit: (limit) => {
        late.push(() => slots.beginLimit(limit));
        return slots.beginLimit(limit);
      },
      share: (...write) => {
        late.push(() => slots.share(...write));
        return slots.share(...write);
      },
    };
    await setLimit(recorded, { slot: terms.slot, limit: 25, since: NOON }, NOON);
    for (const again of late.toReversed()) await again();
    const all = Array.from({ length: stripesFor(25) }, (_, index) => index);
    const stripes = await slots.readStripes(terms.slot, all);
    expect(stripes.map(({ cap }) => cap).toSorted((x, y) => y - x)).toEqual([10, 10, 5]);
  });
});

describe("a schedule's own slot", () => {
  it('remembers how far it has come, also when each run is handed it by the one before', async () => {
    const { keys, terms, slot } = await runsOf('buffer-all', 6);
    let running = await worker.start(keys[0], terms);
    for (const key of keys.slice(1)) expect((await worker.begin(key, terms)).kind).toBe('waiting');
    for (const key of keys.slice(1)) {
      const before = running.scheduledTime;
      await worker.succeed(running);
      expect((await stripe(slot))?.through).toBe(before);
      running = await worker.start(key, terms);
    }
  });

  it('has one in line with buffer-one, also when that is of a time before the one that runs', async () => {
    const { keys, terms } = await runsOf('buffer-one', 4);
    const [first, early, holder, late] = keys;
    await worker.succeed(await worker.start(first, terms));
    await worker.start(holder, terms);
    expect((await worker.begin(early, terms)).kind).toBe('waiting');
    expect((await worker.begin(late, terms)).kind).toBe('skipped');
    expect(epochMs(early.scheduledTime)).toBeLessThan(holder.scheduledTime);
  });
});
