import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stripeKey } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { Candidates } from '../../../lambdas/adapters/dynamodb/slots/candidates.ts';
import { type OccurrenceKey, occurrenceId } from '../../../lambdas/core/ids.ts';
import { type Held, heldBy } from '../../../lambdas/core/slots/entries.ts';
import { applyLimit } from '../../../lambdas/core/slots/fill.ts';
import { giveBack } from '../../../lambdas/core/slots/hand-over.ts';
import { setLimit, settledStripes } from '../../../lambdas/core/slots/limit.ts';
import { ownSlot } from '../../../lambdas/core/slots/needs.ts';
import { type SlotStore, stripesFor } from '../../../lambdas/core/slots/store.ts';
import { DAY, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { at, definition, NOON } from '../../support/fixtures.ts';
import { keyOf, readPending, seedSchedule } from '../../support/seed.ts';
import { sharing, slotWorker, type Terms } from '../../support/slots.ts';
import { openStores, type Stores } from '../../support/stores.ts';

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
      const now = at((index + 1) * 40 * SECOND);
      const end = await worker.begin(key, terms, now);
      // That nobody was found to wait is believed the second time, a minute later: the index may be behind. Whoever comes
      // meanwhile need not wait for that.
      if (end.kind !== 'claimed') throw new Error(`It is ${end.kind}.`);
      await worker.succeed(end.occurrence, now);
      expect((await stripe(terms.slot))?.hasLine).toBe(index < 1);
    }
  });

  it('leaves the mark where all that the index shows have moved on, since others may be behind them', async () => {
    const terms = sharing(1);
    const [a, b, c] = await jobs(3, terms);
    const first = await worker.start(a, terms);
    for (const key of [b, c]) await worker.begin(key, terms);
    const shown = await slots.waiting(terms.slot, 2);
    await worker.succeed(first);
    await worker.succeed(await worker.start(b, terms));
    const last = await worker.start(c, terms);
    // The index still shows those two, who have been woken.
    const candidates = new Candidates(async () => shown);
    const behind: SlotStore = {
      ...slots,
      waiting: async () => shown,
      nextWaiting: (place, now, isContended) => candidates.next(place, now, isContended),
    };
    for (const minute of [1, 3, 5]) {
      const held = heldBy({ ...last, dispatchSeq: last.dispatchSeq });
      await giveBack(behind, held, at(minute * MINUTE), { waited: true });
      await slots.replace({ slot: terms.slot, stripe: 0 }, held[0] as Held, held[0] as Held);
      await slots.take(
        { slot: terms.slot, stripe: 0 },
        last,
        { ...terms, limit: 1, since: NOON },
        { passing: true },
      );
      expect(await stripe(terms.slot)).toMatchObject({ hasLine: true, idleSince: undefined });
    }
  });

  it('goes to another when the one that was woken for it has found a place by itself', async () => {
    const terms = sharing(2);
    const [a, b, c, d] = await jobs(4, terms);
    const [held] = heldBy(await worker.start(a, terms)) as [Held];
    const other = await worker.start(b, terms);
    for (const key of [c, d]) expect((await worker.begin(key, terms)).kind).toBe('waiting');
    // The message of the one that is woken is quicker than whoever gives the place back.
    const quick: SlotStore = {
      ...slots,
      async replace(place, dead, next, options) {
        if (next.id === occurrenceId(c)) {
          await slots.remove(place, { id: occurrenceId(b), seq: other.dispatchSeq });
          await slots.take(
            place,
            { ...c, dispatchSeq: next.seq },
            { ...terms, limit: 2, since: NOON },
            { passing: true },
          );
        }
        return slots.replace(place, dead, next, options);
      },
    };
    await giveBack(quick, [held], NOON);
    expect([await waits(c), await waits(d)]).toEqual([undefined, undefined]);
    expect([...(await worker.entries(terms.slot)).keys()].toSorted()).toEqual(
      [occurrenceId(c), occurrenceId(d)].toSorted(),
    );
  });
});

describe('a place that was promised and does not get taken', () => {
  it('is taken back without what its occurrence keeps in other slots', async () => {
    const only = sharing(1);
    const { keys, terms, slot } = await runsOf('buffer-one', 2);
    const { concurrency } = only.definition;
    const both = { ...terms, definition: { ...terms.definition, ...(concurrency && { concurrency }) } };
    const [other, behind] = await jobs(2, only);
    const holder = await worker.start(other, only);
    expect(await worker.begin(keys[0], both)).toMatchObject({ kind: 'waiting', slot: only.slot });
    expect((await worker.begin(behind, only)).kind).toBe('waiting');
    await worker.succeed(holder, NOON);
    expect(await waits(keys[0])).toBeUndefined();
    for (let hour = 1; hour <= 12; hour += 1) await worker.sweep(only, at(hour * 2 * HOUR));
    expect(await waits(behind)).toBeUndefined();
    const pending = await readPending(stores, keys[0]);
    expect(Object.keys(pending.places)).toEqual([slot]);
    // Its schedule's next one stays behind it, and the sweep of that slot takes nothing away either.
    expect((await worker.begin(keys[1], both, at(DAY))).kind).toBe('waiting');
    await worker.sweep({ slot }, at(DAY));
    expect([...(await worker.entries(slot)).keys()]).toEqual([occurrenceId(keys[0])]);
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
  it.each([
    ['did not wait', 1],
    ['waited', 3],
  ])('is purged when nobody has used it for long, also when its last run %s', async (_, count) => {
    const { keys, terms, slot } = await runsOf('buffer-all', count);
    const key = stripeKey({ slot, stripe: 0 });
    const item = async () =>
      (await stores.client.send(new GetCommand({ TableName: stores.occurrencesTable, Key: key }))).Item;
    const used = keys.slice(0, count);
    let running = await worker.start(keys[0], terms);
    for (const one of used.slice(1)) expect((await worker.begin(one, terms)).kind).toBe('waiting');
    for (const one of used.slice(1)) {
      await worker.succeed(running);
      running = await worker.start(one, terms);
    }
    expect((await item())?.purge_at).toBeUndefined();
    await worker.succeed(running);
    expect((await item())?.purge_at).toBeGreaterThan(at(29 * DAY) / SECOND);
    const [again] = (await runsOf('buffer-all', 1)).keys;
    const next = {
      ...again,
      schedule: keys[0].schedule,
      scheduledTime: epochMs(again.scheduledTime + MINUTE),
    };
    await slots.take(
      { slot, stripe: 0 },
      { ...next, dispatchSeq: 1 },
      { slot, limit: 1, since: epochMs(0) },
      { passing: true },
    );
    expect((await item())?.purge_at).toBeUndefined();
  });

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
