import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { created, ledger, openApi, type TestApi, tally } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

/** A schedule that was paused at noon; the clock stands `ms` later. */
async function pausedFor(ms: number, changes: Record<string, unknown>) {
  const made = await created(api, changes);
  await api.post(`${made.path}/pause`);
  api.clock.set(at(ms));
  return made;
}

const pendingTimes = async (path: string) =>
  (await ledger(api, path))
    .filter(({ status }) => status === 'pending')
    .map(({ scheduledTime }) => Date.parse(scheduledTime) - NOON);

describe('a resume', () => {
  it('records what was missed as one, and makes nothing up for it', async () => {
    const { path } = await pausedFor(6 * HOUR + 30 * MINUTE, { expression: '0 * * * *' });
    expect((await api.post(`${path}/resume`)).body.state).toBe('enabled');
    expect(await ledger(api, path)).toMatchObject([
      {
        status: 'coalesced',
        reason: 'paused',
        coalesced: { count: 6, from: toIso(at(HOUR)), to: toIso(at(6 * HOUR)) },
      },
    ]);
  });

  it('runs the latest one when it is told so, and records the others', async () => {
    const { path } = await pausedFor(6 * HOUR + 30 * MINUTE, { expression: '0 * * * *' });
    await api.post(`${path}/resume`, { catchUp: 'latest' });
    const [record, run] = await ledger(api, path);
    expect(record).toMatchObject({ reason: 'paused', coalesced: { count: 5, to: toIso(at(5 * HOUR)) } });
    expect(run).toMatchObject({ status: 'pending', scheduledTime: toIso(at(6 * HOUR)) });
    expect(run?.notes.map(({ code }) => code)).toContain('catch-up');
  });

  it('runs no more than the budget, spread, and accounts for the rest', async () => {
    const { path } = await pausedFor(6 * HOUR + 30 * SECOND, { expression: '* * * * *' });
    const catchUp = { mode: 'all', maxRuns: 20, spreadOver: 'PT10M' };
    await api.post(`${path}/resume`, { catchUp });
    const all = await ledger(api, path);
    const made = all.filter(({ notes }) => notes.some(({ code }) => code === 'catch-up'));
    expect(made).toHaveLength(20);
    expect(made.at(-1)?.scheduledTime).toBe(toIso(at(6 * HOUR)));
    expect(new Set(made.map(({ dueAt }) => dueAt)).size).toBe(20);
    const record = all.find(({ status }) => status === 'coalesced');
    // The first ten were planned before the pause, and have records of their own.
    expect(record?.coalesced).toMatchObject({ count: 330, from: toIso(at(11 * MINUTE)) });
    expect(tally(all)).toMatchObject({ 'cancelled paused': 10, 'coalesced paused': 1 });
  });

  it('makes up for what the pause itself had cancelled, once', async () => {
    const { path } = await pausedFor(5 * MINUTE + 30 * SECOND, { expression: '* * * * *' });
    await api.post(`${path}/resume`, { catchUp: { mode: 'all', maxRuns: 3 } });
    expect((await pendingTimes(path)).slice(0, 4)).toEqual([3, 4, 5, 6].map((minutes) => minutes * MINUTE));
    const all = await ledger(api, path);
    expect(new Set(all.map(({ scheduledTime }) => scheduledTime)).size).toBe(all.length);
  });

  it('makes up for nothing older than the age that it names, or else the schedule', async () => {
    const changes = { expression: '0 * * * *', catchUp: { maxAge: 'PT2H' } };
    const own = await pausedFor(6 * HOUR, changes);
    await api.post(`${own.path}/resume`, { catchUp: 'all' });
    expect(await pendingTimes(own.path)).toEqual([4 * HOUR, 5 * HOUR, 6 * HOUR]);
    api.clock.set(NOON);
    const other = await pausedFor(6 * HOUR, changes);
    await api.post(`${other.path}/resume`, { catchUp: { mode: 'all', maxAge: 'PT1H' } });
    expect(await pendingTimes(other.path)).toEqual([5 * HOUR, 6 * HOUR]);
  });

  it('costs what its budget costs after years', async () => {
    const { path } = await pausedFor(1_000 * DAY, { expression: '* * * * * *' });
    const reply = await api.post(`${path}/resume`, { catchUp: { mode: 'all', maxRuns: 2 } });
    expect(reply.status).toBe(200);
    expect((await pendingTimes(path)).slice(0, 2)).toEqual([1_000 * DAY - SECOND, 1_000 * DAY]);
  });

  it('of a one-shot that a pause held back runs it', async () => {
    const { path } = await pausedFor(HOUR, { expression: 'at(2026-03-01T12:01:00)' });
    await api.post(`${path}/resume`, { catchUp: 'latest' });
    expect(await pendingTimes(path)).toEqual([MINUTE]);
  });

  it.each([
    [{ catchUp: 'some' }, 'catchUp'],
    [{ catchUp: { maxRuns: 3 } }, 'catchUp'],
    [{ catchUp: { mode: 'all', maxRuns: 1_000 } }, 'catchUp.maxRuns'],
    [{ note: 'x' }, 'note'],
  ])('is refused as %j', async (body, field) => {
    const { path } = await pausedFor(HOUR, {});
    const reply = await api.post(`${path}/resume`, body);
    expect([reply.status, reply.body.field]).toEqual([400, field]);
  });
});

