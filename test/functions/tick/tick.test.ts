import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlanningStore } from '../../../lambdas/core/ports/planning-store.ts';
import { compile } from '../../../lambdas/core/recurrence/index.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { requestedShards, shardLists } from '../../../lambdas/tick/shards.ts';
import { type TickDeps, tick } from '../../../lambdas/tick/tick.ts';
import { at, everyMs, freshId, NOON } from '../../support/fixtures.ts';
import { seedSchedule } from '../../support/seed.ts';
import { openStores, type Stores } from '../../support/stores.ts';

let stores: Stores;
let steps: Map<string, number>;
beforeEach(async () => {
  stores = await openStores({ shardCount: 2 });
  steps = new Map();
});
afterEach(() => stores.close());

const SHARDS = [0, 1];

function deps(changes: Partial<TickDeps> = {}): TickDeps {
  return {
    store: stores.planning,
    occurrences: stores.occurrences,
    recurrenceOf: (head) => everyMs(steps.get(head.id) ?? MINUTE),
    lead: 2 * MINUTE,
    planWindow: 10 * MINUTE,
    holder: 'tick-1',
    stopAt: at(HOUR),
    now: () => NOON,
    ...changes,
  };
}

async function seeded(stepMs: number, nextDueAt = at(MINUTE)): Promise<ScheduleHead> {
  const id = freshId();
  steps.set(id, stepMs);
  return seedSchedule(stores, [], { head: { id, nextDueAt } });
}

async function openTimes(of: ScheduleHead): Promise<number[]> {
  return (await stores.occurrences.openOf(of.id)).map(({ scheduledTime }) => scheduledTime - NOON);
}

