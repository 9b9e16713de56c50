import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OccurrenceId, occurrenceId, parseOccurrenceId } from '../../../../lambdas/core/ids.ts';
import type { Settlement } from '../../../../lambdas/core/ports/occurrence-store.ts';
import type { CallResult } from '../../../../lambdas/core/ports/target-caller.ts';
import { epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { work } from '../../../../lambdas/worker/work.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { claimed, messageOf } from '../../../support/seed.ts';
import { testWorker } from '../../../support/worker.ts';
import { created, ledger, openApi, type TestApi, tally } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const ok: CallResult = { kind: 'succeeded' };
const record = (outcome: 'succeeded' | 'failed') =>
  ({ attempt: 1, startedAt: NOON, finishedAt: at(SECOND), outcome }) as const;
const failed: Settlement = { kind: 'failed', reason: 'not-retryable', record: record('failed') };

const keyOf = (id: string) => {
  const key = parseOccurrenceId(id);
  if (!key) throw new Error(`${id} is no occurrence id.`);
  return key;
};

/** Has a worker start an occurrence by the clock of the API. */
function run(id: string, answer: Parameters<typeof testWorker>[1] = async () => ok) {
  const worker = testWorker(api.stores, answer, api.clock);
  const end = messageOf(api.stores, id, api.clock.now()).then((one) => work(worker.deps, one, 'w1'));
  return { worker, end };
}

async function triggered(changes: Record<string, unknown> = {}, body?: unknown) {
  const schedule = await created(api, changes);
  const { body: view } = await api.post(`${schedule.path}/trigger`, body);
  return { ...schedule, occurrence: view.id as OccurrenceId };
}

async function failedOne(changes: Record<string, unknown> = {}) {
  const made = await triggered(changes);
  const running = await claimed(api.stores, keyOf(made.occurrence), NOON);
  await api.stores.occurrences.settle(running, failed, at(SECOND));
  return made;
}

describe('cancelling an occurrence', () => {
  it('that has not started cancels it, and what is finished is left as it is', async () => {
    const { occurrence } = await triggered();
    const reply = await api.post(`/occurrences/${occurrence}/cancel`);
    expect(reply).toMatchObject({ status: 200, body: { status: 'cancelled', reason: 'user' } });
    const again = await api.post(`/occurrences/${occurrence}/cancel`);
    expect(again).toMatchObject({ status: 409, body: { code: 'occurrence.finished' } });
    expect((await run(occurrence).end).kind).toBe('dropped');
  });

  it('that runs has its worker stop at the next renewal, recorded as cancelled', async () => {
    const { occurrence } = await triggered({ timeout: 'PT10M' });
    const { end, worker } = run(
      occurrence,
      (_, signal) =>
        new Promise<CallResult>((resolve) => {
          const aborted = { kind: 'failed', retryable: true, detail: 'aborted' } as const;
          signal.addEventListener('abort', () => resolve(aborted));
        }),
    );
    while (worker.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const reply = await api.post(`/occurrences/${occurrence}/cancel`);
    expect(reply).toMatchObject({ status: 202, body: { status: 'running', cancelRequested: true } });
    await api.clock.waiting(at(30 * SECOND));
    api.clock.advance(20 * SECOND);
    expect(await end).toMatchObject({ kind: 'cancelled', reason: 'user' });
    expect((await api.get(`/occurrences/${occurrence}`)).body).toMatchObject({
      status: 'cancelled',
      reason: 'user',
      attempts: [{ outcome: 'cancelled' }],
    });
  });

  it('that runs and fails before it learns of it is not tried again', async () => {
    const { occurrence } = await triggered();
    const { end } = run(occurrence, async () => {
      await api.post(`/occurrences/${occurrence}/cancel`);
      return { kind: 'failed', retryable: true, detail: 'HTTP 500' };
    });
    expect(await end).toMatchObject({ kind: 'cancelled', reason: 'user' });
    expect((await api.get(`/occurrences/${occurrence}`)).body).toMatchObject({ status: 'cancelled' });
  });

  it('that nobody made is not found', async () => {
    for (const verb of ['cancel', 'replay']) {
      const reply = await api.post(`/occurrences/g~n~20260301T120000000Z~1/${verb}`);
      expect(reply).toMatchObject({ status: 404, body: { code: 'occurrence.not-found' } });
    }
  });
});

describe('replaying an occurrence', () => {
  it('runs it again under the same key, by its own revision and input', async () => {
    const { occurrence, path } = await failedOne({ input: 'first' });
    await api.patch(path, { input: 'second', target: { kind: 'http', url: 'https://example.org/other' } });
    const reply = await api.post(`/occurrences/${occurrence}/replay`);
    expect(reply).toMatchObject({ status: 202, body: { status: 'pending', replays: 1, dueAt: toIso(NOON) } });
    const { worker, end } = run(occurrence);
    expect((await end).kind).toBe('succeeded');
    expect(worker.calls).toMatchObject([{ input: 'first', attempt: 2, fencingToken: 2, revision: 1 }]);
    expect(worker.calls[0]?.idempotencyKey).toBe(reply.body.idempotencyKey);
  });

  it('takes the input of the definition in force, and only that, when asked', async () => {
    const { occurrence, path } = await failedOne({ input: 'first' });
    await api.patch(path, { input: 'second', timeout: 'PT5S' });
    const reply = await api.post(`/occurrences/${occurrence}/replay`, { input: 'current' });
    expect(reply.body).toMatchObject({ inputRevision: 2, revision: 1 });
    await api.patch(path, { input: 'third' });
    const { worker, end } = run(occurrence);
    expect((await end).kind).toBe('succeeded');
    expect(worker.calls).toMatchObject([{ input: 'second', revision: 1 }]);
  });

  it('works while the schedule is paused, outlives an edit, and is refused where there is nothing to replay', async () => {
    const { occurrence, path } = await triggered({ expression: 'at(2026-03-01T12:00:10)' });
    expect(await api.post(`/occurrences/${occurrence}/replay`)).toMatchObject({
      status: 409,
      body: { code: 'occurrence.not-finished' },
    });
    const [scheduled] = (await ledger(api, path)).filter(({ kind }) => kind === 'scheduled');
    const id = scheduled?.id ?? '';
    const running = await claimed(api.stores, keyOf(id), at(10 * SECOND));
    await api.stores.occurrences.settle(running, failed, at(11 * SECOND));
    api.clock.set(at(20 * SECOND));
    await api.post(`${path}/pause`);
    expect((await api.post(`/occurrences/${id}/replay`)).status).toBe(202);
    await api.patch(path, { description: 'edited' });
    expect((await run(id).end).kind).toBe('succeeded');
    await api.delete(path);
    expect((await api.post(`/occurrences/${id}/replay`)).status).toBe(404);
  });

  it('of a backlog record is left to a backfill', async () => {
    const { path } = await created(api, { expression: '0 * * * *' });
    api.clock.advance(3 * HOUR + MINUTE);
    await api.patch(path, { input: 1 });
    const [coalesced] = await ledger(api, path);
    const reply = await api.post(`/occurrences/${coalesced?.id}/replay`);
    expect(reply).toMatchObject({ status: 409, body: { detail: expect.stringContaining('backfill') } });
  });
});

describe('replaying what a filter finds', () => {
  it('spreads them by the rate, oldest first, and goes on by its cursor at the same rate', async () => {
    const { id, path } = await created(api, { expression: '*/10 * * * * *' });
    const times = [10, 20, 30, 40, 50].map((second) => at(second * SECOND));
    for (const time of times) {
      const key = { schedule: id, scheduledTime: time, revision: 1, kind: 'scheduled' } as const;
      const running = await claimed(api.stores, key, time);
      await api.stores.occurrences.settle(running, failed, time);
    }
    api.clock.set(at(10 * MINUTE));
    const body = {
      status: 'failed',
      reason: 'not-retryable',
      kind: 'scheduled',
      from: toIso(at(20 * SECOND)),
      to: toIso(at(HOUR)),
      ratePerMinute: 30,
      limit: 3,
    };
    const first = await api.post(`${path}/replay`, body);
    expect(first).toMatchObject({
      status: 202,
      body: { replayed: 3, lastDueAt: toIso(at(10 * MINUTE + 4 * SECOND)), cursor: expect.any(String) },
    });
    const second = await api.post(`${path}/replay`, { ...body, cursor: first.body.cursor });
    expect(second.body).toEqual({ replayed: 1, lastDueAt: toIso(at(10 * MINUTE + 6 * SECOND)) });
    const replayed = (await ledger(api, path)).filter(({ replays }) => replays === 1);
    expect(replayed.map(({ scheduledTime, dueAt }) => [scheduledTime, dueAt])).toEqual(
      times.slice(1).map((time, n) => [toIso(time), toIso(at(10 * MINUTE + 2 * n * SECOND))]),
    );
    expect((await api.post(`${path}/replay`, body)).body).toEqual({ replayed: 0, lastDueAt: null });
    expect(tally(await ledger(api, path))['failed not-retryable']).toBe(1);
  });

  it('is refused for a status that cannot be replayed and a cursor of something else', async () => {
    const { path } = await created(api);
    expect(await api.post(`${path}/replay`, { status: 'running' })).toMatchObject({
      status: 400,
      body: { field: 'status' },
    });
    for (const cursor of ['nonsense', '12.nonsense']) {
      expect(await api.post(`${path}/replay`, { status: 'failed', cursor })).toMatchObject({
        status: 400,
        body: { code: 'cursor.invalid' },
      });
    }
    expect((await api.post('/schedules/no/body/replay', { status: 'failed' })).status).toBe(404);
  });
});

describe('a trigger', () => {
  it('may bring its own input, which the target gets and reading it shows', async () => {
    const { occurrence, path } = await triggered(
      { input: 'usual' },
      { input: { day: '{{punctual.attempt}}' } },
    );
    const { worker, end } = run(occurrence);
    await end;
    expect(worker.calls).toMatchObject([{ input: { day: 1 } }]);
    expect((await api.get(`/occurrences/${occurrence}`)).body.input).toEqual({ day: '{{punctual.attempt}}' });
    expect((await ledger(api, path))[0]).not.toHaveProperty('input');
    const empty = await api.post(`${path}/trigger`, { input: null });
    const other = run(empty.body.id);
    await other.end;
    expect(other.worker.calls).toMatchObject([{ input: null }]);
  });

  it('has its input bounded like that of a schedule, and is one request with its key', async () => {
    const { path } = await created(api);
    const large = await api.post(`${path}/trigger`, { input: 'x'.repeat(129 * 1024) });
    expect(large).toMatchObject({ status: 400, body: { field: 'input' } });
    const key = { 'idempotency-key': 'same' };
    const first = await api.post(`${path}/trigger`, { input: 1 }, key);
    expect((await api.post(`${path}/trigger`, { input: 1 }, key)).body.id).toBe(first.body.id);
    expect((await api.post(`${path}/trigger`, { input: 2 }, key)).status).toBe(422);
  });

  it('may choose what happens when another runs', async () => {
    const { path, occurrence } = await triggered({ overlap: 'skip' });
    const first = run(occurrence, () => new Promise(() => {}));
    while (first.worker.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const end = async (overlap?: string) => {
      const { body } = await api.post(`${path}/trigger`, overlap === undefined ? {} : { overlap });
      expect(body.overlap).toBe(overlap);
      return (await run(body.id).end).kind;
    };
    expect(await end()).toBe('skipped');
    expect(await end('buffer-all')).toBe('waiting');
    expect(await end('allow')).toBe('succeeded');
  });
});

describe('what needs attention', () => {
  it('is listed by day across schedules, and the ledger of one by kind and reason', async () => {
    const day = epochMs(Date.UTC(2027, 4, 7, 3));
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { occurrence } = await triggered();
      const running = await claimed(api.stores, keyOf(occurrence), NOON);
      await api.stores.occurrences.settle(running, failed, epochMs(day + n));
      ids.unshift(occurrence);
    }
    const first = await api.get('/occurrences?day=2027-05-07&status=failed&limit=2');
    expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const second = await api.get(
      `/occurrences?day=2027-05-07&status=failed&limit=2&cursor=${first.body.cursor}`,
    );
    expect(second.body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect((await api.get('/occurrences?day=2027-05-07&status=missed')).body.items).toEqual([]);
    api.clock.set(day);
    expect((await api.get('/occurrences')).body.items).toHaveLength(3);
    for (const query of ['day=yesterday', 'status=pending', 'day=2027-13-01']) {
      expect((await api.get(`/occurrences?${query}`)).status).toBe(400);
    }
  });

  it('has filters in the ledger of a schedule', async () => {
    const { path } = await created(api, { expression: '*/30 * * * * *' });
    await api.post(`${path}/trigger`);
    await api.patch(path, { input: 1 });
    const items = async (query: string) => (await api.get(`${path}/occurrences?${query}`)).body.items;
    expect(await items('kind=manual')).toHaveLength(1);
    const superseded = await items('kind=scheduled&reason=superseded&limit=100');
    expect(superseded.length).toBeGreaterThan(3);
    expect(new Set(superseded.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['cancelled']),
    );
    expect(await items('reason=deleted')).toEqual([]);
    expect((await items('kind=manual'))[0].id).toBe(
      occurrenceId(keyOf((await ledger(api, path)).find(({ kind }) => kind === 'manual')?.id ?? '')),
    );
  });
});
