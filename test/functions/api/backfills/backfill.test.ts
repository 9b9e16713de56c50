import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceId } from '../../../../lambdas/core/ids.ts';
import { type EpochMs, HOUR, MINUTE } from '../../../../lambdas/core/time.ts';
import { backfillBench, gate, iso, ok } from '../../../support/backfill.ts';
import { at } from '../../../support/fixtures.ts';
import { dispatched, planned, rangeOf } from '../../../support/seed.ts';
import { openStores, type Stores } from '../../../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

type Bench = Awaited<ReturnType<typeof backfillBench>>;

/** Ticks and works until nothing moves any more. */
async function finish(bench: Bench, id: string, inTurn = false) {
  for (let minutes = 0; minutes < 20; minutes += 1) {
    await bench.work(undefined, { inTurn });
    await bench.tick();
    const backfill = await bench.get(id);
    if (backfill.finishedAt !== null) return backfill;
  }
  return bench.get(id);
}

const every5 = (from: number, to: number) =>
  Array.from({ length: (to - from) / (5 * MINUTE) + 1 }, (_, i) => at(from + i * 5 * MINUTE));

describe('a backfill', () => {
  it('runs each nominal time of its range once, as many at a time as it may, and completes', async () => {
    const bench = await backfillBench(stores, { overlap: 'skip' });
    bench.answerWith(async () => {
      await sleep(60);
      return ok;
    });
    const { id, counts } = await bench.start({ from: iso(-4 * HOUR), maxConcurrent: 3 });
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
    expect(bench.calls.map(({ scheduledTime }) => scheduledTime).toSorted()).toEqual(every5(-4 * HOUR, 0));
    expect(bench.calls.every(({ kind }) => kind === 'backfill')).toBe(true);
    expect(bench.mostAtOnce()).toBe(3);
  });

  it.each(['oldest-first', 'newest-first'] as const)('goes %s', async (order) => {
    const bench = await backfillBench(stores);
    // More than exist ahead at once, so that the order is that of the creation too.
    const { id, left } = await bench.start({ from: iso(-3 * HOUR), order });
    const made = (await bench.own(id)).map(({ scheduledTime }) => scheduledTime);
    const all = every5(-3 * HOUR, 0);
    expect(made).toEqual(order === 'oldest-first' ? all.slice(0, 22) : all.slice(-22));
    expect(left).toEqual(
      order === 'oldest-first'
        ? { next: iso(-70 * MINUTE), until: iso(0) }
        : { next: iso(-110 * MINUTE), until: iso(-3 * HOUR) },
    );
    expect(await finish(bench, id, true)).toMatchObject({ state: 'completed', counts: { succeeded: 37 } });
    const ran = bench.calls.map(({ scheduledTime }) => scheduledTime);
    expect(ran).toEqual(order === 'oldest-first' ? all : all.toReversed());
  });

  it('counts failures, and retries as the definition says', async () => {
    const bench = await backfillBench(stores, { retry: { maxAttempts: 2, initialDelay: 'PT1S' } });
    const bad = at(-30 * MINUTE);
    bench.answerWith(({ scheduledTime, attempt }) =>
      scheduledTime === bad || attempt === 1 ? { kind: 'failed', retryable: true, detail: 'HTTP 500' } : ok,
    );
    const { id } = await bench.start({ from: iso(-HOUR), maxConcurrent: 5 });
    expect(await finish(bench, id)).toMatchObject({
      state: 'completed',
      counts: { total: 13, created: 13, succeeded: 12, failed: 1 },
    });
    expect(bench.calls).toHaveLength(26);
  });

  it('completes at once when there is nothing to do', async () => {
    const bench = await backfillBench(stores, { expression: '0 9 1 1 *' });
    expect(await bench.start()).toMatchObject({ state: 'completed', counts: { total: 0 } });
  });

  it('keeps to the revision it was made with, whatever becomes of the schedule but its deletion', async () => {
    const bench = await backfillBench(stores);
    const { id } = await bench.start({ from: iso(-3 * HOUR) });
    await bench.api.patch(bench.path, { expression: '0 0 * * *', input: 'new' });
    await bench.api.post(`${bench.path}/pause`);
    expect(await finish(bench, id)).toMatchObject({
      state: 'completed',
      revision: 1,
      counts: { succeeded: 37 },
    });
    expect(new Set(bench.calls.map(({ revision, input }) => `${revision} ${input}`))).toEqual(
      new Set(['1 null']),
    );
  });

  it('is told to targets as a backfill, without jitter, start deadline and catch-up', async () => {
    const bench = await backfillBench(stores, { startDeadline: 'PT1S' });
    const { id } = await bench.start({ from: iso(-HOUR) });
    bench.clock.advance(HOUR);
    expect(await finish(bench, id)).toMatchObject({ counts: { succeeded: 13 } });
    expect(bench.calls[0]).toMatchObject({ kind: 'backfill', isCatchUp: false });
    expect(bench.calls.some(({ id: of }) => of.endsWith(`~backfill-${id}`))).toBe(true);
  });
});