describe('tick', () => {
  it('materialises what is due within the lead up to the plan window, and leaves the rest', async () => {
    const soon = await seeded(MINUTE);
    const later = await seeded(MINUTE, at(3 * MINUTE));
    const result = await tick(deps(), SHARDS);
    expect(result).toMatchObject({ scanned: 2, leftOver: 0, materialised: 10, lostRaces: 0, failures: [] });
    expect(await openTimes(soon)).toEqual(Array.from({ length: 10 }, (_, i) => (i + 1) * MINUTE));
    expect(await openTimes(later)).toEqual([]);
    expect((await stores.schedules.readHead(soon.id))?.nextDueAt).toBe(at(11 * MINUTE));
  });

  it('plans a schedule that fires each second past the lead, in as many pieces as it takes', async () => {
    const fast = await seeded(SECOND, at(SECOND));
    await tick(deps(), SHARDS);
    const times = await openTimes(fast);
    expect(times).toEqual(Array.from({ length: times.length }, (_, i) => (i + 1) * SECOND));
    expect(times.at(-1)).toBeGreaterThanOrEqual(2 * MINUTE);
  });

  it('creates nothing twice when two scan the same shards at once', async () => {
    const made = await Promise.all(Array.from({ length: 30 }, () => seeded(MINUTE)));
    // Two scanners that both believe that they hold the shard: leases save cost, conditions save correctness.
    const store: PlanningStore = { ...stores.planning, acquireShard: async () => true };
    const results = await Promise.all(['a', 'b'].map((holder) => tick(deps({ store, holder }), SHARDS)));
    expect(results.reduce((sum, { materialised }) => sum + materialised, 0)).toBe(300);
    for (const of of made) expect(await openTimes(of)).toHaveLength(10);
  });

  it('leaves a shard alone that another scanner holds', async () => {
    await seeded(MINUTE);
    for (const shard of SHARDS) {
      await stores.planning.acquireShard(shard, { holder: 'other', expiresAt: at(MINUTE) }, NOON);
    }
    expect(await tick(deps(), SHARDS)).toMatchObject({ scanned: 0, leftOver: 2, materialised: 0 });
  });

  it('gives a shard back also when it fails', async () => {
    await seeded(MINUTE);
    const store: PlanningStore = { ...stores.planning, materialise: () => Promise.reject(new Error('down')) };
    await expect(tick(deps({ store }), SHARDS)).rejects.toThrow('down');
    // Not scanned to its end: a watermark would say that its schedules are planned.
    expect(await stores.planning.watermarks(SHARDS)).toContain(undefined);
    expect(await tick(deps({ holder: 'tick-2' }), SHARDS)).toMatchObject({ scanned: 2, materialised: 10 });
    expect(await stores.planning.watermarks(SHARDS)).toEqual([at(2 * MINUTE), at(2 * MINUTE)]);
  });

  it('reports a schedule that cannot be planned and plans the others', async () => {
    const [bad, good] = [await seeded(MINUTE), await seeded(MINUTE)];
    const recurrenceOf = (head: ScheduleHead) => {
      if (head.id === bad.id) throw new Error('unreadable');
      return everyMs(MINUTE);
    };
    const result = await tick(deps({ recurrenceOf }), SHARDS);
    expect(result.failures.map(({ schedule }) => schedule)).toEqual([bad.id]);
    expect(await openTimes(good)).toHaveLength(10);
  });

  it('catches up after an outage within the budget, and says how late it is', async () => {
    const missed = await seeded(MINUTE, at(-6 * HOUR));
    const result = await tick(deps(), SHARDS);
    expect(result).toMatchObject({ lagSeconds: 6 * 3_600, coalesced: 359 });
    expect(await openTimes(missed)).toEqual(Array.from({ length: 12 }, (_, i) => (i - 1) * MINUTE));
    const { items } = await stores.occurrences.listOccurrences({
      schedule: missed.id,
      status: 'coalesced',
      limit: 10,
    });
    expect(items.map((one) => one.status === 'coalesced' && one.coalesced.count)).toEqual([359]);
  });

  it('names a schedule whose times take long to find, and plans the others', async () => {
    const [heavy, light] = [await seeded(MINUTE, at(-20 * HOUR)), await seeded(MINUTE)];
    const recurrenceOf = (head: ScheduleHead) => {
      if (head.id !== heavy.id) return everyMs(MINUTE);
      const exclude = ['1-59 * * * * *', '0 1-59 * * * *'];
      const compiled = compile(
        { expression: Array(10).fill('* * * * * *'), timezone: 'UTC', exclude },
        { seed: head.id, anchor: epochMs(0) },
      );
      return compiled;
    };
    const result = await tick(deps({ recurrenceOf }), SHARDS);
    expect(result).toMatchObject({ costly: [heavy.id], failures: [] });
    expect(await openTimes(light)).toHaveLength(10);
    expect((await stores.schedules.readHead(heavy.id))?.nextDueAt).toBeGreaterThan(heavy.nextDueAt ?? 0);
  });

  it('stops within a page when planning takes long, and the next one goes on with the rest', async () => {
    const own = await openStores({ shardCount: 1 });
    try {
      const heads = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          seedSchedule(own, [], { head: { id: freshId(), nextDueAt: at(i * SECOND) } }),
        ),
      );
      const order = heads.map(({ id }) => id);
      let clock = NOON;
      const planned: string[] = [];
      const recurrenceOf = (head: ScheduleHead) => {
        clock = epochMs(clock + 20 * SECOND);
        planned.push(head.id);
        return everyMs(MINUTE);
      };
      const slow = { store: own.planning, recurrenceOf, now: () => clock, stopAt: at(50 * SECOND) };
      const first = await tick(deps(slow), [0]);
      expect(planned).toEqual(order.slice(0, 3));
      // What was planned is written, and the shard is not said to be scanned.
      expect(first).toMatchObject({ leftOver: 1, failures: [] });
      expect(first.materialised).toBeGreaterThanOrEqual(3 * 9);
      expect(await own.planning.watermarks([0])).toEqual([undefined]);
      planned.length = 0;
      const next = { ...slow, holder: 'tick-2', stopAt: epochMs(clock + 50 * SECOND) };
      await tick(deps(next), [0]);
      expect(planned).toEqual(order.slice(3, 6));
    } finally {
      await own.close();
    }
  });

  it('stops between pages when its time is up, and the next one finds the rest', async () => {
    const own = await openStores({ shardCount: 1 });
    try {
      for (let i = 0; i < 120; i += 1) await seedSchedule(own, [], { head: { nextDueAt: at(i * 100) } });
      const first = await tick(deps({ store: own.planning, stopAt: NOON }), [0]);
      expect(first.leftOver).toBe(1);
      expect(first.materialised).toBeGreaterThanOrEqual(100);
      const second = await tick(deps({ store: own.planning, holder: 'tick-2' }), [0]);
      expect(second).toMatchObject({ leftOver: 0, lostRaces: 0 });
      expect((await tick(deps({ store: own.planning, holder: 'tick-3' }), [0])).materialised).toBe(0);
    } finally {
      await own.close();
    }
  });
});

