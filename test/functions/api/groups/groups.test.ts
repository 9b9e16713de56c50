import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECOND } from '../../../../lambdas/core/time.ts';
import { createGroupLimits } from '../../../../lambdas/worker/group-limits.ts';
import { at, freshId } from '../../../support/fixtures.ts';
import { openApi, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('the settings of a group', () => {
  it('have no limit until there is one, and again after it is taken back', async () => {
    const quotas = { maxSchedules: null, maxFiresPerMinute: null, maxInputBytes: null, use: null };
    const none = { group: 'billing', concurrencyLimit: null, ...quotas };
    expect((await api.get('/groups/billing')).body).toEqual(none);
    const put = await api.put('/groups/billing', { concurrencyLimit: 5 });
    expect([put.status, put.body]).toEqual([200, { ...none, concurrencyLimit: 5 }]);
    expect((await api.get('/groups/billing')).body).toEqual(put.body);
    expect((await api.get('/groups/other')).body.concurrencyLimit).toBeNull();
    expect((await api.delete('/groups/billing')).status).toBe(204);
    expect((await api.get('/groups/billing')).body).toEqual(none);
    expect((await api.delete('/groups/billing')).status).toBe(204);
  });

  it('are what a worker asks for before it starts an occurrence', async () => {
    const id = freshId('reports');
    const limitOf = createGroupLimits(api.stores.schedules, api.clock);
    await api.put('/groups/reports', { concurrencyLimit: 2 });
    expect(await limitOf({ schedule: id })).toMatchObject({ limit: 2 });
    await api.put('/groups/reports', { concurrencyLimit: null });
    api.clock.set(at(11 * SECOND));
    expect(await limitOf({ schedule: id })).toBeUndefined();
  });

  it.each([
    ['/groups/billing', { concurrencyLimit: 0 }, 'concurrencyLimit'],
    ['/groups/billing', { concurrencyLimit: 1_001 }, 'concurrencyLimit'],
    ['/groups/billing', { concurrencyLimit: 1.5 }, 'concurrencyLimit'],
    ['/groups/billing', {}, 'concurrencyLimit'],
    ['/groups/billing', { concurrencyLimit: 1, limit: 1 }, 'limit'],
    ['/groups/a%20b', { concurrencyLimit: 1 }, 'group'],
  ])('of %s as %j are refused, naming the field', async (path, body, field) => {
    const reply = await api.put(path, body);
    expect([reply.status, reply.body.field]).toEqual([400, field]);
  });
});