describe('what is there already', () => {
  /** 12 times, of which the first eight have a record of each kind. */
  async function withLedger() {
    const bench = await backfillBench(stores);
    const head = await stores.schedules.readHead(bench.id);
    if (!head) throw new Error('none');
    const times = every5(-HOUR, -5 * MINUTE);
    const [succeeded, failed, running, pending, skipped, cancelled, missed, coalesced] = times;
    const key = (time: number | undefined) => planned(head, time as never);
    const create = [succeeded, failed, running, pending, skipped, cancelled].map(key);
    create.push({ ...key(missed), startBy: at(-50 * MINUTE) });
    const missedTime = coalesced as EpochMs;
    const record = rangeOf(head, { count: 1, from: missedTime, to: missedTime });
    // An hour ago, by a tick.
    const tick = { head, create, records: [record], nextDueAt: head.nextDueAt };
    expect(await stores.planning.materialise([tick], at(-HOUR))).toEqual([{ kind: 'materialised' }]);
    const { occurrences } = stores;
    const claim = async (time: number | undefined) => {
      const lease = { holder: 'w', expiresAt: at(24 * HOUR) };
      const claimed = await occurrences.claim(dispatched(key(time)), lease, at(-MINUTE));
      if (claimed.kind !== 'claimed') throw new Error(claimed.kind);
      return claimed.occurrence;
    };
    const attempt = { attempt: 1, startedAt: at(-MINUTE), finishedAt: at(0), outcome: 'succeeded' as const };
    await occurrences.settle(await claim(succeeded), { kind: 'succeeded', record: attempt }, at(0));
    const failure = { kind: 'failed', record: attempt, reason: 'not-retryable' } as const;
    await occurrences.settle(await claim(failed), failure, at(0));
    await claim(running);
    const open = async (time: number | undefined) => {
      const found = await occurrences.readOccurrence(key(time));
      if (found?.status !== 'pending') throw new Error(`${found?.status}`);
      return found;
    };
    await occurrences.skip(await open(skipped), 'user', undefined, at(0));
    await occurrences.cancel(await open(cancelled), 'user', at(0));
    await occurrences.miss(await open(missed), at(0));
    return { bench, times };
  }
  const range = { from: iso(-HOUR), to: iso(-5 * MINUTE) };
  const existing = {
    succeeded: 1,
    failed: 1,
    running: 1,
    pending: 1,
    skipped: 1,
    cancelled: 1,
    missed: 1,
    coalesced: 1,
  };

  it.each([
    { reprocess: 'none', leaves: [0, 1, 2, 3] },
    { reprocess: 'failed', leaves: [0, 2, 3] },
    { reprocess: 'all', leaves: [] },
  ])('is left alone or run again: $reprocess', async ({ reprocess, leaves }) => {
    const { bench, times } = await withLedger();
    const before = await bench.occurrences();
    const toCreate = 12 - leaves.length;
    const body = { ...range, reprocess };
    const dry = await bench.api.post(`${bench.path}/backfills`, { ...body, dryRun: true });
    expect(dry).toMatchObject({
      status: 200,
      body: { dryRun: true, revision: 1, total: 12, existing, toCreate, toSkip: leaves.length },
    });
    expect(await bench.occurrences()).toEqual(before);
    expect((await bench.api.get(`${bench.path}/backfills`)).body.items).toEqual([]);

    const { id, counts } = await bench.start(body);
    expect(counts).toMatchObject({ total: 12, created: toCreate, skipped: leaves.length, left: 0 });
    const own = (await bench.own(id)).map(({ scheduledTime }) => scheduledTime);
    expect(own).toEqual(times.filter((_, index) => !leaves.includes(index)));
    // Beside what was there, which is as it was.
    expect((await bench.occurrences()).filter(({ kind }) => kind !== 'backfill')).toEqual(before);
  });

  it('may be what an earlier backfill made good', async () => {
    const bench = await backfillBench(stores);
    const { id } = await bench.start({ from: iso(-HOUR) });
    await finish(bench, id);
    const again = { from: iso(-HOUR), reprocess: 'failed' };
    expect(await bench.start(again)).toMatchObject({
      state: 'completed',
      counts: { total: 13, skipped: 13, created: 0 },
    });
  });

  it('is also what a tick that is behind has yet to create', async () => {
    const bench = await backfillBench(stores);
    bench.clock.advance(HOUR);
    const body = { from: iso(-10 * MINUTE), to: iso(HOUR), dryRun: true };
    const { body: dry } = await bench.api.post(`${bench.path}/backfills`, body);
    // The first ten minutes or so after noon were created with the schedule and are pending like the others.
    expect(dry).toMatchObject({ total: 15, existing: { pending: 12 }, toCreate: 3 });
  });
});

