import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochMs, MINUTE, SECOND } from '../../../../lambdas/core/time.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { apiWith, openApi, type Reply, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
let groups = 0;
let group: string;
let path: string;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** A group of its own for each test. */
async function limited(quotas: Record<string, number>): Promise<void> {
  groups += 1;
  group = `limited-${groups}`;
  path = `/groups/${group}`;
  await set(quotas);
}

async function set(quotas: Record<string, number>): Promise<Reply> {
  const reply = await api.put(path, { concurrencyLimit: null, ...quotas });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply;
}

const put = (name: string, changes: Record<string, unknown> = {}) =>
  api.put(`/schedules/${group}/${name}`, scheduleBody(changes));
const use = async () => (await api.get(path)).body.use;
const EACH_SECOND = { expression: '* * * * * *' };
const TWICE_A_MINUTE = { expression: '0,30 * * * * *' };

function expectReached(reply: Reply, name: string, limit: number, used: number, wanted: number) {
  expect([reply.status, reply.body.code, reply.body.field], JSON.stringify(reply.body)).toEqual([
    429,
    'group.limit',
    name,
  ]);
  expect(reply.body.limit).toEqual({ group, name, limit, used, wanted });
  expect(reply.body.detail).toContain(`raise ${name} with PUT ${path}`);
}

describe('maxSchedules', () => {
  it('refuses one more, says the way out, and has room again once one is deleted', async () => {
    await limited({ maxSchedules: 2 });
    expect([(await put('a')).status, (await put('b')).status]).toEqual([201, 201]);
    const refused = await put('c');
    expectReached(refused, 'maxSchedules', 2, 2, 1);
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect((await api.get(`/schedules/${group}/c`)).status).toBe(404);
    const posted = await api.post('/schedules', { group, name: 'c', ...scheduleBody() });
    expectReached(posted, 'maxSchedules', 2, 2, 1);
    const dry = await api.post('/schedules?dryRun=true', { group, name: 'c', ...scheduleBody() });
    expectReached(dry, 'maxSchedules', 2, 2, 1);

    expect((await put('a', { input: 'other' })).status).toBe(200);
    expect((await api.post(`/schedules/${group}/a/pause`)).status).toBe(200);
    expect((await api.delete(`/schedules/${group}/a`)).status).toBe(204);
    expect((await put('c')).status).toBe(201);
    // A tombstone is a name that can be taken again, with a count of its own.
    expectReached(await put('a'), 'maxSchedules', 2, 2, 1);
    expect((await use()).schedules).toBe(2);
  });

  it('lets one of many in that want the last place at once', async () => {
    await limited({ maxSchedules: 3 });
    await Promise.all([put('a'), put('b')]);
    const replies = await Promise.all(['c', 'd', 'e', 'f', 'g', 'h'].map((name) => put(name)));
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, 429, 429, 429, 429, 429]);
    expect((await use()).schedules).toBe(3);
  });

  it('is not met by other groups, nor by one that has none, of which nothing is kept', async () => {
    await limited({ maxSchedules: 1 });
    await put('a');
    groups += 1;
    expect((await api.put(`/schedules/free-${groups}/a`, scheduleBody())).status).toBe(201);
    expect(await api.stores.schedules.readGroup(`free-${groups}`)).toBeUndefined();
    expect((await api.get(`/groups/free-${groups}`)).body.use).toBeNull();
  });
});

describe('a quota below the present use', () => {
  it('counts what there is, whatever its state, and refuses growth only', async () => {
    await limited({});
    await put('a', { ...TWICE_A_MINUTE, input: 'x'.repeat(98) });
    await put('b', EACH_SECOND);
    await api.post(`/schedules/${group}/b/pause`);
    await put('gone');
    await api.delete(`/schedules/${group}/gone`);
    const reply = await set({ maxSchedules: 1, maxFiresPerMinute: 10, maxInputBytes: 50 });
    const used = { schedules: 2, firesPerMinute: 62, startedThisMinute: 0, inputBytes: 104 };
    expect(reply.body.use).toEqual(used);
    expect((await set({ maxSchedules: 1, maxFiresPerMinute: 10, maxInputBytes: 50 })).body.use).toEqual(used);

    expectReached(await put('c'), 'maxSchedules', 1, 2, 1);
    expectReached(await put('a', EACH_SECOND), 'maxFiresPerMinute', 10, 62, 58);
    const longer = { ...TWICE_A_MINUTE, input: 'x'.repeat(99) };
    expectReached(await put('a', longer), 'maxInputBytes', 50, 104, 1);
    // As much as before, or less, is let through.
    const same = { ...TWICE_A_MINUTE, input: 'y'.repeat(98), description: 'as large' };
    expect((await put('a', same)).status).toBe(200);
    expect((await put('a', { expression: '0 9 * * *' })).status).toBe(200);
    expect((await api.post(`/schedules/${group}/b/resume`)).status).toBe(200);
    expect((await api.delete(`/schedules/${group}/b`)).status).toBe(204);
    expect(await use()).toEqual({ ...used, schedules: 1, firesPerMinute: 1, inputBytes: 4 });
  });

  it('is counted anew after all quotas were taken back', async () => {
    await limited({ maxSchedules: 5 });
    await put('a');
    expect((await set({})).body.use).toBeNull();
    await put('b');
    await api.delete(`/schedules/${group}/a`);
    api.clock.set(at(SECOND));
    expect((await set({ maxSchedules: 5 })).body.use.schedules).toBe(1);
    await api.delete(path);
    expect((await api.get(path)).body).toMatchObject({ maxSchedules: null, use: null });
    api.clock.set(NOON);
  });
});

