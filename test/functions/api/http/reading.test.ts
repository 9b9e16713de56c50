import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PunctualError } from '../../../../lambdas/core/errors.ts';
import { idempotencyKey, type OccurrenceId } from '../../../../lambdas/core/ids.ts';
import { HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { claimed } from '../../../support/seed.ts';
import { apiWith, type Body, created, freshNames, ledger, openApi, type TestApi, tickAt } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

/** All items of a paged list, and how many pages they took. */
async function allPages(path: string): Promise<{ items: Body[]; pages: number }> {
  const items: Body[] = [];
  let pages = 0;
  for (let cursor = ''; ; ) {
    const { status, body } = await api.get(`${path}${cursor}`);
    expect(status).toBe(200);
    pages += 1;
    items.push(...body.items);
    if (body.cursor === undefined) return { items, pages };
    cursor = `&cursor=${body.cursor}`;
  }
}

describe('triggering', () => {
  it('answers 202 with an occurrence that is due now, and where it is', async () => {
    const { id, path } = await created(api);
    const reply = await api.post(`${path}/trigger`);
    const [group, name] = id.split('/');
    expect(reply.status).toBe(202);
    expect(reply.body).toEqual({
      id: expect.stringMatching(`^${group}~${name}~20260301T120000000Z~1~manual-[0-9a-f]{16}$`),
      schedule: `${group}/${name}`,
      revision: 1,
      kind: 'manual',
      scheduledTime: toIso(NOON),
      dueAt: toIso(NOON),
      startedAt: null,
      finishedAt: null,
      status: 'pending',
      reason: null,
      attempt: 0,
      idempotencyKey: idempotencyKey(reply.body.id as OccurrenceId),
      attempts: [],
      notes: [],
    });
    const location = reply.headers.get('location') ?? '';
    expect(location).toBe(`/occurrences/${reply.body.id}`);
    expect((await api.get(location)).body).toEqual(reply.body);
  });

  it('makes one occurrence for one Idempotency-Key, and one each without', async () => {
    const { path } = await created(api);
    const key = { 'idempotency-key': 'once' };
    const first = await api.post(`${path}/trigger`, undefined, key);
    api.clock.advance(MINUTE);
    const race = await Promise.all([1, 2, 3].map(() => api.post(`${path}/trigger`, undefined, key)));
    for (const again of race) expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    expect(await ledger(api, path)).toHaveLength(1);
    await Promise.all([1, 2, 3].map(() => api.post(`${path}/trigger`)));
    expect(await ledger(api, path)).toHaveLength(4);
  });

  it('takes the same key for another schedule as another request', async () => {
    const [one, two] = [await created(api), await created(api)];
    const key = { 'idempotency-key': 'shared' };
    const replies = [
      await api.post(`${one.path}/trigger`, {}, key),
      await api.post(`${two.path}/trigger`, {}, key),
    ];
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(2);
  });

  it('works while the schedule is paused or completed', async () => {
    const paused = await created(api);
    await api.post(`${paused.path}/pause`);
    expect((await api.post(`${paused.path}/trigger`)).status).toBe(202);
    const over = await created(api, { expression: 'at(2026-03-01T12:00:01)' });
    expect((await api.post(`${over.path}/trigger`)).status).toBe(202);
  });
});

describe('occurrences', () => {
  it('show how their attempts went', async () => {
    const { id, path } = await created(api, { expression: 'at(2026-03-01T12:00:10)' });
    const key = { schedule: id, scheduledTime: at(10 * SECOND), revision: 1, kind: 'scheduled' } as const;
    const running = await claimed(api.stores, key, at(10 * SECOND));
    await api.stores.occurrences.settle(
      running,
      {
        kind: 'failed',
        reason: 'not-retryable',
        record: {
          attempt: 1,
          startedAt: at(10 * SECOND),
          finishedAt: at(12 * SECOND),
          outcome: 'failed',
          detail: 'HTTP 404',
        },
      },
      at(12 * SECOND),
    );
    expect((await ledger(api, path))[0]).toMatchObject({
      status: 'failed',
      reason: 'not-retryable',
      attempt: 1,
      startedAt: toIso(at(10 * SECOND)),
      finishedAt: toIso(at(12 * SECOND)),
      attempts: [
        {
          attempt: 1,
          startedAt: toIso(at(10 * SECOND)),
          finishedAt: toIso(at(12 * SECOND)),
          outcome: 'failed',
          detail: 'HTTP 404',
        },
      ],
    });
  });

  it('are those whose time has come, unless a range or a filter asks for others', async () => {
    const { path } = await created(api, { expression: '* * * * *' });
    await tickAt(api, at(0));
    const times = async (query: string) =>
      (await api.get(`${path}/occurrences?limit=3${query}`)).body.items.map(
        (item: { scheduledTime: string }) => item.scheduledTime.slice(11, 16),
      );
    expect(await times('')).toEqual([]);
    api.clock.set(at(5 * MINUTE));
    expect(await times('')).toEqual(['12:05', '12:04', '12:03']);
    expect(await times('&from=2026-03-01T12:09:00Z')).toEqual(['12:10', '12:09']);
    expect(await times('&status=pending')).toEqual(['12:10', '12:09', '12:08']);
    expect(await times('&to=2026-03-01T12:02:00Z')).toEqual(['12:02', '12:01']);
    api.clock.set(at(0));
  });

  it('come in pages, latest first, each once', async () => {
    const { path } = await created(api, { expression: '* * * * * *' });
    const { items, pages } = await allPages(`${path}/occurrences?from=1970-01-01T00:00:00Z&limit=7`);
    expect(items.length).toBeGreaterThan(120);
    expect(pages).toBe(Math.ceil(items.length / 7));
    const times = items.map((occurrence) => occurrence.scheduledTime);
    expect(times).toEqual([...times].sort().reverse());
    expect(new Set(times).size).toBe(times.length);
  });

  it('are chosen by time, both ends included, and by status', async () => {
    const { path } = await created(api, { expression: '*/10 * * * * *' });
    const range = `from=${toIso(at(20 * SECOND))}&to=${toIso(at(40 * SECOND))}`;
    const chosen = await allPages(`${path}/occurrences?${range}`);
    expect(chosen.items.map((occurrence) => occurrence.scheduledTime)).toEqual(
      [40, 30, 20].map((second) => toIso(at(second * SECOND))),
    );
    await api.post(`${path}/pause`);
    await api.post(`${path}/trigger`);
    const pending = await allPages(`${path}/occurrences?status=pending`);
    expect(pending.items).toMatchObject([{ kind: 'manual', status: 'pending' }]);
    const cancelled = await allPages(`${path}/occurrences?status=cancelled&limit=5`);
    expect(cancelled.items.length).toBeGreaterThan(11);
  });

  it('are refused for a schedule that never was, a range that ends before it starts, and a foreign cursor', async () => {
    const { path } = freshNames();
    expect((await api.get(`${path}/occurrences`)).status).toBe(404);
    const one = await created(api, { expression: '* * * * * *' });
    const backwards = await api.get(
      `${one.path}/occurrences?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z`,
    );
    expect([backwards.status, backwards.body.field]).toEqual([400, 'to']);
    const two = await created(api);
    const { cursor } = (await api.get(`${one.path}/occurrences?limit=1`)).body;
    const foreign = await api.get(`${two.path}/occurrences?limit=1&cursor=${cursor}`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 'cursor.invalid']);
  });

  it('that nobody made are not found, whatever they are called', async () => {
    for (const id of [
      'a~b~20260301T120000000Z~1',
      'nonsense',
      'a~b~99999999T999999999Z~1',
      '%00',
      '..%2F..',
    ]) {
      const reply = await api.get(`/occurrences/${id}`);
      expect([reply.status, reply.body.code], id).toEqual([404, 'occurrence.not-found']);
    }
  });
});

