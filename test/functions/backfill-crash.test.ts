import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backfill } from '../../lambdas/core/backfill/backfill.ts';
import { startOf } from '../../lambdas/core/backfill/times.ts';
import { HOUR, MINUTE } from '../../lambdas/core/time.ts';
import type { BackfillTickDeps } from '../../lambdas/tick/backfills.ts';
import { tickBackfills } from '../../lambdas/tick/backfills.ts';
import { backfillBench, ok, SHARDS, tickDeps } from '../support/backfill.ts';
import { at } from '../support/fixtures.ts';
import { openStores, type Stores } from '../support/stores.ts';

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

/** Dies at call `k` of the ports, before or after it takes effect; counts the calls that there were. */
function mortal(k: number, when: 'before' | 'after') {
  let calls = 0;
  const wrap = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name, receiver) {
        const method = Reflect.get(target, name, receiver);
        if (typeof method !== 'function' || name === 'dueBackfills') return method;
        return async (...args: unknown[]) => {
          calls += 1;
          const dies = calls === k;
          if (dies && when === 'before') throw new Error('died');
          const answer = await method.apply(target, args);
          if (dies) throw new Error('died');
          // Nothing is done by one that is dead.
          if (calls > k) throw new Error('dead');
          return answer;
        };
      },
    });
  const deps: Partial<BackfillTickDeps> = {
    backfills: wrap(stores.backfills),
    occurrences: wrap(stores.occurrences),
  };
  return { deps, calls: () => calls };
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

const failing = { retry: { maxAttempts: 1 } };
const isBad = (time: number) => (time / MINUTE) % 25 === 0;

describe('a tick that dies', () => {
  // Three ticks: the first creates, the second counts and creates, the third counts and completes.
  const cases = [0, 1, 2].flatMap((ticks) =>
    [1, 2, 3, 4].flatMap((k) => (['before', 'after'] as const).map((when) => ({ ticks, k, when }))),
  );
  it.each(cases)(
    '$when call $k after $ticks ticks loses nothing and runs nothing twice',
    async ({ ticks, k, when }) => {
      const bench = await backfillBench(stores, failing);
      bench.answerWith(({ scheduledTime }) =>
        isBad(scheduledTime) ? { kind: 'failed', retryable: false, detail: 'HTTP 400' } : ok,
      );
      const id = await fresh(bench);
      for (let done = 0; done < ticks; done += 1) {
        await bench.tick();
        await bench.work();
      }
      const { deps, calls } = mortal(k, when);
      const { failures } = await bench.tick(deps);
      expect(failures.filter(({ schedule }) => schedule === bench.id)).toHaveLength(calls() >= k ? 1 : 0);
      const bad = Array.from({ length: 26 }, (_, i) => at(-125 * MINUTE + i * 5 * MINUTE)).filter(
        isBad,
      ).length;
      expect(await settleAll(bench, id)).toMatchObject({
        state: 'completed',
        counts: { total: 26, created: 26, succeeded: 26 - bad, failed: bad, left: 0, waiting: 0 },
      });
      const times = bench.calls.map(({ scheduledTime }) => scheduledTime);
      expect(times).toHaveLength(26);
      expect(new Set(times).size).toBe(26);
    },
  );

  it.each(
    (['paused', 'cancelled'] as const).flatMap((state) =>
      [1, 3, 20].flatMap((k) => (['before', 'after'] as const).map((when) => ({ state, k, when }))),
    ),
  )(
    '$when call $k of stopping one that is $state leaves the rest to the next',
    async ({ state, k, when }) => {
      const bench = await backfillBench(stores);
      const id = await fresh(bench);
      await bench.tick();
      const seen = await stores.backfills.readBackfill(bench.id, id);
      if (!seen) throw new Error('none');
      const stopped = { ...seen, state, version: seen.version + 1 };
      expect(await stores.backfills.saveBackfill(seen, stopped, [])).toBe('saved');
      await bench.tick(mortal(k, when).deps);
      await bench.tick();
      await bench.work(undefined, { inTurn: true });
      expect(bench.calls).toEqual([]);
      expect(await bench.get(id)).toMatchObject(
        state === 'paused'
          ? { state, counts: { created: 22, waiting: 22, cancelled: 0 } }
          : { state, counts: { created: 22, waiting: 0, cancelled: 22 } },
      );
      if (state === 'cancelled') return;
      await bench.verb(id, 'resume');
      expect(await settleAll(bench, id)).toMatchObject({ state: 'completed', counts: { succeeded: 26 } });
      expect(bench.calls).toHaveLength(26);
    },
  );
});

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

  it('passes over many times that are there already in one tick', async () => {
    const bench = await backfillBench(stores, { expression: '* * * * *' });
    const first = await bench.start({ from: new Date(at(-6 * HOUR)).toISOString(), maxConcurrent: 100 });
    bench.answerWith(() => ok);
    await settleAll(bench, first.id);
    const again = await bench.start({ from: new Date(at(-12 * HOUR)).toISOString(), order: 'newest-first' });
    expect(again.counts).toMatchObject({ total: 721, skipped: 361, created: 22, left: 338 });
  });
});
