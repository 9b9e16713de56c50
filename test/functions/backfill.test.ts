import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../lambdas/core/time.ts';
import { backfillBench, ok } from '../support/backfill.ts';
import { at } from '../support/fixtures.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

describe('a backfill', () => {
  it('runs each nominal time of its range once, as many at a time as it may, and completes', async () => {
    const bench = await backfillBench(stores, { overlap: 'skip' });
    bench.answerWith(async () => {
      await sleep(5);
      return ok;
    });
    const { id, counts } = await bench.start({
      from: new Date(at(-4 * HOUR)).toISOString(),
      maxConcurrent: 3,
    });
    expect(counts).toMatchObject({ total: 49, created: 26, left: 23, running: 0, waiting: 26 });
    await bench.work();
    await bench.tick();
    expect(await bench.get(id)).toMatchObject({ state: 'running', counts: { succeeded: 26, left: 0 } });
    await bench.work();
    await bench.tick();
    expect(await bench.get(id)).toMatchObject({
      state: 'completed',
      counts: {
        total: 49,
        skipped: 0,
        created: 49,
        waiting: 0,
        running: 0,
        succeeded: 49,
        failed: 0,
        left: 0,
      },
      left: null,
      open: [],
    });
    expect(bench.calls.map(({ scheduledTime }) => scheduledTime).toSorted()).toEqual(
      Array.from({ length: 49 }, (_, i) => at(-4 * HOUR + i * 5 * MINUTE)),
    );
    expect(bench.calls.every(({ kind }) => kind === 'backfill')).toBe(true);
    expect(bench.mostAtOnce()).toBe(3);
  });
});