describe('the list of schedules', () => {
  it('comes in pages by group and state', async () => {
    const group = 'listing';
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await api.put(`/schedules/${group}/${name}`, { expression: '0 9 * * *', target: TARGET });
    }
    await api.post(`/schedules/${group}/b/pause`);
    await api.delete(`/schedules/${group}/d`);
    const { items } = await allPages(`/schedules?group=${group}&limit=2`);
    expect(items.map(({ name, state }) => [name, state])).toEqual([
      ['a', 'enabled'],
      ['b', 'paused'],
      ['c', 'enabled'],
      ['e', 'enabled'],
    ]);
    const paused = await allPages(`/schedules?group=${group}&state=paused&limit=2`);
    expect(paused.items.map(({ name }) => name)).toEqual(['b']);
    const everywhere = await allPages('/schedules?limit=100');
    expect(everywhere.items.filter((schedule) => schedule.group === group)).toHaveLength(4);
    expect(items[0]).toEqual((await api.get(`/schedules/${group}/a`)).body);
  });
});

const TARGET = { kind: 'http', url: 'https://example.com/' };

describe('previews', () => {
  it('of a schedule give its next times in UTC and on its clocks', async () => {
    const { path } = await created(api, { expression: '30 2 * * *', timezone: 'America/New_York' });
    api.clock.set(at(6 * 24 * HOUR));
    const { body } = await api.get(`${path}/upcoming?count=2`);
    expect(body.state).toBe('enabled');
    // 02:30 does not exist on 8 March; the rule that moves it is noted.
    expect(body.items).toMatchObject([
      { scheduledTime: '2026-03-08T07:00:00.000Z', local: expect.stringContaining('2026-03-08T03:00:00') },
      { scheduledTime: '2026-03-09T06:30:00.000Z', local: expect.stringContaining('2026-03-09T02:30:00') },
    ]);
    expect(body.items[0].notes[0].code).toBe('dst.gap.run-after');
    expect(body.items[1].notes).toEqual([]);
    expect((await api.get(`${path}/upcoming`)).body.items).toHaveLength(10);
  });

  it('of an expression need no schedule', async () => {
    const reply = await api.post('/plan', {
      expression: '0 9 * * MON-FRI',
      timezone: 'Europe/Berlin',
      from: '2026-03-27T12:00:00+01:00',
      count: 2,
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      items: [
        { scheduledTime: '2026-03-30T07:00:00.000Z', local: expect.stringContaining('09:00:00') },
        { scheduledTime: '2026-03-31T07:00:00.000Z', local: expect.stringContaining('09:00:00') },
      ],
      warnings: [],
      recurrence: expect.any(String),
    });
  });

  it('follow the daylight saving rule that is asked for', async () => {
    const ask = async (gap: string) => {
      const from = '2026-03-08T00:00:00Z';
      const body = { expression: '30 2 * * *', timezone: 'America/New_York', dst: { gap }, from, count: 1 };
      return (await api.post('/plan', body)).body.items[0].scheduledTime;
    };
    expect(await ask('run-after')).toBe('2026-03-08T07:00:00.000Z');
    expect(await ask('shift')).toBe('2026-03-08T07:30:00.000Z');
    expect(await ask('skip')).toBe('2026-03-09T06:30:00.000Z');
  });

  it('end where the expression does, and refuse what it cannot mean', async () => {
    const past = await api.post('/plan', { expression: 'at(2026-01-01T00:00:00)' });
    expect([past.status, past.body.items]).toEqual([200, []]);
    for (const [body, field] of [
      [{}, 'expression'],
      [{ expression: 'whenever' }, 'expression'],
      [{ expression: '* * * * *', count: 1001 }, 'count'],
      [{ expression: '* * * * *', from: 'yesterday' }, 'from'],
      [{ expression: '* * * * *', timezone: 'Nowhere' }, 'timezone'],
    ] as const) {
      const reply = await api.post('/plan', body);
      expect([reply.status, reply.body.field]).toEqual([400, field]);
    }
  });
});

