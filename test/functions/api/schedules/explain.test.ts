import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { headRecurrence } from '../../../../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { tick } from '../../../../lambdas/tick/tick.ts';
import { work } from '../../../../lambdas/worker/work.ts';
import { at, freshId, NOON } from '../../../support/fixtures.ts';
import { testWorker } from '../../../support/worker.ts';
import { type Body, created, LIMITS, openApi, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => api.clock.set(NOON));
afterAll(() => api.close());

async function explained(path: string, time: EpochMs | string): Promise<Body> {
  const text = typeof time === 'string' ? time : toIso(time);
  const { status, body } = await api.get(`${path}/explain?at=${encodeURIComponent(text)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

function tickAt(now: EpochMs) {
  api.clock.set(now);
  const { planning: store, occurrences } = api.stores;
  const terms = { ...LIMITS, holder: `tick-${now}`, stopAt: epochMs(now + HOUR), now: () => now };
  return tick({ store, occurrences, recurrenceOf: headRecurrence, ...terms }, [0, 1, 2, 3]);
}

/** Runs the occurrence of a time as a worker does. */
async function run(path: string, time: EpochMs, outcome: 'succeeded' | 'failed'): Promise<string> {
  const { items } = (await api.get(`${path}/occurrences?from=${toIso(time)}&to=${toIso(time)}`)).body;
  const { id, dueAt } = items[0];
  const worker = testWorker(api.stores, async () =>
    outcome === 'succeeded'
      ? { kind: 'succeeded' }
      : { kind: 'failed', retryable: false, detail: 'HTTP 400' },
  );
  worker.clock.set(time);
  await work(worker.deps, { id, seq: 1, dueAt: Date.parse(dueAt) }, 'w');
  api.clock.set(epochMs(time + SECOND));
  return id;
}

describe('what the ledger has', () => {
  it.each(['succeeded', 'failed'] as const)('a time that %s ran', async (outcome) => {
    const { path } = await created(api, { expression: '* * * * *' });
    const time = at(MINUTE);
    const id = await run(path, time, outcome);
    const rule = outcome === 'failed' ? 'failed.not-retryable' : 'succeeded';
    expect(await explained(path, time)).toMatchObject({
      decision: 'ran',
      rule,
      occurrence: id,
      at: toIso(time),
      revision: 1,
    });
  });

  it('a time that is planned will run, with its notes', async () => {
    const { path } = await created(api, { expression: '* * * * *', window: 'PT50S' });
    const answer = await explained(path, at(MINUTE));
    expect(answer).toMatchObject({ decision: 'will-run', rule: 'pending', notes: [{ code: 'window' }] });
    expect(answer).toMatchObject({ previous: toIso(NOON), next: toIso(at(2 * MINUTE)) });
  });

  it('a time that a person skipped will not run, and did not', async () => {
    const { path } = await created(api, { expression: '0 * * * *' });
    await api.post(`${path}/skip`, { scheduledTime: toIso(at(HOUR)) });
    expect(await explained(path, at(HOUR))).toMatchObject({ decision: 'will-not-run', rule: 'skipped.user' });
    api.clock.set(at(2 * HOUR));
    expect(await explained(path, at(HOUR))).toMatchObject({ decision: 'did-not-run', rule: 'skipped.user' });
  });

  it('a time that an edit took the place of is explained by what is planned instead', async () => {
    const { path } = await created(api, { expression: '* * * * *' });
    await api.patch(path, { expression: '*/2 * * * *' });
    expect(await explained(path, at(MINUTE))).toMatchObject({
      decision: 'will-not-run',
      rule: 'cancelled.superseded',
      revision: 1,
    });
    expect(await explained(path, at(2 * MINUTE))).toMatchObject({
      decision: 'will-run',
      rule: 'pending',
      revision: 2,
    });
  });

  it('a time inside a range that was not run is explained by the record of the range', async () => {
    const { path } = await created(api, { expression: '0 * * * *', catchUp: { mode: 'skip' } });
    await tickAt(at(5 * HOUR + 30 * MINUTE));
    const answer = await explained(path, at(3 * HOUR));
    expect(answer).toMatchObject({ decision: 'did-not-run', rule: 'coalesced.catch-up' });
    expect(answer.message).toContain('one of 5 times');
    expect(answer.message).toContain(toIso(at(HOUR)));
    // Not a time at all, though it lies in the range.
    expect(await explained(path, at(3.5 * HOUR))).toMatchObject({
      decision: 'did-not-run',
      rule: 'no-match',
    });
  });
});

describe('the times of the definition', () => {
  it.each([
    ['no-match', { expression: '0 9 * * MON' }, '2026-03-03T09:00:00Z', 'not a matching day'],
    [
      'excluded',
      { expression: '0 9 * * *', exclude: ['2026-03-03'] },
      '2026-03-03T09:00:00Z',
      'exclude[0] (2026-03-03)',
    ],
    [
      'moved',
      { expression: '0 9 * * *', exclude: ['2026-03-03'], onExcluded: 'next-business-day' },
      '2026-03-03T09:00:00Z',
      'next-business-day',
    ],
    [
      'before-start',
      { expression: '0 9 * * *', startAt: '2026-04-01T00:00:00' },
      '2026-03-03T09:00:00Z',
      '2026-04-01',
    ],
    [
      'after-end',
      { expression: '0 9 * * *', endAt: '2026-04-01T00:00:00' },
      '2026-05-03T09:00:00Z',
      '2026-04-01',
    ],
    [
      'dst.overlap',
      { expression: '30 1 * * *', timezone: 'America/New_York' },
      '2026-11-01T06:30:00Z',
      'second pass',
    ],
  ])('%s decides', async (rule, changes, time, words) => {
    const { path } = await created(api, changes);
    const answer = await explained(path, time);
    expect(answer).toMatchObject({ decision: 'will-not-run', rule });
    expect(answer.message).toContain(words);
    expect(answer.occurrence).toBeUndefined();
    api.clock.set(epochMs(Date.parse(time) + HOUR));
    expect((await explained(path, time)).decision).toBe('did-not-run');
  });

  it('say that clocks skip a local time, and when it runs instead', async () => {
    const { path } = await created(api, { expression: '30 2 * * *', timezone: 'America/New_York' });
    const answer = await explained(path, '2026-03-08T02:30:00');
    expect(answer).toMatchObject({ at: null, decision: 'will-not-run', rule: 'dst.gap' });
    expect(answer.message).toContain('03:00');
    expect(await explained(path, '2026-03-08T03:00:00')).toMatchObject({
      at: '2026-03-08T07:00:00.000Z',
      decision: 'will-run',
      rule: 'matches',
      notes: [{ code: 'dst.gap.run-after' }],
    });
  });

  it('are those of the definition that was in force then, calendars included', async () => {
    await api.put('/calendars/explain-a', { dates: ['2026-03-02'] });
    const { path } = await created(api, { expression: '0 9 * * *', calendars: ['explain-a'] });
    api.clock.set(at(24 * HOUR));
    await api.put('/calendars/explain-a', { dates: ['2026-03-05'] });
    await api.patch(path, { description: 'third revision' });
    const then = await explained(path, '2026-03-02T09:00:00Z');
    expect(then).toMatchObject({ decision: 'did-not-run', rule: 'excluded', revision: 1 });
    expect(then.message).toContain('calendar explain-a');
    expect(await explained(path, '2026-03-05T09:00:00Z')).toMatchObject({ rule: 'excluded', revision: 3 });
    expect(await explained(path, '2026-03-06T09:00:00Z')).toMatchObject({
      decision: 'will-run',
      rule: 'matches',
    });
  });

  it('finds the definition of any time among many', async () => {
    const { path } = await created(api, { expression: '0 0 * * *', tags: { n: '1' } });
    for (let n = 2; n <= 9; n += 1) {
      api.clock.set(at((n - 1) * HOUR));
      await api.patch(path, { tags: { n: String(n) } });
    }
    const revisions = await Promise.all(
      [0, 1, 4, 7, 8].map(async (hours) => (await explained(path, at(hours * HOUR + MINUTE))).revision),
    );
    expect(revisions).toEqual([1, 2, 5, 8, 9]);
  });
});

describe('how the schedule stands', () => {
  it('it did not run before it was created', async () => {
    const { path } = await created(api, { expression: '0 * * * *' });
    expect(await explained(path, at(-HOUR))).toMatchObject({
      decision: 'did-not-run',
      rule: 'before-creation',
    });
  });

  it('it does not run while paused, and does after the end of the pause', async () => {
    const { path } = await created(api, { expression: '0 * * * *' });
    await api.post(`${path}/pause`, { note: 'maintenance', until: toIso(at(5 * HOUR + MINUTE)) });
    const during = await explained(path, at(3 * HOUR));
    expect(during).toMatchObject({ decision: 'will-not-run', rule: 'paused' });
    expect(during.message).toContain('maintenance');
    expect(await explained(path, at(6 * HOUR))).toMatchObject({ decision: 'will-run', rule: 'matches' });
    api.clock.set(at(4 * HOUR));
    expect(await explained(path, at(3 * HOUR))).toMatchObject({ decision: 'did-not-run', rule: 'paused' });
  });

  it('it does not run after it was deleted, and what ran before is still known', async () => {
    const { path } = await created(api, { expression: '* * * * *' });
    await run(path, at(MINUTE), 'succeeded');
    await api.delete(path);
    expect(await explained(path, at(MINUTE))).toMatchObject({ decision: 'ran', rule: 'succeeded' });
    expect(await explained(path, at(HOUR))).toMatchObject({ decision: 'will-not-run', rule: 'deleted' });
  });

  it('it runs as often as maxRuns lets it', async () => {
    const { path } = await created(api, { expression: '0 * * * *', maxRuns: 3 });
    expect((await explained(path, at(3 * HOUR))).decision).toBe('will-run');
    expect(await explained(path, at(4 * HOUR))).toMatchObject({ decision: 'will-not-run', rule: 'max-runs' });
    const once = await created(api, { expression: '* * * * *', maxRuns: 1 });
    expect(await explained(once.path, at(4 * HOUR))).toMatchObject({ rule: 'max-runs' });
  });

  it('it will run late when the tick is late', async () => {
    const { path } = await created(api, { expression: '0 * * * *' });
    api.clock.set(at(HOUR + SECOND));
    expect(await explained(path, at(HOUR))).toMatchObject({ decision: 'will-run', rule: 'due' });
  });

  it('what became of a time whose record is gone is unknown', async () => {
    const { id, path } = await created(api, { expression: '0 * * * *' });
    const head = await api.stores.schedules.readHead(id);
    if (!head) throw new Error('There is no head.');
    await api.stores.planning.materialise([{ head, create: [], records: [], nextDueAt: at(9 * HOUR) }], NOON);
    api.clock.set(at(8 * HOUR));
    expect(await explained(path, at(3 * HOUR))).toMatchObject({ decision: 'unknown', rule: 'expired' });
  });
});

describe('refusals', () => {
  it('name what is wrong', async () => {
    const { path } = await created(api);
    expect((await api.get(`${path}/explain`)).body).toMatchObject({ status: 400, field: 'at' });
    expect((await api.get(`${path}/explain?at=noon`)).body).toMatchObject({
      status: 400,
      code: 'request.invalid',
      field: 'at',
    });
    expect((await api.get(`/schedules/${freshId()}/explain?at=2026-03-01`)).body.code).toBe(
      'schedule.not-found',
    );
  });
});
