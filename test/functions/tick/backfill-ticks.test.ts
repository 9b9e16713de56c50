import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import { startOf } from '../../../lambdas/core/backfill/times.ts';
import { HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { tickBackfills } from '../../../lambdas/tick/backfills.ts';
import { backfillBench, ok, SHARDS, tickDeps } from '../../support/backfill.ts';
import { at } from '../../support/fixtures.ts';
import { openStores, type Stores } from '../../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

type Bench = Awaited<ReturnType<typeof backfillBench>>;

/** A backfill that nothing has been done for yet: more times than exist ahead at once, some failing. */
async function fresh(bench: Bench, changes: Partial<Backfill> = {}): Promise<string> {
  const range = { from: at(-125 * MINUTE), to: at(0), order: 'oldest-first' } as const;
  const backfill: Backfill = {
    schedule: bench.id,
    id: `crash${bench.id.replace(/\W/g, '')}`,
    revision: 1,
    state: 'running',
    version: 1,
    ...range,
    maxConcurrent: 1,
    reprocess: 'none',
    cursor: startOf(range),
    open: [],
    counts: { total: 26, skipped: 0, created: 0, succeeded: 0, failed: 0, cancelled: 0 },
    nextDueAt: bench.clock.now(),
    createdAt: bench.clock.now(),
    createdBy: 'test',
    updatedAt: bench.clock.now(),
    ...changes,
  };
  const made = await stores.backfills.createBackfill({ backfill, now: bench.clock.now() });
  expect(made.kind).toBe('created');
  return backfill.id;
}

async function settleAll(bench: Bench, id: string) {
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await bench.work(undefined, { inTurn: true });
    await bench.tick();
    const backfill = await bench.get(id);
    if (backfill.finishedAt !== null) return backfill;
  }
  throw new Error('It did not end.');
}

describe('two ticks at once', () => {
  it('create nothing twice and count nothing twice', async () => {
    const bench = await backfillBench(stores);
    const id = await fresh(bench);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      bench.clock.advance(MINUTE);
      const deps = tickDeps(stores, bench.clock.now);
      const both = await Promise.all([tickBackfills(deps, SHARDS), tickBackfills(deps, SHARDS)]);
      expect(both.flatMap(({ failures }) => failures)).toEqual([]);
      await bench.work();
    }
    expect(await settleAll(bench, id)).toMatchObject({
      state: 'completed',
      counts: { total: 26, created: 26, succeeded: 26 },
    });
    expect(bench.calls).toHaveLength(26);
  });
});

describe('a backfill that cannot be moved on', () => {
  it('is reported and holds up no other', async () => {
    const [bad, good] = [await backfillBench(stores), await backfillBench(stores)];
    const ids = [await fresh(bad), await fresh(good)];
    const backfills = {
      ...stores.backfills,
      scheduleOf: (of: Backfill) =>
        of.schedule === bad.id ? Promise.reject(new Error('unreadable')) : stores.backfills.scheduleOf(of),
    };
    const { failures } = await good.tick({ backfills });
    expect(failures.map(({ schedule }) => schedule)).toEqual([bad.id]);
    expect(await good.get(ids[1] ?? '')).toMatchObject({ counts: { created: 22 } });
  });

  it('passes over many times that are there already in one tick', { timeout: 90_000 }, async () => {
    const bench = await backfillBench(stores, { expression: '* * * * *' });
    const first = await bench.start({ from: new Date(at(-6 * HOUR)).toISOString(), maxConcurrent: 100 });
    bench.answerWith(() => ok);
    await settleAll(bench, first.id);
    const again = await bench.start({ from: new Date(at(-12 * HOUR)).toISOString(), order: 'newest-first' });
    expect(again.counts).toMatchObject({ total: 721, skipped: 361, created: 22, left: 338 });
  });
});
