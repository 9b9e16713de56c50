import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNotInForce } from '../../../../lambdas/core/occurrence/in-force.ts';
import { epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { created, freshNames, ledger, openApi, scheduleBody, type TestApi, tally } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const EVERY_TEN_SECONDS = '*/10 * * * * *';
const times = (fires: { scheduledTime: string }[]) => fires.map(({ scheduledTime }) => scheduledTime);
const headOf = async (id: Parameters<TestApi['stores']['schedules']['readHead']>[0]) => {
  const head = await api.stores.schedules.readHead(id);
  if (!head) throw new Error('There is no head.');
  return head;
};
async function inForce(path: string, id: Parameters<typeof headOf>[0]) {
  const head = await headOf(id);
  const pending = (await ledger(api, path)).filter(({ status }) => status === 'pending');
  return pending.filter(
    ({ revision, scheduledTime }) =>
      whyNotInForce(
        { kind: 'scheduled', revision, scheduledTime: epochMs(Date.parse(scheduledTime)) },
        head,
      ) === null,
  );
}

describe('an edit that keeps what is pending', () => {
  it('leaves it in force under its own revision and goes on behind it', async () => {
    const { id, path } = await created(api, { expression: EVERY_TEN_SECONDS });
    const planned = await ledger(api, path);
    const { nextDueAt } = await headOf(id);
    const edited = await api.patch(`${path}?pending=keep`, { expression: '5 * * * * *' });
    expect([edited.status, edited.body.revision]).toEqual([200, 2]);
    expect(tally(await ledger(api, path))).toEqual({ pending: planned.length });
    expect(await inForce(path, id)).toHaveLength(planned.length);
    // The first minute's fifth second that is not before what is planned already.
    const next = (await headOf(id)).nextDueAt;
    expect(next).toBeGreaterThanOrEqual(nextDueAt ?? 0);
    expect((next ?? 0) % MINUTE).toBe(5 * SECOND);
  });

  it('may be repeated: the oldest revision that was kept stays in force', async () => {
    const { id, path } = await created(api, { expression: EVERY_TEN_SECONDS });
    const { length } = await ledger(api, path);
    await api.patch(`${path}?pending=keep`, { input: 1 });
    await api.patch(`${path}?pending=keep`, { input: 2 });
    expect(await inForce(path, id)).toHaveLength(length);
    expect(await headOf(id)).toMatchObject({ revision: 3, oldestRevision: 1 });
  });

  it('is ended by one that cancels, whatever revision is pending', async () => {
    const { id, path } = await created(api, { expression: EVERY_TEN_SECONDS });
    const { length } = await ledger(api, path);
    await api.patch(`${path}?pending=keep`, { input: 1 });
    await api.patch(path, { expression: '0 0 1 1 *' });
    expect(tally(await ledger(api, path))).toEqual({ 'cancelled superseded': length });
    const head = await headOf(id);
    expect(head.oldestRevision).toBeUndefined();
    expect(whyNotInForce({ kind: 'scheduled', revision: 1, scheduledTime: at(HOUR) }, head)).toBe(
      'superseded',
    );
  });

  it.each(['pause', 'delete'])('is ended by a %s', async (verb) => {
    const { id, path } = await created(api, { expression: EVERY_TEN_SECONDS });
    await api.patch(`${path}?pending=keep`, { input: 1 });
    await (verb === 'pause' ? api.post(`${path}/pause`) : api.delete(path));
    expect((await ledger(api, path)).filter(({ status }) => status === 'pending')).toEqual([]);
    expect((await headOf(id)).oldestRevision).toBeUndefined();
  });

  it('does not fire a time again that is planned already, also of a schedule without a next one', async () => {
    const { id, path } = await created(api, { expression: 'at(2026-03-01T12:01:00)' });
    expect(await headOf(id)).toMatchObject({ state: 'completed', nextDueAt: null });
    await api.patch(`${path}?pending=keep`, { expression: '0 * * * * *' });
    const all = (await ledger(api, path)).map(({ scheduledTime, revision }) => [scheduledTime, revision]);
    expect(all.slice(0, 2)).toEqual([
      [toIso(at(MINUTE)), 1],
      [toIso(at(2 * MINUTE)), 2],
    ]);
  });

  it('of the same times leaves missed ones to the catch-up policy instead of ruling them out', async () => {
    const { id, path } = await created(api, { expression: '0 * * * *', catchUp: { mode: 'all' } });
    api.clock.advance(3 * HOUR + MINUTE);
    await api.patch(`${path}?pending=keep`, { input: 1 });
    const all = await ledger(api, path);
    expect(times(all)).toEqual([1, 2, 3].map((hours) => toIso(at(hours * HOUR))));
    expect(tally(all)).toEqual({ pending: 3 });
    expect((await headOf(id)).nextDueAt).toBe(at(4 * HOUR));
  });
});

describe('an edit of tags and description only', () => {
  it('keeps what is pending by itself', async () => {
    const { id, path } = await created(api, { expression: EVERY_TEN_SECONDS });
    const { length } = await ledger(api, path);
    const before = await headOf(id);
    await api.patch(path, { description: 'why', tags: { team: 'blue' } });
    expect(tally(await ledger(api, path))).toEqual({ pending: length });
    expect(await headOf(id)).toMatchObject({ nextDueAt: before.nextDueAt, oldestRevision: 1, revision: 2 });
  });

  it('cancels and plans again when it is told to', async () => {
    const { path } = await created(api, { expression: EVERY_TEN_SECONDS });
    const { length } = await ledger(api, path);
    await api.patch(`${path}?pending=cancel`, { description: 'why' });
    expect(tally(await ledger(api, path))).toMatchObject({ 'cancelled superseded': length });
  });

  it('leaves a completed one-shot and its occurrence alone', async () => {
    const { id, path } = await created(api, { expression: 'at(2026-03-01T12:01:00)' });
    const edited = await api.patch(path, { description: 'why' });
    // Its time is still to come.
    expect(edited.body.state).toBe('enabled');
    expect(await inForce(path, id)).toHaveLength(1);
  });
});

describe('a dry run', () => {
  it('of an edit answers the difference of the next ten times and writes nothing', async () => {
    const { id, path } = await created(api, { expression: '0 */2 * * *' });
    const head = await headOf(id);
    const reply = await api.patch(`${path}?dryRun=true`, { expression: '0 */3 * * *' });
    expect(reply.status).toBe(200);
    expect(times(reply.body.before)).toEqual(
      Array.from({ length: 10 }, (_, n) => toIso(at((n + 1) * 2 * HOUR))),
    );
    expect(times(reply.body.after)).toEqual(
      Array.from({ length: 10 }, (_, n) => toIso(at((n + 1) * 3 * HOUR))),
    );
    expect(times(reply.body.removed)).toEqual(
      [2, 4, 8, 10, 14, 16, 20].map((hours) => toIso(at(hours * HOUR))),
    );
    expect(times(reply.body.added)).toEqual([3, 9, 15, 21, 27].map((hours) => toIso(at(hours * HOUR))));
    expect(reply.body).toMatchObject({ state: 'enabled', warnings: [] });
    expect(await headOf(id)).toEqual(head);
    expect(await ledger(api, path)).toEqual([]);
  });

  it('of one that keeps what is pending shows it before the new times', async () => {
    const { path } = await created(api, { expression: '0 * * * * *' });
    const reply = await api.patch(`${path}?dryRun=true&pending=keep`, { expression: '30 * * * * *' });
    const after = times(reply.body.after);
    expect(after.slice(0, 9)).toEqual(times(reply.body.before).slice(0, 9));
    expect(times(reply.body.removed)).toEqual([]);
    const longer = await api.patch(`${path}?dryRun=true&pending=cancel`, { expression: '30 * * * * *' });
    expect(times(longer.body.removed)).toHaveLength(10);
    expect(times(longer.body.added)).toHaveLength(10);
  });

  it('of a creation answers its times and warnings and makes nothing', async () => {
    const { group, name, path } = freshNames();
    const body = { group, name, ...scheduleBody({ expression: '0 0 13 * FRI' }) };
    const reply = await api.post('/schedules?dryRun=true', body);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ state: 'enabled', before: [], removed: [] });
    expect(reply.body.added).toEqual(reply.body.after);
    expect(reply.body.warnings).not.toEqual([]);
    expect((await api.put(`${path}?dryRun=true`, scheduleBody())).status).toBe(200);
    expect((await api.get(path)).status).toBe(404);
  });

  it('refuses what the request itself would be refused for', async () => {
    const { path } = await created(api);
    const patch = (body: object, headers?: Record<string, string>) =>
      api.patch(`${path}?dryRun=true`, body, headers);
    expect((await patch({ expression: 'x' })).body.field).toBe('expression');
    expect((await patch({ input: 1 }, { 'if-match': '"9"' })).status).toBe(412);
    expect((await api.patch(`${freshNames().path}?dryRun=true`, {})).status).toBe(404);
    const [group, name] = path.split('/').slice(2);
    expect((await api.post('/schedules?dryRun=true', { group, name, ...scheduleBody() })).status).toBe(409);
    expect((await api.patch(`${path}?pending=maybe`, {})).body.field).toBe('pending');
  });

  it('of a paused schedule says that nothing of it fires', async () => {
    const { path } = await created(api);
    await api.post(`${path}/pause`);
    const reply = await api.put(`${path}?dryRun=true`, scheduleBody({ expression: '0 10 * * *' }));
    expect(reply.body.state).toBe('paused');
    expect(reply.body.after).toHaveLength(10);
  });

  it('of an edit that changes nothing shows no difference', async () => {
    const { path } = await created(api);
    const { body } = await api.put(`${path}?dryRun=true`, scheduleBody());
    expect([body.added, body.removed]).toEqual([[], []]);
    expect(body.after).toEqual(body.before);
  });
});