describe('what is on time', () => {
  it('is not skipped, held up or displaced by a backfill of its schedule', async () => {
    const bench = await backfillBench(stores, { expression: '* * * * *', overlap: 'skip' });
    const held = gate();
    bench.answerWith(({ kind }) => (kind === 'backfill' ? held.promise : ok));
    await bench.start({ from: iso(-10 * MINUTE), reprocess: 'all', maxConcurrent: 2 });
    const working = bench.work(({ kind }) => kind === 'backfill');
    await bench.called(2);
    bench.clock.set(at(3 * MINUTE));
    const onTime = (await bench.unsent()).filter(
      ({ kind, dueAt }) => kind === 'scheduled' && dueAt <= at(3 * MINUTE),
    );
    expect(onTime).toHaveLength(3);
    await bench.work(({ kind, dueAt }) => kind === 'scheduled' && dueAt <= at(3 * MINUTE));
    const now = (await bench.occurrences()).filter(({ kind }) => kind === 'scheduled').slice(0, 3);
    // One after the other or skipped for each other, never for the backfill.
    expect(now.some(({ status }) => status === 'succeeded')).toBe(true);
    for (const one of now) if (one.status === 'skipped') expect(one.blockedBy).not.toContain('backfill');
    held.resolve(ok);
    await working;
  });

  it('stands before a backfill in the line of a key that both share', async () => {
    const concurrency = { key: 'shared', limit: 1 };
    const bench = await backfillBench(stores, { overlap: 'allow', concurrency });
    const held = gate();
    bench.answerWith(() => (bench.calls.length === 1 ? held.promise : ok));
    const { id } = await bench.start({ from: iso(-20 * MINUTE), maxConcurrent: 5 });
    const working = bench.work(({ kind }) => kind === 'backfill');
    await bench.called(1);
    await bench.api.post(`${bench.path}/trigger`);
    const waiting = bench.work(({ kind }) => kind === 'manual');
    await waiting;
    held.resolve(ok);
    await working;
    await bench.work();
    expect(bench.calls[1]?.kind).toBe('manual');
    expect(await finish(bench, id)).toMatchObject({ counts: { succeeded: 5 } });
    expect(bench.mostAtOnce()).toBe(1);
  });

  it('shares no key with a backfill of the same time', async () => {
    const bench = await backfillBench(stores);
    const { id } = await bench.start({ from: iso(-5 * MINUTE), to: iso(-5 * MINUTE) });
    const [own] = await bench.own(id);
    if (!own) throw new Error('none');
    const { token: _, ...rest } = own;
    expect(occurrenceId({ ...rest, kind: 'scheduled' })).not.toBe(occurrenceId(own));
    expect(await stores.occurrences.readOccurrence({ ...rest, kind: 'scheduled' })).toBeUndefined();
  });
});
