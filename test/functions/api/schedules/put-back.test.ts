import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../../../../lambdas/core/time.ts';
import { at } from '../../../support/fixtures.ts';
import { TOKEN_ARN } from '../../../support/secrets.ts';
import { created, freshNames, openApi, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const RICH = {
  expression: ['0 9 * * MON-FRI', '0 12 * * SAT'],
  timezone: 'America/New_York',
  dst: { gap: 'skip' },
  exclude: ['2026-12-25'],
  startAt: '2026-03-02T00:00:00',
  endAt: '2027-03-01T00:00:00Z',
  window: 'PT5M',
  maxRuns: 50,
  target: {
    kind: 'http',
    url: 'https://example.com/{{punctual.id}}',
    headers: { authorization: { secret: TOKEN_ARN, prefix: 'Bearer ' }, 'x-a': 'b' },
  },
  input: { deep: [1, 'two', null] },
  retry: { maxAttempts: 7 },
  startDeadline: 'PT1H',
  concurrency: { key: 'k', limit: 2 },
  retention: 'P30D',
  pauseAfterFailures: 3,
  expectSuccessWithin: 'P3D',
  metrics: true,
  tags: { team: 'a' },
  description: 'All there is.',
};

describe('a schedule that was read', () => {
  it.each([
    ['a plain one', {}],
    ['one with all there is', RICH],
  ])('and is put back changes nothing, %s', async (_, changes) => {
    const { path } = await created(api, changes);
    const { body } = await api.get(path);
    for (const write of [api.put, api.patch]) {
      expect(await write(path, body)).toMatchObject({ status: 200, body: { version: 1, revision: 1 } });
    }
    const rehearsed = await api.put(`${path}?dryRun=true`, body);
    expect(rehearsed.body).toMatchObject({ added: [], removed: [] });
  });

  it('may be changed and put back, also when its next time has passed meanwhile', async () => {
    const { path } = await created(api);
    const { body } = await api.get(path);
    api.clock.set(at(30 * HOUR));
    const changed = await api.put(path, { ...body, description: 'changed' });
    expect(changed).toMatchObject({ status: 200, body: { revision: 2, description: 'changed' } });
    expect(changed.body.nextScheduledTime).not.toBe(body.nextScheduledTime);
  });

  it('while it is paused stays paused, and is put back as it is', async () => {
    const { path } = await created(api);
    await api.post(`${path}/pause`, { note: 'Moving.' });
    const { body } = await api.get(path);
    expect(await api.put(path, body)).toMatchObject({
      status: 200,
      body: { state: 'paused', version: body.version },
    });
  });

  it('can be made again under another name', async () => {
    const { path } = await created(api, RICH);
    const { body } = await api.get(path);
    const { group, name } = freshNames();
    expect(await api.post('/schedules', { ...body, group, name })).toMatchObject({
      status: 201,
      body: { name, revision: 1 },
    });
    const other = freshNames();
    expect((await api.put(other.path, { ...body, group: other.group, name: other.name })).status).toBe(201);
  });

  it('is not paused or resumed by an edit, which says how', async () => {
    const { path, id } = await created(api);
    const { body } = await api.get(path);
    for (const refused of [
      await api.patch(path, { state: 'paused' }),
      await api.patch(path, { state: 'disabled' }),
      await api.put(path, { ...body, state: 'paused' }),
      await api.put(`${path}?dryRun=true`, { ...body, state: 'paused' }),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { field: 'state' } });
      expect(refused.body.detail).toContain(`POST /schedules/${id}/pause pauses it`);
    }
    await api.post(`${path}/pause`, {});
    const refused = await api.patch(path, { state: 'enabled' });
    expect(refused.body.detail).toContain(`POST /schedules/${id}/resume lets it go on`);
    const { path: fresh } = freshNames();
    const { group: _, name: __, ...unnamed } = body;
    expect(await api.put(fresh, { ...unnamed, state: 'paused' })).toMatchObject({
      status: 400,
      body: { field: 'state' },
    });
  });
});

describe('settings of a group, and a calendar, that were read', () => {
  it('are put back as they are', async () => {
    const path = `/groups/${freshNames().group}`;
    await api.put(path, { concurrencyLimit: 3, maxSchedules: 5 });
    const { body } = await api.get(path);
    expect(await api.put(path, body)).toMatchObject({ status: 200, body });
    expect(await api.put(path, { ...body, group: 'another' })).toMatchObject({
      status: 400,
      body: { field: 'group' },
    });
  });

  it('makes no new version', async () => {
    const path = `/calendars/${freshNames().name}`;
    await api.put(path, { dates: ['2026-12-25'], closedWeekdays: ['SUN'], timezone: 'Europe/Berlin' });
    const { body } = await api.get(path);
    expect(await api.put(path, body)).toMatchObject({ status: 200, body: { version: 1 } });
    expect(await api.put(path, { ...body, name: 'another' })).toMatchObject({
      status: 400,
      body: { field: 'name' },
    });
  });
});