describe('an edit while it is paused', () => {
  it('of the times ends those of the old definition; a resume makes up for the new ones only', async () => {
    const { path } = await pausedFor(3 * HOUR + MINUTE, { expression: '0 * * * *' });
    await api.patch(path, { expression: '30 * * * *' });
    expect(await ledger(api, path)).toMatchObject([
      { status: 'coalesced', reason: 'paused', revision: 1, coalesced: { count: 3 } },
    ]);
    api.clock.advance(2 * HOUR);
    await api.post(`${path}/resume`, { catchUp: { mode: 'all', maxRuns: 50 } });
    expect(await pendingTimes(path)).toEqual([3.5 * HOUR, 4.5 * HOUR]);
  });

  it('of anything else leaves what a resume makes up for as it was', async () => {
    const { path } = await pausedFor(2 * HOUR + MINUTE, { expression: '0 * * * *' });
    await api.patch(path, { input: 'new' });
    await api.post(`${path}/resume`, { catchUp: 'all' });
    const all = await ledger(api, path);
    expect(all.map(({ revision, status }) => [revision, status])).toEqual([
      [2, 'pending'],
      [2, 'pending'],
    ]);
  });
});

describe('a pause', () => {
  it('says who, since when, until when and why', async () => {
    const { path } = await created(api);
    const until = toIso(at(DAY));
    const { body } = await api.post(`${path}/pause`, { note: 'moving house', until });
    const said = {
      pauseNote: 'moving house',
      pausedBy: 'anonymous',
      pausedSince: toIso(NOON),
      pausedUntil: until,
    };
    expect(body).toMatchObject({ state: 'paused', ...said });
    expect((await api.get(path)).body).toMatchObject(said);
    api.clock.advance(HOUR);
    const longer = await api.post(`${path}/pause`, { until: toIso(at(2 * DAY)) });
    expect(longer.body).toMatchObject({ ...said, pausedUntil: toIso(at(2 * DAY)), version: 3 });
    const forEver = await api.post(`${path}/pause`, { until: null });
    expect(forEver.body).not.toHaveProperty('pausedUntil');
    expect(forEver.body.pauseNote).toBe('moving house');
    const resumed = await api.post(`${path}/resume`);
    for (const field of Object.keys(said)) expect(resumed.body).not.toHaveProperty(field);
  });

  it('does not end before it begins', async () => {
    const { path } = await created(api);
    for (const until of [toIso(NOON), toIso(at(-1)), 'tomorrow']) {
      const reply = await api.post(`${path}/pause`, { until });
      expect([reply.status, reply.body.field], until).toEqual([400, 'until']);
    }
    expect((await api.get(path)).body.state).toBe('enabled');
  });
});
