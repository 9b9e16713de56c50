import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OccurrenceKey } from '../../../lambdas/core/ids.ts';
import { ownSlot } from '../../../lambdas/core/slots/needs.ts';
import { DAY, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { at, definition, NOON } from '../../support/fixtures.ts';
import { keyOf, planned, readPending, seedSchedule } from '../../support/seed.ts';
import { slotWorker, type Terms } from '../../support/slots.ts';
import { openStores, type Stores } from '../../support/stores.ts';

let stores: Stores;
let worker: ReturnType<typeof slotWorker>;
beforeAll(async () => {
  stores = await openStores();
  worker = slotWorker(stores);
});
afterAll(() => stores.close());

const terms: Terms = { definition: definition({ overlap: 'buffer-all' }), createdAt: at(-DAY) };

/** Occurrences of one schedule that starts them in order, at these minutes. */
async function runsAt<Minutes extends readonly number[]>(...minutes: Minutes) {
  const times = minutes.map((minute) => at(minute * MINUTE));
  const used = at(-90 * MINUTE);
  const of = await seedSchedule(stores, [used, ...times], { definition: terms.definition });
  // A slot that was never used knows of none that has started.
  await end(await start(keyOf(of, used), -90), -89);
  const keys = times.map((time) => keyOf(of, time));
  return { keys: keys as { [Index in keyof Minutes]: OccurrenceKey }, slot: ownSlot(of.id) };
}

async function move(key: OccurrenceKey, minute: number) {
  const to = { dueAt: at(minute * MINUTE), notes: [] };
  await stores.occurrences.reschedule(await readPending(stores, key), to, at(-2 * HOUR));
}

const begin = (key: OccurrenceKey, minute: number) => worker.begin(key, terms, at(minute * MINUTE));
const start = (key: OccurrenceKey, minute: number) => worker.start(key, terms, at(minute * MINUTE));
const end = async (running: Awaited<ReturnType<typeof start>>, minute: number) => {
  await worker.succeed(running, at(minute * MINUTE));
};
const waits = async (key: OccurrenceKey) => (await readPending(stores, key)).waitingFor;

describe('a run that was moved, of a schedule that starts its runs in order', () => {
  it('to a later time starts before what is due after it, whichever message comes first', async () => {
    const { keys, slot } = await runsAt(-30, -20, -3, -2);
    const [moved, first, later, last] = keys;
    await move(moved, -5);
    await end(await start(first, -20), -19);
    // The message of the one that was moved is late.
    expect((await begin(later, -3)).kind).toBe('waiting');
    expect(await waits(later)).toBe(slot);
    await end(await start(moved, -3), -3);
    expect(await waits(later)).toBeUndefined();
    await end(await start(later, -2), -2);
    await begin(last, -2);
    expect((await begin(last, -2)).kind).toBe('claimed');
  });

  it('is not forgotten when places are handed from one to the next meanwhile', async () => {
    const { keys, slot } = await runsAt(-30, -20, -19, -18, -3);
    const [moved, first, second, third, last] = keys;
    await move(moved, -5);
    const running = await start(first, -20);
    for (const key of [second, third]) expect((await begin(key, -18)).kind).toBe('waiting');
    await end(running, -17);
    await end(await start(second, -17), -16);
    await end(await start(third, -16), -15);
    expect((await begin(last, -3)).kind).toBe('waiting');
    expect(await waits(last)).toBe(slot);
    await end(await start(moved, -3), -3);
    expect((await begin(last, -2)).kind).toBe('claimed');
  });

  it('to an earlier time leaves those between in their order', async () => {
    const { keys } = await runsAt(60, -10, -9);
    const [moved, early, late] = keys;
    await move(moved, -20);
    await end(await start(moved, -20), -19);
    expect((await begin(late, -9)).kind).toBe('waiting');
    await end(await start(early, -9), -8);
    expect((await begin(late, -8)).kind).toBe('claimed');
  });

  it('stands in line by when it is due now, so that nobody is woken only to wait for it', async () => {
    const { keys } = await runsAt(-30, -29, -28, -10);
    const [running, moved, first, last] = keys;
    const holder = await start(running, -30);
    await move(moved, -20);
    for (const key of [first, moved, last]) expect((await begin(key, -10)).kind).toBe('waiting');
    await end(holder, -9);
    for (const next of [first, moved, last]) {
      expect(await waits(next)).toBeUndefined();
      await end(await start(next, -9), -8);
    }
  });

  it('lets what was due before it go first, also when the message of that is late', async () => {
    const { keys } = await runsAt(-30, -20, -10);
    const [moved, before, between] = keys;
    await move(moved, -5);
    await end(await start(before, -20), -19);
    expect((await begin(moved, -5)).kind).toBe('waiting');
    await end(await start(between, -5), -4);
    expect((await begin(moved, -4)).kind).toBe('claimed');
  });

  it('for so long that its schedule has gone far beyond it costs the others no ever longer look', async () => {
    const from = at(-10 * HOUR);
    const of = await seedSchedule(stores, [from], { definition: terms.definition });
    await move(keyOf(of, from), DAY / MINUTE);
    const moved = await readPending(stores, keyOf(of, from));
    let before = of;
    for (let batch = 0; batch < 3; batch += 1) {
      const times = Array.from({ length: 80 }, (_, index) =>
        epochMs(from + (batch * 80 + index + 1) * MINUTE),
      );
      const nextDueAt = epochMs(NOON + (61 + batch) * MINUTE);
      const create = times.map((time) => planned(of, time));
      await stores.planning.materialise([{ head: before, create, records: [], nextDueAt }], NOON);
      before = { ...before, nextDueAt };
      for (const time of times)
        await stores.occurrences.skip(await readPending(stores, keyOf(of, time)), 'user', undefined, NOON);
    }
    const asking = (minutes: number) => {
      const time = epochMs(from + minutes * MINUTE);
      return stores.occurrences.slots.lookBefore(
        { ...moved, scheduledTime: time, firstDueAt: time },
        from,
        NOON,
      );
    };
    expect(await asking(100)).toEqual({ left: from });
    expect(await asking(240)).toEqual({});
  });
});

describe('a place that is left to one that must start before', () => {
  it('does not stay with it when it comes to wait just then', async () => {
    const { keys } = await runsAt(-30, -20, -10);
    const [running, earlier, later] = keys;
    const first = await start(running, -10);
    const [seen, parks, replaces] = Array.from({ length: 3 }, () => Promise.withResolvers<void>()) as [
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
    ];
    const { slots } = stores.occurrences;
    const slow = slotWorker(stores, {
      ...stores.occurrences,
      slots: {
        ...slots,
        async park(...args) {
          seen.resolve();
          await parks.promise;
          return slots.park(...args);
        },
      },
    });
    const wary = slotWorker(stores, {
      ...stores.occurrences,
      slots: {
        ...slots,
        async replace(...args) {
          replaces.resolve();
          await comes;
          return slots.replace(...args);
        },
      },
    });
    expect((await begin(later, -10)).kind).toBe('waiting');
    // It has seen the first run, and is about to wait for it.
    const comes = slow.begin(earlier, terms, at(-10 * MINUTE));
    await seen.promise;
    await end(first, -9);
    // The later one was woken, finds that another is before it, and leaves its place to that one.
    const yields = wary.begin(later, terms, at(-9 * MINUTE));
    await replaces.promise;
    parks.resolve();
    expect([(await comes).kind, (await yields).kind]).toEqual(['waiting', 'waiting']);
    expect(await waits(earlier)).toBeUndefined();
    expect((await begin(earlier, -9)).kind).toBe('claimed');
  });
});
