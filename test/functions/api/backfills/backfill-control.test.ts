import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceId } from '../../../../lambdas/core/ids.ts';
import { DAY, HOUR, MINUTE } from '../../../../lambdas/core/time.ts';
import { work } from '../../../../lambdas/worker/work.ts';
import { backfillBench, gate, iso, ok } from '../../../support/backfill.ts';
import { openStores, type Stores } from '../../../support/stores.ts';
import { testWorker } from '../../../support/worker.ts';
import { scheduleBody, tally } from '../api.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

/** A backfill of 13 times, two at a time, of which two run until they are let go. */
async function underWay() {
  const bench = await backfillBench(stores);
  const held = gate();
  bench.answerWith(() => (bench.calls.length <= 2 ? held.promise : ok));
  const { id } = await bench.start({ from: iso(-HOUR), maxConcurrent: 2 });
  const working = bench.work();
  await bench.called(2);
  return {
    ...bench,
    backfill: id,
    async letGo() {
      held.resolve(ok);
      return working;
    },
  };
}

const counts = async (bench: Awaited<ReturnType<typeof underWay>>) =>
  tally((await bench.api.get(`${bench.path}/occurrences?limit=100`)).body.items);

describe('pause', () => {
  it('holds what has not begun, lets what runs end, and resume goes on where it was', async () => {
    const bench = await underWay();
    const paused = await bench.verb(bench.backfill, 'pause');
    expect(paused).toMatchObject({
      status: 200,
      body: { state: 'paused', counts: { created: 13, running: 2, waiting: 11, cancelled: 0 } },
    });
    expect(paused.body.open.filter(({ status }: { status: string }) => status === 'held')).toHaveLength(11);
    expect(await counts(bench)).toEqual({ running: 2, 'cancelled paused': 11 });
    await bench.letGo();
    await bench.tick();
    await bench.tick();
    expect(bench.calls).toHaveLength(2);
    // Nothing is left to look for until somebody resumes it.
    expect(await stores.backfills.readBackfill(bench.id, bench.backfill)).toMatchObject({
      state: 'paused',
      nextDueAt: null,
      counts: { succeeded: 2 },
    });
    expect((await bench.verb(bench.backfill, 'pause')).status).toBe(200);

    expect(await bench.verb(bench.backfill, 'resume')).toMatchObject({
      body: { state: 'running', counts: { waiting: 11, succeeded: 2 } },
    });
    await bench.work();
    await bench.tick();
    expect(await bench.get(bench.backfill)).toMatchObject({
      state: 'completed',
      counts: { total: 13, created: 13, succeeded: 13, cancelled: 0 },
    });
    expect(bench.calls).toHaveLength(13);
    expect(bench.mostAtOnce()).toBe(2);
  });

  it('also holds what is handed over before its cancel is written: the worker asks the backfill', async () => {
    const bench = await backfillBench(stores);
    const { id } = await bench.start({ from: iso(-10 * MINUTE) });
    const seen = await stores.backfills.readBackfill(bench.id, id);
    if (!seen) throw new Error('none');
    // A pause that dies after its first write.
    const paused = { ...seen, state: 'paused', version: seen.version + 1 } as const;
    expect(await stores.backfills.saveBackfill(seen, paused, [])).toBe('saved');
    const ends = await bench.work();
    expect(ends.map((end) => end.kind)).toContain('not-in-force');
    expect(bench.calls).toEqual([]);
    await bench.tick();
    expect((await bench.own(id)).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    await bench.verb(id, 'resume');
    await bench.work();
    expect(bench.calls).toHaveLength(3);
  });

  it('lets one that waits for its next attempt go on', async () => {
    const bench = await backfillBench(stores, { retry: { maxAttempts: 2, initialDelay: 'PT5S' } });
    bench.answerWith(({ attempt }) =>
      attempt === 1 ? { kind: 'failed', retryable: true, detail: 'HTTP 503' } : ok,
    );
    const { id } = await bench.start({ from: iso(-5 * MINUTE), maxConcurrent: 1 });
    const [first] = await bench.own(id);
    await bench.work(({ scheduledTime, attempt }) => scheduledTime === first?.scheduledTime && attempt === 0);
    await bench.verb(id, 'pause');
    bench.clock.advance(10 * MINUTE);
    await bench.work();
    expect(await bench.get(id)).toMatchObject({ state: 'paused', counts: { succeeded: 1, waiting: 1 } });
  });
});

describe('cancel', () => {
  it.each(['POST', 'DELETE'])('by %s stops what has not begun and waits for what runs', async (method) => {
    const bench = await underWay();
    const url = `${bench.path}/backfills/${bench.backfill}`;
    const reply =
      method === 'POST' ? await bench.verb(bench.backfill, 'cancel') : await bench.api.delete(url);
    expect(reply).toMatchObject({
      status: 200,
      body: { state: 'cancelled', reason: 'user', finishedAt: null, counts: { running: 2, cancelled: 11 } },
    });
    expect(await counts(bench)).toEqual({ running: 2, 'cancelled user': 11 });
    await bench.letGo();
    await bench.tick();
    const after = await bench.get(bench.backfill);
    expect(after).toMatchObject({ state: 'cancelled', counts: { succeeded: 2, cancelled: 11, running: 0 } });
    expect(after.finishedAt).not.toBeNull();
    expect(bench.calls).toHaveLength(2);
    expect((await bench.verb(bench.backfill, 'cancel')).status).toBe(200);
    for (const verb of ['pause', 'resume']) {
      expect(await bench.verb(bench.backfill, verb)).toMatchObject({
        status: 409,
        body: { code: 'backfill.finished' },
      });
    }
  });

  it('of a paused one stops what is held', async () => {
    const bench = await backfillBench(stores);
    const { id } = await bench.start({ from: iso(-HOUR), maxConcurrent: 1 });
    await bench.verb(id, 'pause');
    const { body } = await bench.verb(id, 'cancel');
    expect(body).toMatchObject({ state: 'cancelled', counts: { created: 13, cancelled: 13 }, open: [] });
    expect(body.finishedAt).not.toBeNull();
    await bench.work();
    expect(bench.calls).toEqual([]);
  });
});

describe('the deletion of its schedule', () => {
  it('ends it, and nothing of it starts any more', async () => {
    const bench = await underWay();
    expect((await bench.api.delete(bench.path)).status).toBe(204);
    await bench.letGo();
    await bench.tick();
    await bench.work();
    expect(bench.calls).toHaveLength(2);
    expect(await bench.get(bench.backfill)).toMatchObject({
      state: 'cancelled',
      reason: 'deleted',
      counts: { succeeded: 2, cancelled: 11 },
    });
    const { body } = await bench.api.get(`${bench.path}/backfills`);
    expect(body.items).toMatchObject([{ id: bench.backfill, state: 'cancelled' }]);
  });

  it('ends it also when a schedule of its name was made since', async () => {
    const bench = await backfillBench(stores);
    const { id } = await bench.start({ from: iso(-HOUR) });
    const [one] = await bench.own(id);
    if (!one) throw new Error('none');
    await bench.api.delete(bench.path);
    bench.clock.advance(1);
    expect((await bench.api.put(bench.path, scheduleBody())).status).toBe(201);
    // One whose cancel was lost with the process that deleted the schedule.
    const worker = testWorker(stores, async () => ok, bench.clock);
    const message = { id: occurrenceId(one), seq: 1, dueAt: one.dueAt };
    expect(['not-in-force', 'dropped']).toContain((await work(worker.deps, message, 'w')).kind);
    expect(worker.calls).toEqual([]);
    await bench.tick();
    expect(await bench.get(id)).toMatchObject({ state: 'cancelled', reason: 'deleted' });
  });
});

describe('the API', () => {
  it.each([
    ['to', { to: iso(MINUTE) }],
    ['from', { from: iso(MINUTE), to: iso(0) }],
    ['from', { from: '2000-01-01T00:00:00Z' }],
    ['from', { from: 'yesterday' }],
    ['maxConcurrent', { maxConcurrent: 101 }],
    ['order', { order: 'random' }],
    ['reprocess', { reprocess: 'some' }],
    ['jitter', { jitter: 'PT1M' }],
  ])('refuses what has no bearable meaning and names %s', async (field, body) => {
    const bench = await backfillBench(stores, { expression: '* * * * *' });
    const reply = await bench.api.post(`${bench.path}/backfills`, {
      from: iso(-HOUR),
      to: iso(0),
      ...(body as Record<string, unknown>),
    });
    expect(reply).toMatchObject({ status: 400, body: { field } });
  });

  it('does not know what is not there', async () => {
    const bench = await backfillBench(stores);
    const nobody = '/schedules/tests/nobody';
    const body = { from: iso(-HOUR), to: iso(0) };
    expect((await bench.api.post(`${nobody}/backfills`, body)).body.code).toBe('schedule.not-found');
    expect((await bench.api.get(`${nobody}/backfills`)).body.code).toBe('schedule.not-found');
    for (const id of ['none', 'HEAD', '~', 'a%23b']) {
      const { status, body: problem } = await bench.api.get(`${bench.path}/backfills/${id}`);
      expect([status, problem.code]).toEqual([404, 'backfill.not-found']);
    }
    expect((await bench.verb('none', 'cancel')).body.code).toBe('backfill.not-found');
  });

  it('makes one backfill of one Idempotency-Key, and lists the latest first, page by page', async () => {
    const bench = await backfillBench(stores);
    const body = { from: iso(-HOUR), to: iso(0) };
    const key = { 'idempotency-key': `k-${bench.id}` };
    const url = `${bench.path}/backfills`;
    const first = await bench.api.post(url, body, key);
    expect(first.headers.get('location')).toBe(`${url}/${first.body.id}`);
    bench.clock.advance(DAY / 2);
    expect((await bench.api.post(url, body, key)).body.id).toBe(first.body.id);
    expect((await bench.api.post(url, { ...body, order: 'newest-first' }, key)).status).toBe(422);
    const second = await bench.start(body);
    expect(second.id).not.toBe(first.body.id);
    const page = await bench.api.get(`${url}?limit=1`);
    expect(page.body.items.map(({ id }: { id: string }) => id)).toEqual([second.id]);
    const next = await bench.api.get(`${url}?limit=1&cursor=${page.body.cursor}`);
    expect(next.body.items).toMatchObject([{ id: first.body.id, counts: { total: 13, created: 13 } }]);
  });
});
