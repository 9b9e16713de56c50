import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND, toIso } from '../../../lambdas/core/time.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { claimed } from '../../support/seed.ts';
import { created, openApi, type TestApi, tickAt } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const HOURLY = { expression: '0 * * * *' };
const time = (ms: number) => toIso(at(ms));
const skip = (path: string, ms: number) => api.post(`${path}/skip`, { scheduledTime: time(ms) });

/** In the answer of a read, of a list and of an explanation. */
async function nextOf({ id, path }: { readonly id: string; readonly path: string }) {
  const [group] = id.split('/');
  const { items } = (await api.get(`/schedules?group=${group}`)).body;
  const [name] = id.split('/').slice(1);
  const listed = items.find((one: { readonly name: string }) => one.name === name);
  const explained = (await api.get(`${path}/explain?at=${NOON_TEXT}`)).body;
  return [(await api.get(path)).body.nextScheduledTime, listed.nextScheduledTime, explained.next];
}
const NOON_TEXT = toIso(NOON);

describe('the next time that is shown', () => {
  it.each([1, 2, 40])('is none of %i that a person skipped', async (skipped) => {
    const schedule = await created(api, HOURLY);
    for (let hour = 1; hour <= skipped; hour += 1) await skip(schedule.path, hour * HOUR);
    expect(await nextOf(schedule)).toEqual(Array(3).fill(time((skipped + 1) * HOUR)));
    await api.post(`${schedule.path}/unskip`, { scheduledTime: time(HOUR) });
    expect(await nextOf(schedule)).toEqual(Array(3).fill(time(HOUR)));
  });

  it('stays behind a skip through an edit', async () => {
    const schedule = await created(api, HOURLY);
    await skip(schedule.path, HOUR);
    await api.patch(schedule.path, { input: 'new' });
    expect(await nextOf(schedule)).toEqual(Array(3).fill(time(2 * HOUR)));
  });

  it('is none where all runs that are left are skipped', async () => {
    const { path } = await created(api, { ...HOURLY, maxRuns: 2 });
    for (const hour of [1, 2]) await skip(path, hour * HOUR);
    expect((await api.get(path)).body.nextScheduledTime).toBeNull();
  });

  it('is not the one that is planned and was skipped then', async () => {
    const { path } = await created(api, { expression: '* * * * *' });
    await tickAt(api, NOON);
    await skip(path, MINUTE);
    expect((await api.get(path)).body.nextScheduledTime).toBe(time(2 * MINUTE));
  });
});

describe('a schedule with no time left', () => {
  const expression = `at(${toIso(at(MINUTE))})`;
  const stateOf = async (path: string) => (await api.get(path)).body.state;
  const listedAs = async (path: string) => {
    const [group, name] = path.split('/').slice(2);
    const found: string[] = [];
    for (const state of ['enabled', 'completed']) {
      const { items } = (await api.get(`/schedules?group=${group}&state=${state}&limit=100`)).body;
      if (items.some((one: { readonly name: string }) => one.name === name)) found.push(state);
    }
    return found;
  };

  it.each([
    ['waits to start', 0],
    ['is late', 10 * MINUTE],
  ])('is enabled while its last run %s', async (_, ms) => {
    const { path } = await created(api, { expression });
    api.clock.set(at(ms));
    expect([await stateOf(path), await listedAs(path)]).toEqual(['enabled', ['enabled']]);
    expect((await api.get(`${path}/upcoming`)).body.state).toBe('enabled');
  });

  it('is enabled while its last run runs or waits for a retry', async () => {
    const { id, path } = await created(api, { expression });
    const { occurrences } = api.stores;
    const now = at(MINUTE);
    const key = { schedule: id, scheduledTime: now, revision: 1, kind: 'scheduled' } as const;
    const running = await claimed(api.stores, key, now);
    api.clock.set(at(MINUTE + SECOND));
    expect(await stateOf(path)).toBe('enabled');
    const record = { attempt: 1, startedAt: now, finishedAt: now, outcome: 'failed' } as const;
    await occurrences.settle(running, { kind: 'retry', record, dueAt: at(HOUR) }, now);
    expect([await stateOf(path), await listedAs(path)]).toEqual(['enabled', ['enabled']]);
    const rehearsed = (await api.patch(`${path}?dryRun=true`, { input: 'new' })).body;
    const edited = (await api.patch(path, { input: 'new' })).body;
    expect([rehearsed.state, edited.state]).toEqual(['enabled', 'enabled']);
  });

  it('is completed once nothing of it is open', async () => {
    const { path } = await created(api, { expression });
    await skip(path, MINUTE);
    expect([await stateOf(path), await listedAs(path)]).toEqual(['completed', ['completed']]);
  });
});
