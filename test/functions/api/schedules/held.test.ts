import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ScheduleId } from '../../../../lambdas/core/ids.ts';
import { HOUR, MINUTE } from '../../../../lambdas/core/time.ts';
import { tickRevivals } from '../../../../lambdas/tick/revivals.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { apiWith, created, ledger, openApi, SHARDS, type TestApi, tally, tickAt } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const HELD = 250;

/** All its times have passed, none has started, and then it was paused; the clock stands a minute later. */
async function held(): Promise<string> {
  const expression = `DTSTART:20260301T120101Z\nRRULE:FREQ=SECONDLY;COUNT=${HELD}`;
  const { path } = await created(api, { expression });
  for (const minute of [1, 3]) await tickAt(api, at(minute * MINUTE));
  api.clock.set(at(10 * MINUTE));
  await api.post(`${path}/pause`);
  expect(tally(await ledger(api, path))).toEqual({ 'cancelled paused': HELD });
  api.clock.set(at(11 * MINUTE));
  return path;
}

const scheduleOf = (path: string) => path.slice('/schedules/'.length) as ScheduleId;

/** The same API, whose process dies when it has brought back a page. */
function dyingApi() {
  const { occurrences } = api.deps;
  const revive = async (...args: Parameters<typeof occurrences.revive>) => {
    await occurrences.revive(...args);
    throw new Error('It dies.');
  };
  return apiWith({ ...api.deps, occurrences: { ...occurrences, revive } });
}

async function tickAfter(ms: number): Promise<void> {
  const { planning: store, occurrences } = api.stores;
  const now = at(ms);
  const deps = { store, occurrences, stopAt: at(ms + HOUR), now: () => now };
  expect(await tickRevivals(deps, SHARDS)).toEqual([]);
}

describe(`${HELD} that a pause held`, () => {
  it('all come back with the resume', async () => {
    const path = await held();
    expect((await api.post(`${path}/resume`)).status).toBe(200);
    expect(tally(await ledger(api, path))).toEqual({ pending: HELD });
  });

  it('all come back when the resume dies between pages, is repeated, and a tick comes', async () => {
    const path = await held();
    expect((await dyingApi().post(`${path}/resume`)).status).toBe(500);
    expect(tally(await ledger(api, path))).toEqual({ pending: 100, 'cancelled paused': HELD - 100 });
    expect((await api.post(`${path}/resume`)).status).toBe(200);
    await tickAfter(13 * MINUTE);
    expect(tally(await ledger(api, path))).toEqual({ pending: HELD });
  });

  it('that a person does not want any more stay as they are, whatever tick comes', async () => {
    const path = await held();
    await api.post(`${path}/resume`);
    const [first] = await ledger(api, path);
    await api.post(`/occurrences/${encodeURIComponent(first?.id ?? '')}/cancel`);
    await tickAfter(13 * MINUTE);
    expect(tally(await ledger(api, path))).toEqual({ pending: HELD - 1, 'cancelled user': 1 });
  });

  it('go on too where the pause died before it had cancelled all', async () => {
    const path = await held();
    const { occurrences } = api.deps;
    const query = { schedule: scheduleOf(path), status: 'cancelled', limit: 60 } as const;
    const { items } = await occurrences.listOccurrences(query);
    await occurrences.revive(items.filter((one) => one.status === 'cancelled'));
    expect(tally(await ledger(api, path))).toEqual({ pending: 60, 'cancelled paused': HELD - 60 });
    await api.post(`${path}/resume`);
    expect(tally(await ledger(api, path))).toEqual({ pending: HELD });
  });

  it('stay held while a second pause lasts', async () => {
    const path = await held();
    await dyingApi().post(`${path}/resume`);
    await api.post(`${path}/pause`);
    await tickAfter(13 * MINUTE);
    expect(tally(await ledger(api, path))).toEqual({ 'cancelled paused': HELD });
    api.clock.set(at(14 * MINUTE));
    await api.post(`${path}/resume`);
    await tickAfter(30 * MINUTE);
    expect(tally(await ledger(api, path))).toEqual({ pending: HELD });
  });

  it('do not come back once the schedule is deleted', async () => {
    const path = await held();
    await dyingApi().post(`${path}/resume`);
    await api.delete(path);
    await tickAfter(13 * MINUTE);
    const { items } = await api.stores.occurrences.listOccurrences({
      schedule: scheduleOf(path),
      status: 'pending',
      limit: 10,
    });
    expect(items).toEqual([]);
  });
});