describe('the service', () => {
  it('is healthy when its tables answer', async () => {
    const reply = await api.get('/health');
    expect([reply.status, reply.body]).toEqual([200, { status: 'ok', time: toIso(NOON) }]);
  });

  it('says 503 when the store is busy and 500, without a word more, when it is broken', async () => {
    const failing = (error: Error) =>
      apiWith({
        ...api.deps,
        schedules: { ...api.stores.schedules, readHead: () => Promise.reject(error) },
      });
    const throttled = new PunctualError('store.unavailable', 'slow down');
    const busy = await failing(throttled).get('/health');
    expect([busy.status, busy.body.code, busy.headers.get('retry-after')]).toEqual([
      503,
      'store.unavailable',
      '1',
    ]);

    const broken = await failing(new Error('secret detail')).get('/health');
    expect([broken.status, broken.body.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(broken.body)).not.toContain('secret');
    expect(api.logged.at(-1)).toMatchObject({
      requestId: broken.body.instance,
      error: { message: 'secret detail' },
    });
  });

  it('describes itself as OpenAPI 3.1 in which every reference leads somewhere', async () => {
    const { status, body } = await api.get('/openapi.json');
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    const text = JSON.stringify(body);
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(body.components.schemas).toHaveProperty(name);
    expect(text).not.toContain('$defs');
    const { CreateScheduleRequest, Schedule } = body.components.schemas;
    expect(CreateScheduleRequest.required).toEqual(['name', 'expression', 'target']);
    expect(CreateScheduleRequest.additionalProperties).toBe(false);
    expect(Schedule.required).toContain('nextScheduledTime');
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    );
    expect(operations.sort()).toEqual([
      'delete /calendars/{name}',
      'delete /groups/{group}',
      'delete /schedules/{group}/{name}',
      'delete /schedules/{group}/{name}/backfills/{backfill}',
      'get /calendars',
      'get /calendars/{name}',
      'get /groups/{group}',
      'get /health',
      'get /occurrences',
      'get /occurrences/{id}',
      'get /openapi.json',
      'get /schedules',
      'get /schedules/{group}/{name}',
      'get /schedules/{group}/{name}/backfills',
      'get /schedules/{group}/{name}/backfills/{backfill}',
      'get /schedules/{group}/{name}/explain',
      'get /schedules/{group}/{name}/occurrences',
      'get /schedules/{group}/{name}/upcoming',
      'get /zones/report',
      'patch /schedules/{group}/{name}',
      'post /occurrences/{id}/cancel',
      'post /occurrences/{id}/complete',
      'post /occurrences/{id}/fail',
      'post /occurrences/{id}/heartbeat',
      'post /occurrences/{id}/replay',
      'post /plan',
      'post /pull/{queue}/claim',
      'post /schedules',
      'post /schedules/{group}/{name}/backfills',
      'post /schedules/{group}/{name}/backfills/{backfill}/cancel',
      'post /schedules/{group}/{name}/backfills/{backfill}/pause',
      'post /schedules/{group}/{name}/backfills/{backfill}/resume',
      'post /schedules/{group}/{name}/move',
      'post /schedules/{group}/{name}/pause',
      'post /schedules/{group}/{name}/replay',
      'post /schedules/{group}/{name}/resume',
      'post /schedules/{group}/{name}/skip',
      'post /schedules/{group}/{name}/trigger',
      'post /schedules/{group}/{name}/unskip',
      'put /calendars/{name}',
      'put /groups/{group}',
      'put /schedules/{group}/{name}',
    ]);
  });
});
