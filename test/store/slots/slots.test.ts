import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOccurrenceStore } from '../../../lambdas/adapters/dynamodb/index.ts';
import { type OccurrenceId, type OccurrenceKey, occurrenceId } from '../../../lambdas/core/ids.ts';
import type { RunningOccurrence } from '../../../lambdas/core/occurrence/occurrence.ts';
import { sideBySide } from '../../../lambdas/core/side-by-side.ts';
import { applyLimit } from '../../../lambdas/core/slots/fill.ts';
import { settledStripes } from '../../../lambdas/core/slots/limit.ts';
import { DAY, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { readPending } from '../../support/seed.ts';
import { sharing, slotWorker, type Terms } from '../../support/slots.ts';
import { openStores, type Stores } from '../../support/stores.ts';

let stores: Stores;
let worker: ReturnType<typeof slotWorker>;
beforeAll(async () => {
  stores = await openStores();
  worker = slotWorker(stores);
});
afterAll(() => stores.close());

type Keys = [OccurrenceKey, ...OccurrenceKey[]] & Record<1 | 2 | 3, OccurrenceKey>;
const jobs = async (count: number, terms: Terms) => (await worker.jobs(count, terms)) as Keys;
const statusOf = async (key: OccurrenceKey) => (await stores.occurrences.readOccurrence(key))?.status;
const waits = async (key: OccurrenceKey) => (await readPending(stores, key)).waitingFor;

describe('a place in a slot', () => {
  it('is taken before the claim and given back after the end', async () => {
    const terms = sharing(1);
    const [a] = await jobs(1, terms);
    const running = await worker.start(a, terms);
    expect(running.places).toEqual({ [terms.slot]: 0 });
    expect(await worker.entries(terms.slot)).toEqual(new Map([[occurrenceId(a), running.dispatchSeq]]));
    expect(await worker.succeed(running)).toEqual({ kind: 'done' });
    expect(await worker.entries(terms.slot)).toEqual(new Map());
  });

  it.each([1, 10, 15, 101, 150])(
    'is had by no more than %i at once, however many come at once',
    async (limit) => {
      const terms = sharing(limit);
      const keys = await jobs(limit + 25, terms);
      const ends = await Promise.all(keys.map((key) => worker.begin(key, terms)));
      const started = ends.filter(({ kind }) => kind === 'claimed').length;
      expect(started).toBeLessThanOrEqual(limit);
      // Of many stripes not all were looked at by each; the sweep finds what is left.
      await worker.sweep(terms);
      for (const key of keys)
        if ((await statusOf(key)) === 'pending' && (await waits(key)) === undefined)
          await worker.start(key, terms);
      const running = await Promise.all(keys.map(statusOf));
      expect(running.filter((status) => status === 'running')).toHaveLength(limit);
      expect((await worker.entries(terms.slot)).size).toBe(limit);
    },
    60_000,
  );

  it('is found again by a copy of the message, which starts nothing and takes nothing away', async () => {
    const terms = sharing(2);
    const [a] = await jobs(1, terms);
    const copies = await Promise.all([1, 2, 3].map((n) => worker.begin(a, terms, NOON, `w${n}`)));
    expect(copies.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect((await worker.entries(terms.slot)).size).toBe(1);
  });

  it('of a dead attempt goes to the next that comes', async () => {
    const terms = sharing(1);
    const [a, b] = await jobs(2, terms);
    await worker.succeed(await startedByOneThatDies(a, terms));
    expect((await worker.entries(terms.slot)).size).toBe(1);
    expect((await worker.begin(b, terms)).kind).toBe('claimed');
    expect([...(await worker.entries(terms.slot)).keys()]).toEqual([occurrenceId(b)]);
  });

  it('is not taken over while its lease stands, nor before somebody has ended the attempt', async () => {
    const terms = sharing(1);
    const [a, b] = await jobs(2, terms);
    const running = await worker.start(a, terms);
    expect((await worker.begin(b, terms, at(3 * HOUR))).kind).toBe('waiting');
    await worker.sweep(terms, at(HOUR + SECOND));
    expect(await waits(b)).toBe(terms.slot);
    const { ended } = await worker.sweep(terms, at(HOUR + MINUTE));
    expect(ended.map(occurrenceId)).toEqual([occurrenceId(a)]);
    expect(await stores.occurrences.renew(running, at(2 * HOUR), NOON)).toEqual({ kind: 'lost-lease' });
    expect((await worker.begin(b, terms, at(HOUR + MINUTE))).kind).toBe('claimed');
  });
});

/** Its process ends an attempt and dies before it gives anything back. */
async function startedByOneThatDies(key: OccurrenceKey, terms: Terms): Promise<RunningOccurrence> {
  const running = await worker.start(key, terms);
  return { ...running, places: {} };
}

describe('who waits for a slot', () => {
  it('is handed the place at once, in the order of due times, and nobody passes', async () => {
    const terms = sharing(1);
    const [a, b, c, d] = (await jobs(4, terms)) as Keys;
    let running = await worker.start(a, terms);
    for (const key of [d, b, c]) expect((await worker.begin(key, terms)).kind).toBe('waiting');
    for (const next of [b, c, d]) {
      await worker.succeed(running);
      const [late] = await jobs(1, terms);
      expect((await worker.begin(late, terms)).kind).toBe('waiting');
      running = await worker.start(next, terms);
    }
  });

  it.each([8, 60])(
    'is handed every place of %i that are given back at the same moment',
    async (limit) => {
      const terms = sharing(limit);
      const keys = await jobs(4 * limit, terms);
      const atOnce = async <Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>) => {
        await sideBySide(items, 30, act);
      };
      await atOnce(keys, (key) => worker.begin(key, terms));
      await worker.sweep(terms);
      for (let round = 0; round < 3; round += 1) {
        const all = [...(await stores.occurrences.slots.readMany(keys.map(occurrenceId))).values()];
        const woken = all.filter((one) => one.status === 'pending' && one.waitingFor === undefined);
        await atOnce(woken, (one) => worker.start(one, terms));
        const found = [...(await stores.occurrences.slots.readMany(keys.map(occurrenceId))).values()];
        const running = found.filter((one) => one.status === 'running');
        expect(running).toHaveLength(limit);
        await atOnce(running, (one) => worker.succeed(one));
      }
      expect((await worker.entries(terms.slot)).size).toBe(limit);
    },
    60_000,
  );

  it('stands behind all others when it is of a backfill', async () => {
    const terms = sharing(1);
    const [a, old, fresh] = await jobs(3, terms);
    const running = await worker.start(a, terms);
    const backfilled = { ...(await readPending(stores, old)), kind: 'backfill' as const };
    await stores.occurrences.slots.park(backfilled, terms.slot, {});
    expect((await worker.begin(fresh, terms)).kind).toBe('waiting');
    await worker.succeed(running);
    expect(await waits(fresh)).toBeUndefined();
  });

  it('is woken although the first that was woken is cancelled before it starts', async () => {
    const terms = sharing(1);
    const [a, b, c] = await jobs(3, terms);
    const running = await worker.start(a, terms);
    for (const key of [b, c]) await worker.begin(key, terms);
    await worker.succeed(running);
    await stores.occurrences.cancel(await readPending(stores, b), 'user', NOON);
    expect(await waits(c)).toBeUndefined();
    expect((await worker.begin(c, terms)).kind).toBe('claimed');
  });

  it('is woken although the one that was woken finds another of its slots full', async () => {
    const terms = sharing(1);
    const groupLimit = { limit: 1, since: NOON };
    const both = { ...terms, groupLimit };
    const only = { ...sharing(5), groupLimit };
    const [b1, a1, b2] = await jobs(3, terms);
    const c1 = { ...(await jobs(1, only))[0] };
    const holder = await worker.start(b1, terms);
    await worker.begin(a1, both);
    await worker.begin(b2, terms);
    await worker.start(c1, only);
    await worker.succeed(holder);
    // It gives the key back while it waits for the group.
    expect(await worker.begin(a1, both)).toMatchObject({
      kind: 'waiting',
      slot: 'group:a-group-with-a-name',
    });
    expect((await worker.begin(b2, terms)).kind).toBe('claimed');
  });

  it('is found by the sweep when whoever was to wake it died, in a pull queue as well', async () => {
    const terms = sharing(1);
    const [a, b, c] = await jobs(3, terms);
    const dying = await startedByOneThatDies(a, terms);
    for (const key of [b, c]) await worker.begin(key, terms);
    await worker.succeed(dying);
    expect(await waits(b)).toBe(terms.slot);
    expect(await worker.sweep(terms)).toMatchObject({ handedOut: 1 });
    expect([await waits(b), await waits(c)]).toEqual([undefined, terms.slot]);
  });

  it('is no bar to others when it was promised a place and does not come', async () => {
    const terms = sharing(1);
    const [a, b, c] = await jobs(3, terms);
    const running = await worker.start(a, terms);
    for (const key of [b, c]) await worker.begin(key, terms);
    await worker.succeed(running, NOON);
    await worker.sweep(terms, at(SECOND));
    expect((await readPending(stores, b)).sends).toBe(0);
    // Handed over again, ever more rarely; in the end the place goes to the next.
    await worker.sweep(terms, at(20 * SECOND));
    expect((await readPending(stores, b)).sends).toBe(1);
    for (let hour = 1; hour <= 12; hour += 1) await worker.sweep(terms, at(hour * 2 * HOUR));
    expect(await waits(c)).toBeUndefined();
    expect((await worker.begin(b, terms, at(DAY))).kind).toBe('waiting');
  });

  it('is in no list of work for outside workers until it is woken', async () => {
    const terms = sharing(1);
    const [a, b] = await jobs(2, terms);
    const running = await worker.start(a, terms);
    const pending = { ...(await readPending(stores, b)), pullQueue: 'q-slots' };
    await stores.occurrences.slots.park(pending, terms.slot, {});
    const keysOf = async () => (await stores.occurrences.pullable('q-slots', NOON, 10)).length;
    expect(await keysOf()).toBe(0);
    await worker.succeed(running);
    await worker.sweep(terms);
    expect((await stores.occurrences.slots.waiting(terms.slot, 5)).length).toBe(0);
  });
});

describe('a limit that changes', () => {
  const set = (slot: string, limit: number | undefined, minute: number) =>
    applyLimit(stores.occurrences.slots, { slot, limit, since: at(minute * MINUTE) }, NOON);

  it('lets those in that wait, at once, when it is raised or removed', async () => {
    const terms = sharing(1);
    const keys = await jobs(30, terms);
    await worker.start(keys[0], terms);
    for (const key of keys.slice(1)) await worker.begin(key, terms);
    const woken = async () => (await Promise.all(keys.slice(1).map(waits))).filter((slot) => !slot).length;
    await set(terms.slot, 8, 1);
    expect(await woken()).toBe(7);
    await set(terms.slot, 15, 2);
    expect(await woken()).toBe(14);
    await set(terms.slot, undefined, 3);
    expect(await woken()).toBe(29);
    for (const key of keys.slice(1)) expect((await worker.begin(key, terms)).kind).toBe('claimed');
  });

  it.each([
    [14, 3],
    [8, 3],
    [16, 12],
  ])(
    'lets nobody in while more run than it says: from %i to %i',
    async (before, after) => {
      const terms = sharing(before);
      const keys = await jobs(before + 10, terms);
      const running: RunningOccurrence[] = [];
      for (const key of keys) {
        const end = await worker.begin(key, terms);
        if (end.kind === 'claimed') running.push(end.occurrence);
      }
      await worker.sweep(terms);
      for (const key of keys)
        if ((await statusOf(key)) === 'pending' && !(await waits(key)))
          running.push(await worker.start(key, terms));
      expect(running).toHaveLength(before);
      await set(terms.slot, after, 1);
      let now = NOON;
      while (running.length > 0) {
        await worker.succeed(running.shift() as RunningOccurrence);
        now = epochMs(now + MINUTE);
        await worker.sweep(terms, now);
        for (const key of keys) {
          const pending = await stores.occurrences.readOccurrence(key);
          if (pending?.status !== 'pending' || pending.waitingFor !== undefined) continue;
          const end = await worker.begin(key, terms, now);
          if (end.kind === 'claimed') running.push(end.occurrence);
          if (end.kind === 'claimed') expect(running.length).toBeLessThanOrEqual(after);
        }
      }
      expect(await Promise.all(keys.map(statusOf))).toEqual(keys.map(() => 'succeeded'));
      const stripes = await settledStripes(stores.occurrences.slots, terms.slot);
      expect(stripes.reduce((sum, { cap }) => sum + cap, 0)).toBe(after);
    },
    120_000,
  );

  it('is the one that was decided on last, whatever the order in which the requests come', async () => {
    const terms = sharing(3);
    const [a] = await jobs(1, terms);
    await worker.start(a, terms);
    await set(terms.slot, 7, 2);
    await set(terms.slot, 5, 1);
    const [stripe] = await stores.occurrences.slots.readStripes(terms.slot, [0]);
    expect(stripe).toMatchObject({ limit: 7, cap: 7 });
    // A definition that was written later says otherwise, and its first occurrence brings that.
    const later = {
      ...terms,
      createdAt: at(HOUR),
      definition: { ...terms.definition, concurrency: { key: terms.slot.slice(4), limit: 30 } },
    };
    const [b] = await jobs(1, later);
    await worker.start(b, later);
    expect((await settledStripes(stores.occurrences.slots, terms.slot)).map(({ cap }) => cap)).toEqual([
      10, 10, 10,
    ]);
  });

  it('is carried out by the sweep when whoever changed it died half-way', async () => {
    const terms = sharing(20);
    const [a, ...rest] = await jobs(6, terms);
    await worker.start(a, terms);
    const { slots } = stores.occurrences;
    const first = await slots.beginLimit({ slot: terms.slot, limit: 35, since: at(MINUTE) });
    if (!first) throw new Error('It was not begun.');
    for (const stripe of [0, 1]) await slots.share({ slot: terms.slot, stripe }, first, 0, { frozen: true });
    for (const key of rest) await worker.begin(key, terms);
    await worker.sweep(terms);
    const stripes = await settledStripes(slots, terms.slot);
    expect(stripes.map(({ cap }) => cap)).toEqual([10, 10, 10, 5]);
    for (const key of rest)
      if ((await statusOf(key)) === 'pending') expect((await worker.begin(key, terms)).kind).toBe('claimed');
  });
});

describe('a slot under random crashes and copies', () => {
  /** A store whose writes may not arrive, arrive twice, or arrive without an answer. */
  function unreliable(random: () => number) {
    const client = Object.create(stores.client);
    Object.defineProperty(client, 'send', {
      value: async (command: { constructor: { name: string } }) => {
        const chance = command.constructor.name === 'UpdateCommand' ? random() : 1;
        if (chance < 0.03) throw new Error('died before');
        const answer = await stores.client.send(command as never);
        if (chance < 0.06) throw new Error('died after');
        if (chance < 0.09) await stores.client.send(command as never).catch(() => undefined);
        return answer;
      },
    });
    return createOccurrenceStore({ ...stores.context, client });
  }

  it.each([1, 2, 3, 4])(
    'never has more than its limit, and nobody is forgotten (%i)',
    async (seed) => {
      let state = seed * 7919;
      const random = () => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        return state / 2 ** 31;
      };
      const limit = [1, 2, 3, 12][seed - 1] as number;
      const terms = sharing(limit);
      const keys = await jobs(limit + 12, terms);
      const shaky = slotWorker(stores, unreliable(random));
      let now = NOON;
      let most = 0;
      // A claim that died before its places were taken runs nothing: only what passed counts.
      const passed = new Map<OccurrenceId, number>();
      for (let round = 0; round < 400; round += 1) {
        const agents = Array.from({ length: 3 }, async () => {
          const key = keys[Math.floor(random() * keys.length)] as OccurrenceKey;
          const found = await stores.occurrences.readOccurrence(key);
          if (found?.status === 'running' && random() < 0.5) await shaky.succeed(found, now);
          else if (found?.status === 'pending' && !found.waitingFor) {
            const claim = await shaky.begin(key, terms, now, `w${random()}`);
            if (claim.kind === 'claimed') passed.set(occurrenceId(key), claim.occurrence.dispatchSeq);
          }
        });
        await Promise.allSettled(agents);
        const all = await stores.occurrences.slots.readMany(keys.map(occurrenceId));
        const live = [...all.values()].filter(
          (one) => one.status === 'running' && passed.get(occurrenceId(one)) === one.dispatchSeq,
        );
        expect(live.length).toBeLessThanOrEqual(limit);
        const entries = await worker.entries(terms.slot);
        // How many of those that have a place are running at one moment is up to the agents.
        most = Math.max(most, entries.size);
        // Whatever runs has its place.
        for (const one of live) expect(entries.get(occurrenceId(one))).toBe(one.dispatchSeq);
        if (round % 20 === 19) {
          now = epochMs(now + MINUTE);
          await worker.sweep(terms, now);
          const line = (await stores.occurrences.slots.waiting(terms.slot, 1)).length;
          if (line > 0) expect((await worker.entries(terms.slot)).size).toBe(limit);
        }
        if ([...all.values()].every(({ status }) => status === 'succeeded')) break;
      }
      expect(await Promise.all(keys.map(statusOf))).toEqual(keys.map(() => 'succeeded'));
      // Not by running next to nothing.
      expect(most).toBeGreaterThan(limit / 2);
    },
    120_000,
  );
});