describe('the count', () => {
  it('is exact when it begins beside creates, edits, pauses and deletes', async () => {
    await limited({});
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await Promise.all(names.map((name) => put(name, TWICE_A_MINUTE)));
    const [, ...replies] = await Promise.all([
      set({ maxSchedules: 100, maxFiresPerMinute: 10_000 }),
      put('a', EACH_SECOND),
      put('b', { ...TWICE_A_MINUTE, input: 1 }),
      api.delete(`/schedules/${group}/c`),
      api.post(`/schedules/${group}/d/pause`),
      api.delete(`/schedules/${group}/e`),
      put('f', { expression: '0 9 * * *' }),
      put('new', EACH_SECOND),
    ]);
    expect(replies.map(({ status }) => status < 300)).toEqual(replies.map(() => true));
    // What was being created as the count began may have been missed: a second time it is not.
    await set({ maxSchedules: 100, maxFiresPerMinute: 10_000 });
    // a, b, d, f, g, h and new
    expect(await use()).toMatchObject({ schedules: 7, firesPerMinute: 60 + 2 + 2 + 1 + 2 + 2 + 60 });
  });

  it('goes on where counting stopped, and counts nothing twice', async () => {
    await limited({});
    await Promise.all(['a', 'b', 'c'].map((name) => put(name)));
    const { schedules } = api.stores;
    await schedules.writeGroup(group, { maxSchedules: 9 }, NOON);
    const { items } = await schedules.listSchedules({ group, limit: 10 });
    const [first] = items;
    if (!first) throw new Error('There are three.');
    const one = [{ head: first.head, counted: { epoch: NOON, fires: 1, bytes: 4 } }];
    expect(await schedules.adoptSchedules(group, NOON, one)).toBe(true);
    expect(await schedules.adoptSchedules(group, NOON, one)).toBe(false);
    expect((await use()).schedules).toBe(1);
    // An edit of one that is not counted counts it, even where there is no room for growth.
    await schedules.writeGroup(group, { maxSchedules: 1 }, NOON);
    const [, second] = items;
    expect((await api.patch(`/schedules/${second?.head.id}`, { description: 'x' })).status).toBe(200);
    expect((await use()).schedules).toBe(2);
    await set({ maxSchedules: 1 });
    expect((await use()).schedules).toBe(3);
  });

  it('goes down when a schedule is through and deletes itself', async () => {
    await limited({ maxSchedules: 1 });
    await put('once', { expression: 'at(2030-01-01T00:00:00)', deleteAfterCompletion: true });
    const id = `${group}/once` as never;
    const head = await api.stores.schedules.readHead(id);
    if (!head) throw new Error('It was made.');
    const completed = { ...head, state: 'completed', version: head.version + 1 } as const;
    await api.stores.schedules.applyChange({
      expected: head,
      head: completed,
      cancel: [],
      cancelReason: 'user',
      create: [],
      records: [],
      now: NOON,
    });
    // As read before the group counted it: refused, and read again by the next tick.
    const { counted: _, ...uncounted } = completed;
    expect(await api.stores.planning.retire(uncounted, NOON)).toEqual({ kind: 'lost-lease' });
    expect(await api.stores.planning.retire(completed, NOON)).toEqual({ kind: 'done' });
    expect(await api.stores.planning.retire(completed, NOON)).toEqual({ kind: 'lost-lease' });
    expect(await use()).toMatchObject({ schedules: 0, firesPerMinute: 0, inputBytes: 0 });
    expect((await put('next')).status).toBe(201);
  });
});

