import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { plan } from '../../../../lambdas/core/planning/planner.ts';
import type { ScheduleStore } from '../../../../lambdas/core/ports/schedule-store.ts';
import { headRecurrence } from '../../../../lambdas/core/schedule/head-recurrence.ts';
import { epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { claimed } from '../../../support/seed.ts';
import { apiWith, created, LIMITS, ledger, openApi, scheduleBody, type TestApi, tally } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

/** `at(...)` text for an instant. */
const once = (ms: number) => `at(${toIso(ms).slice(0, 19)})`;
const nextDueOf = async (id: Parameters<TestApi['stores']['schedules']['readHead']>[0]) =>
  (await api.stores.schedules.readHead(id))?.nextDueAt;

describe('planning at once', () => {
  it('creates what falls inside the lead with the schedule, and leaves the rest to the tick', async () => {
    const soon = await created(api, { expression: once(at(45 * SECOND)) });
    expect(soon.reply.body).toMatchObject({ state: 'enabled', nextScheduledTime: toIso(at(45 * SECOND)) });
    const listed = async (state: string) =>
      (await api.get(`/schedules?state=${state}&limit=100`)).body.items.map(
        ({ name }: { name: string }) => name,
      );
    const name = soon.path.split('/').at(-1);
    expect(await listed('enabled')).toContain(name);
    api.clock.advance(MINUTE);
    // No time is left, and nothing has run it yet.
    expect((await api.get(soon.path)).body).toMatchObject({ state: 'enabled', nextScheduledTime: null });
    expect(await listed('enabled')).toContain(name);
    expect(await listed('completed')).not.toContain(name);
    api.clock.set(NOON);
    expect(await ledger(api, soon.path)).toMatchObject([
      { status: 'pending', scheduledTime: toIso(at(45 * SECOND)), kind: 'scheduled', revision: 1 },
    ]);
    const later = await created(api, { expression: once(at(3 * MINUTE)) });
    expect(await ledger(api, later.path)).toEqual([]);
    expect(await nextDueOf(later.id)).toBe(at(3 * MINUTE));
  });

  it('covers the whole lead of a schedule that fires each second, beyond one transaction', async () => {
    const { id, path } = await created(api, { expression: '* * * * * *' });
    const times = (await ledger(api, path)).map((occurrence) => occurrence.scheduledTime);
    expect(times.length).toBeGreaterThan(120);
    expect(times).toEqual(times.map((_, n) => toIso(at((n + 1) * SECOND))));
    expect(await nextDueOf(id)).toBe(at((times.length + 1) * SECOND));
  });
});

describe('an edit', () => {
  it('cancels what is to come of the old definition and plans the new one; what has passed goes on by it', async () => {
    const { path } = await created(api, { expression: '*/10 * * * * *' });
    api.clock.advance(25 * SECOND);
    await api.patch(path, { expression: '5-55/10 * * * * *' });
    const all = await ledger(api, path);
    const [old, next] = [1, 2].map((revision) =>
      all.filter((occurrence) => occurrence.revision === revision),
    );
    // Of 10 and 20 s past noon, which wait to be started.
    expect(tally(old ?? [])).toEqual({ pending: 2, 'cancelled superseded': (old?.length ?? 0) - 2 });
    expect(tally(next ?? [])).toEqual({ pending: next?.length });
    // 25 s past noon is a time of the new definition, and it is not after now.
    expect(next?.[0]?.scheduledTime).toBe(toIso(at(35 * SECOND)));
  });

  it('leaves alone what has started, and what a person asked for', async () => {
    const { id, path } = await created(api, { expression: '*/10 * * * * *' });
    await api.post(`${path}/trigger`);
    const key = { schedule: id, scheduledTime: at(10 * SECOND), revision: 1, kind: 'scheduled' } as const;
    await claimed(api.stores, key, at(10 * SECOND));
    api.clock.advance(11 * SECOND);
    await api.put(path, scheduleBody());
    const counts = tally(await ledger(api, path));
    expect(counts).toEqual({ running: 1, pending: 1, 'cancelled superseded': expect.any(Number) });
  });

  it.each([
    ['', 'pending'],
    ['?pending=keep', 'pending'],
    ['?pending=cancel', 'cancelled superseded'],
  ])('leaves a retry that waits, and cancels it when it is asked to (%s)', async (query, becomes) => {
    const { id, path } = await created(api, { expression: once(at(10 * SECOND)) });
    const key = { schedule: id, scheduledTime: at(10 * SECOND), revision: 1, kind: 'scheduled' } as const;
    const running = await claimed(api.stores, key, at(10 * SECOND));
    const record = {
      attempt: 1,
      startedAt: at(10 * SECOND),
      finishedAt: at(11 * SECOND),
      outcome: 'failed',
    } as const;
    await api.stores.occurrences.settle(running, { kind: 'retry', record, dueAt: at(HOUR) }, at(11 * SECOND));
    api.clock.advance(20 * SECOND);
    await api.put(`${path}${query}`, scheduleBody());
    expect(tally(await ledger(api, path))).toEqual({ [becomes]: 1 });
  });

  it('cancels more than a transaction holds', async () => {
    const { path } = await created(api, { expression: '* * * * * *' });
    const before = (await ledger(api, path)).length;
    expect(before).toBeGreaterThan(120);
    const reply = await api.patch(path, { expression: '*/2 * * * * *' });
    expect(reply.status).toBe(200);
    const all = await ledger(api, path);
    expect(tally(all.filter(({ revision }) => revision === 1))).toEqual({ 'cancelled superseded': before });
    // The lead of the new definition is there too, although the cancels left no room for it.
    expect(all.filter(({ revision }) => revision === 2).length).toBeGreaterThanOrEqual(60);
  });

  it('does not fire again a time that has started already by a clock ahead of this one', async () => {
    const { id, path } = await created(api, { expression: '*/10 * * * * *' });
    const key = { schedule: id, scheduledTime: at(10 * SECOND), revision: 1, kind: 'scheduled' } as const;
    await claimed(api.stores, key, at(10 * SECOND));
    api.clock.set(at(9_900));
    await api.patch(path, { input: 'new' });
    const second = (await ledger(api, path)).filter(({ revision }) => revision === 2);
    expect(second[0]?.scheduledTime).toBe(toIso(at(20 * SECOND)));
  });

  it('records the times of the old definition that nothing had created yet', async () => {
    const { path } = await created(api, { expression: '0 * * * *' });
    api.clock.advance(3 * HOUR + MINUTE);
    await api.patch(path, { input: 1 });
    expect(await ledger(api, path)).toMatchObject([
      {
        status: 'coalesced',
        revision: 1,
        coalesced: { count: 3, from: toIso(at(HOUR)), to: toIso(at(3 * HOUR)) },
      },
    ]);
  });

  it('wakes a completed schedule up, but not with a time that is over', async () => {
    const { path } = await created(api, { expression: once(at(10 * SECOND)) });
    api.clock.advance(HOUR);
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled', nextScheduledTime: null });
    const described = await api.patch(path, { description: 'over' });
    expect([described.status, described.body.state]).toEqual([200, 'enabled']);
    const past = await api.patch(path, { expression: once(NOON) });
    expect([past.status, past.body.field]).toEqual([400, 'expression']);
    const again = await api.patch(path, { expression: once(at(2 * HOUR)) });
    expect(again.body).toMatchObject({ state: 'enabled', nextScheduledTime: toIso(at(2 * HOUR)) });
  });
});

describe('another write that comes between', () => {
  /** The API with something done just before its next write of a schedule. */
  function interrupted(interrupt: () => Promise<unknown>) {
    let left = 1;
    const applyChange: ScheduleStore['applyChange'] = async (change) => {
      if (left-- > 0) await interrupt();
      return api.stores.schedules.applyChange(change);
    };
    return apiWith({ ...api.deps, schedules: { ...api.stores.schedules, applyChange } });
  }

  async function tick(id: Parameters<typeof nextDueOf>[0]) {
    const head = await api.stores.schedules.readHead(id);
    if (!head || head.nextDueAt === null) throw new Error('There is nothing to materialise.');
    const { occurrences, records, nextDueAt } = plan({
      schedule: id,
      revision: head.revision,
      policy: head.policy,
      recurrence: headRecurrence(head),
      nextDueAt: head.nextDueAt,
      now: epochMs(head.nextDueAt - MINUTE),
      limits: { planWindow: LIMITS.planWindow, maxOccurrences: 90 },
    });
    const [result] = await api.stores.planning.materialise(
      [{ head, create: occurrences, records, nextDueAt }],
      NOON,
    );
    expect(result).toEqual({ kind: 'materialised' });
  }

  it.each([
    [
      'an edit',
      (app: ReturnType<typeof apiWith>, path: string) => app.put(path, scheduleBody()),
      'superseded',
    ],
    ['a pause', (app: ReturnType<typeof apiWith>, path: string) => app.post(`${path}/pause`), 'paused'],
    ['a delete', (app: ReturnType<typeof apiWith>, path: string) => app.delete(path), 'deleted'],
  ])('as a tick does not get past %s', async (_, act, reason) => {
    const { id, path } = await created(api, { expression: '*/5 * * * *' });
    expect(await ledger(api, path)).toEqual([]);
    const reply = await act(
      interrupted(() => tick(id)),
      path,
    );
    expect(reply.status).toBeLessThan(300);
    const all = await ledger(api, path);
    expect(all.length).toBeGreaterThan(0);
    expect(tally(all)).toEqual({ [`cancelled ${reason}`]: all.length });
  });

  it('as a claim leaves the run that it began alone, and the rest is cancelled', async () => {
    const { id, path } = await created(api, { expression: '*/10 * * * * *' });
    const key = { schedule: id, scheduledTime: at(10 * SECOND), revision: 1, kind: 'scheduled' } as const;
    const app = interrupted(() => claimed(api.stores, key, at(10 * SECOND)));
    expect((await app.post(`${path}/pause`)).status).toBe(200);
    const all = await ledger(api, path);
    expect(all[0]).toMatchObject({ status: 'running', scheduledTime: toIso(at(10 * SECOND)) });
    expect(tally(all)).toEqual({ running: 1, 'cancelled paused': all.length - 1 });
  });

  it('again and again ends in 503 with a time to come back', async () => {
    const { path } = await created(api);
    const app = apiWith({
      ...api.deps,
      schedules: { ...api.stores.schedules, applyChange: async () => ({ kind: 'conflict' }) },
    });
    const reply = await app.patch(path, { input: 1 });
    expect(reply).toMatchObject({ status: 503, body: { code: 'schedule.busy' } });
    expect(reply.headers.get('retry-after')).toBe('1');
  });
});

describe('pause and resume', () => {
  it('stop what has not started and go on from now', async () => {
    const { id, path } = await created(api, { expression: '*/30 * * * * *' });
    const paused = await api.post(`${path}/pause`, { note: 'moving house' });
    expect(paused.body).toMatchObject({
      state: 'paused',
      pauseNote: 'moving house',
      version: 2,
      revision: 1,
      nextScheduledTime: null,
    });
    expect(await nextDueOf(id)).toBeNull();
    const before = await ledger(api, path);
    expect(tally(before)).toEqual({ 'cancelled paused': before.length });
    expect((await api.get(`${path}/upcoming`)).body).toEqual({ state: 'paused', items: [] });

    api.clock.advance(65 * SECOND);
    const resumed = await api.post(`${path}/resume`);
    expect(resumed.body).toMatchObject({ state: 'enabled', version: 3, revision: 1 });
    expect(resumed.body).not.toHaveProperty('pauseNote');
    const after = (await ledger(api, path)).filter(({ status }) => status === 'pending');
    // The time at 90 s was cancelled by the pause and is planned again under the same key.
    expect(after[0]?.scheduledTime).toBe(toIso(at(90 * SECOND)));
    expect((await ledger(api, path)).slice(0, 2)).toMatchObject([
      { scheduledTime: toIso(at(30 * SECOND)), status: 'cancelled' },
      { scheduledTime: toIso(at(60 * SECOND)), status: 'cancelled' },
    ]);
  });

  it('are done once however often they are asked for', async () => {
    const { path } = await created(api);
    for (let n = 0; n < 2; n += 1) expect((await api.post(`${path}/pause`)).body.version).toBe(2);
    expect((await api.post(`${path}/pause`, { note: 'why' })).body).toMatchObject({
      version: 3,
      pauseNote: 'why',
    });
    expect((await api.post(`${path}/pause`)).body).toMatchObject({ version: 3, pauseNote: 'why' });
    for (let n = 0; n < 2; n += 1) expect((await api.post(`${path}/resume`)).body.version).toBe(4);
  });

  it('an edit while paused changes the definition and starts nothing', async () => {
    const { path } = await created(api);
    await api.post(`${path}/pause`, { note: 'why' });
    const edited = await api.patch(path, { expression: '* * * * * *' });
    expect(edited.body).toMatchObject({ state: 'paused', pauseNote: 'why', revision: 2 });
    expect(await ledger(api, path)).toEqual([]);
  });
});

describe('a delete', () => {
  it('cancels everything that has not started, leaves the ledger, and cannot be repeated', async () => {
    const { path } = await created(api, { expression: '*/30 * * * * *' });
    await api.post(`${path}/trigger`);
    const reply = await api.delete(path);
    expect(reply).toMatchObject({ status: 204, body: null });
    expect((await api.get(path)).status).toBe(404);
    expect((await api.delete(path)).status).toBe(404);
    expect((await api.post(`${path}/trigger`)).status).toBe(404);
    const all = await ledger(api, path);
    expect(tally(all)).toEqual({ 'cancelled deleted': all.length });
    expect(all.filter(({ kind }) => kind === 'manual')).toHaveLength(1);
  });

  it('leaves a name that a new schedule goes on counting under', async () => {
    const { id, path } = await created(api, { expression: '*/30 * * * * *' });
    await api.patch(path, { input: 1 });
    await api.delete(path);
    const [group, name] = id.split('/');
    const again = await api.post('/schedules', {
      group,
      name,
      ...scheduleBody({ expression: '*/30 * * * * *' }),
    });
    expect(again.status).toBe(201);
    expect(again.body).toMatchObject({ revision: 3, version: 4, state: 'enabled' });
    const all = await ledger(api, path);
    expect(tally(all.filter(({ revision }) => revision === 3))).toEqual({ pending: expect.any(Number) });
    expect(tally(all.filter(({ revision }) => revision === 2))).toEqual({
      'cancelled deleted': expect.any(Number),
    });
  });
});