describe('a group with a backlog', () => {
  it('is planned once before the others, however much it has, and goes on behind them', async () => {
    const own = await openStores({ shardCount: 1 });
    try {
      const flood = await Promise.all(
        Array.from({ length: 101 }, () =>
          seedSchedule(own, [], { head: { id: freshId(), nextDueAt: at(SECOND) } }),
        ),
      );
      const quiet = await seedSchedule(own, [], { head: { id: freshId(), nextDueAt: at(2 * MINUTE) } });
      const order: string[] = [];
      const store: PlanningStore = {
        ...own.planning,
        async materialise(plans) {
          order.push(...plans.map(({ head }) => head.id));
          return plans.map(() => ({ kind: 'materialised' }));
        },
      };
      // Ninety seconds in one plan, which is less than the lead: each of the flood has to come again.
      const recurrenceOf = (head: ScheduleHead) => everyMs(head.id === quiet.id ? MINUTE : SECOND);
      const result = await tick(deps({ store, recurrenceOf }), [0]);
      expect(result).toMatchObject({ scanned: 1, leftOver: 0, failures: [] });
      expect(order.slice(0, 101).toSorted()).toEqual(flood.map(({ id }) => id).toSorted());
      expect(order[101]).toBe(quiet.id);
      expect(order.slice(102).toSorted()).toEqual(flood.map(({ id }) => id).toSorted());

      // Time that runs out is taken from the backlog.
      const isOver = () => order.length >= 102;
      order.length = 0;
      const now = () => (isOver() ? at(HOUR) : NOON);
      const cut = await tick(deps({ store, recurrenceOf, now, holder: 'tick-2' }), [0]);
      expect(cut).toMatchObject({ leftOver: 1 });
      expect(order).toHaveLength(102);
      expect(order[101]).toBe(quiet.id);
    } finally {
      await own.close();
    }
  });
});

describe('a tick that dies', () => {
  const scenarios = ['acquireShard', 'materialise', 'releaseShard'] as const;
  it.each(
    scenarios.flatMap((step) => [
      { step, when: 'before' },
      { step, when: 'after' },
    ]),
  )('$when $step loses nothing and creates nothing twice once the next has run', async ({ step, when }) => {
    const made = await Promise.all(Array.from({ length: 5 }, () => seeded(MINUTE)));
    const dying: PlanningStore = {
      ...stores.planning,
      [step]: async (...args: never[]) => {
        const call = stores.planning[step] as (...all: never[]) => Promise<unknown>;
        if (when === 'after') await call(...args);
        throw new Error('died');
      },
    };
    await expect(tick(deps({ store: dying }), SHARDS)).rejects.toThrow('died');
    const later = epochMs(NOON + MINUTE);
    await tick(deps({ holder: 'tick-2', now: () => later }), SHARDS);
    for (const of of made) {
      const times = await openTimes(of);
      expect(times.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, i) => (i + 1) * MINUTE));
      expect(new Set(times).size).toBe(times.length);
    }
  });
});

describe('shards', () => {
  it('are split into lists of the given size', () => {
    expect(shardLists(5, 2)).toEqual([[0, 1], [2, 3], [4]]);
    expect(shardLists(4, 8)).toEqual([[0, 1, 2, 3]]);
  });

  it('are taken from a fan-out event and not from the clock’s', () => {
    expect(requestedShards({ shards: [3, 4] })).toEqual([3, 4]);
    expect(requestedShards({ source: 'aws.events', 'detail-type': 'Scheduled Event' })).toBeUndefined();
  });
});