describe('maxFiresPerMinute', () => {
  const trigger = (headers?: Record<string, string>) =>
    api.post(`/schedules/${group}/a/trigger`, undefined, headers);

  it.each([11, 40])(
    'of %d is never exceeded, whatever is declared and started at once',
    async (maxFiresPerMinute) => {
      await limited({ maxFiresPerMinute });
      await put('a', { expression: '* * * * *' });
      const asked = Array.from({ length: maxFiresPerMinute }, (_, number) => number);
      const replies = await Promise.all(
        asked.flatMap((number) => [
          trigger(),
          ...(number % 4 === 0 ? [put(`b${number}`, { expression: '*/6 * * * * *' })] : []),
        ]),
      );
      const { firesPerMinute, startedThisMinute } = await use();
      expect(firesPerMinute + startedThisMinute).toBeLessThanOrEqual(maxFiresPerMinute);
      const admitted = replies.filter(({ status }) => status === 202 || status === 201).length;
      expect(admitted).toBeGreaterThan(0);
    },
  );

  it('has no room for a new schedule while people have taken the minute up, and has in the next', async () => {
    await limited({ maxFiresPerMinute: 11 });
    await put('a', { expression: '* * * * *' });
    for (let number = 0; number < 10; number += 1) expect((await trigger()).status).toBe(202);
    const refused = await put('b', { expression: '*/6 * * * * *' });
    expectReached(refused, 'maxFiresPerMinute', 11, 11, 10);
    api.clock.set(at(MINUTE));
    expect((await put('b', { expression: '*/6 * * * * *' })).status).toBe(201);
    api.clock.set(NOON);
  });

  it('counts what people start in a minute beside what is declared; Retry-After leads to the next', async () => {
    api.clock.set(at(20 * SECOND));
    await limited({ maxFiresPerMinute: 4 });
    await put('a', TWICE_A_MINUTE);
    expect([(await trigger({ 'idempotency-key': 'k' })).status, (await trigger()).status]).toEqual([
      202, 202,
    ]);
    const refused = await trigger();
    expectReached(refused, 'maxFiresPerMinute', 4, 4, 1);
    expect(refused.headers.get('retry-after')).toBe('40');
    // The same request again starts nothing.
    expect((await trigger({ 'idempotency-key': 'k' })).status).toBe(202);
    expect((await use()).startedThisMinute).toBe(2);

    api.clock.set(at(59_999));
    expect((await trigger()).headers.get('retry-after')).toBe('1');
    api.clock.set(at(MINUTE));
    expect((await use()).startedThisMinute).toBe(0);
    expect((await trigger()).status).toBe(202);
    api.clock.set(NOON);
  });

  it('lets as many in as there are places when all come at once', async () => {
    await limited({ maxFiresPerMinute: 4 });
    await put('a');
    const replies = await Promise.all(Array.from({ length: 7 }, () => trigger()));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 429, 429, 429, 429]);
    expect((await use()).startedThisMinute).toBe(3);
  });

  it('counts replays, and backfills with as many as they run at once', async () => {
    await limited({});
    await put('a');
    const made = (await trigger()).body;
    await api.post(`/occurrences/${made.id}/cancel`);
    await set({ maxFiresPerMinute: 3 });
    const backfill = (maxConcurrent: number) =>
      api.post(`/schedules/${group}/a/backfills`, {
        from: new Date(NOON - 3 * 24 * 60 * MINUTE).toISOString(),
        to: new Date(NOON).toISOString(),
        maxConcurrent,
      });
    expectReached(await backfill(3), 'maxFiresPerMinute', 3, 1, 3);
    expect((await backfill(1)).status).toBe(201);
    expect((await api.post(`/occurrences/${made.id}/replay`)).status).toBe(202);
    await api.post(`/occurrences/${made.id}/cancel`);
    expectReached(await api.post(`/occurrences/${made.id}/replay`), 'maxFiresPerMinute', 3, 3, 1);
    const many = { status: 'cancelled', ratePerMinute: 60 };
    expectReached(await api.post(`/schedules/${group}/a/replay`, many), 'maxFiresPerMinute', 3, 3, 1);
    api.clock.set(at(MINUTE));
    expect((await api.post(`/schedules/${group}/a/replay`, many)).body).toMatchObject({ replayed: 1 });
    expect((await use()).startedThisMinute).toBe(1);
    api.clock.set(NOON);
  });

  it('says that waiting does not help where no minute has room', async () => {
    await limited({ maxFiresPerMinute: 1 });
    await put('a');
    const refused = await trigger();
    expectReached(refused, 'maxFiresPerMinute', 1, 1, 1);
    expect(refused.headers.get('retry-after')).toBe('3600');
  });

  it('loses a place for a minute at most when what was let in does not come about', async () => {
    await limited({ maxFiresPerMinute: 2 });
    await put('a');
    const broken = apiWith({
      ...api.deps,
      occurrences: { ...api.deps.occurrences, createManual: () => Promise.reject(new Error('gone')) },
    });
    expect((await broken.post(`/schedules/${group}/a/trigger`)).status).toBe(500);
    expect((await trigger()).status).toBe(429);
    api.clock.set(epochMs(NOON + MINUTE));
    expect((await trigger()).status).toBe(202);
    api.clock.set(NOON);
  });
});

describe('quotas', () => {
  it.each([
    ['maxSchedules', 0],
    ['maxFiresPerMinute', 1.5],
    ['maxInputBytes', '5'],
    ['maxInputBytes', 2 ** 41],
  ])('of %s as %j are refused', async (field, value) => {
    const reply = await api.put('/groups/refused', { concurrencyLimit: null, [field]: value });
    expect([reply.status, reply.body.field]).toEqual([400, field]);
  });
});
