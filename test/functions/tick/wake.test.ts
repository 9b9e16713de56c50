import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScheduleId } from '../../../lambdas/core/ids.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, HOUR, MINUTE, SECOND, toIso } from '../../../lambdas/core/time.ts';
import { tick } from '../../../lambdas/tick/tick.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { created, LIMITS, ledger, openApi, type TestApi, tickAt } from '../api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => api.clock.set(NOON));
afterAll(() => api.close());

/** A schedule that is paused from noon until `until`. */
async function pausedUntil(until: EpochMs, changes: Record<string, unknown>) {
  const made = await created(api, changes);
  await api.post(`${made.path}/pause`, { until: toIso(until), note: 'maintenance' });
  return made;
}

const headOf = (id: ScheduleId) => api.stores.schedules.readHead(id);

describe('a pause with an end', () => {
  it('is left alone until the tick that looks ahead to its end, and then in time for the first time', async () => {
    const { id, path } = await pausedUntil(at(HOUR + 30 * SECOND), { expression: '*/5 * * * *' });
    await tickAt(api, at(HOUR - 2 * MINUTE));
    expect((await headOf(id))?.state).toBe('paused');
    await tickAt(api, at(HOUR - MINUTE));
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled', version: 3 });
    expect((await api.get(path)).body).not.toHaveProperty('pauseNote');
    const pending = (await ledger(api, path)).filter(({ status }) => status === 'pending');
    expect(pending[0]?.scheduledTime).toBe(toIso(at(HOUR + 5 * MINUTE)));
  });

  it('creates nothing for a time before its end, and everything from it on', async () => {
    const { path } = await pausedUntil(at(HOUR), { expression: '* * * * *' });
    await tickAt(api, at(HOUR - MINUTE));
    const all = await ledger(api, path);
    const pending = all.filter(({ status }) => status === 'pending');
    expect(pending[0]?.scheduledTime).toBe(toIso(at(HOUR)));
    // Ten were planned and cancelled; those after them up to the end are one record.
    expect(all.find(({ status }) => status === 'coalesced')).toMatchObject({
      reason: 'paused',
      coalesced: { count: 49, from: toIso(at(11 * MINUTE)), to: toIso(at(59 * MINUTE)) },
    });
  });

  it('that passed while no tick came is over for an edit: nothing is created for a time before that', async () => {
    const { path } = await pausedUntil(at(HOUR), { expression: '*/10 * * * *' });
    api.clock.set(at(3 * HOUR + MINUTE));
    await api.patch(path, { expression: '*/15 * * * *' });
    await tickAt(api, at(3 * HOUR + 2 * MINUTE));
    await tickAt(api, at(3 * HOUR + 14 * MINUTE));
    const times = (await ledger(api, path)).filter(({ revision }) => revision === 2);
    expect(times.map(({ scheduledTime }) => scheduledTime).toSorted()[0]).toBe(
      toIso(at(3 * HOUR + 15 * MINUTE)),
    );
  });

  // Of the five that run the last is due just now, and on time.
  it('that passed while no tick came is followed by what the catch-up policy says', async () => {
    const catchUp = { mode: 'all', maxRuns: 5, spreadOver: 'PT0S' };
    const { path } = await pausedUntil(at(HOUR), { expression: '*/10 * * * *', catchUp });
    await tickAt(api, at(3 * HOUR));
    const all = await ledger(api, path);
    const made = all.filter(({ notes }) => notes.some(({ code }) => code === 'catch-up'));
    expect(made.map(({ scheduledTime }) => scheduledTime)).toEqual(
      [140, 150, 160, 170].map((minutes) => toIso(at(minutes * MINUTE))),
    );
    const records = all.filter(({ status }) => status === 'coalesced');
    expect(records.map(({ reason, coalesced }) => [reason, coalesced?.count])).toEqual([
      ['paused', 5],
      ['catch-up', 8],
    ]);
  });

  it('ends the schedule when no time is left', async () => {
    const { id } = await pausedUntil(at(HOUR), { expression: 'at(2026-03-01T12:30:00)' });
    await tickAt(api, at(HOUR));
    expect(await headOf(id)).toMatchObject({ state: 'completed', nextDueAt: null });
    expect((await headOf(id))?.pause).toBeUndefined();
  });

  it('that was taken back or put off is not the one that the tick ends', async () => {
    const back = await pausedUntil(at(HOUR), {});
    const later = await pausedUntil(at(HOUR), {});
    await api.post(`${back.path}/pause`, { until: null });
    await api.post(`${later.path}/pause`, { until: toIso(at(2 * HOUR)) });
    await tickAt(api, at(HOUR));
    expect((await headOf(back.id))?.state).toBe('paused');
    expect((await headOf(later.id))?.state).toBe('paused');
    await tickAt(api, at(2 * HOUR));
    expect((await headOf(back.id))?.state).toBe('paused');
    expect((await headOf(later.id))?.state).toBe('enabled');
  });

  it('put off between the read and the write of the tick stays put off', async () => {
    const { id, path } = await pausedUntil(at(HOUR), {});
    const { planning, occurrences } = api.stores;
    const store: typeof planning = {
      ...planning,
      async materialise(batch, now) {
        await api.post(`${path}/pause`, { until: toIso(at(5 * HOUR)) });
        return planning.materialise(batch, now);
      },
    };
    const terms = { ...LIMITS, holder: 'slow', stopAt: at(9 * HOUR), now: () => at(HOUR) };
    await tick({ store, occurrences, recurrenceOf: headRecurrence, ...terms }, [0, 1, 2, 3]);
    expect(await headOf(id)).toMatchObject({ state: 'paused', nextDueAt: at(5 * HOUR) });
  });

  it('survives an edit', async () => {
    const { id, path } = await pausedUntil(at(HOUR), {});
    await api.patch(path, { expression: '*/30 * * * *' });
    expect((await api.get(path)).body).toMatchObject({ state: 'paused', pausedUntil: toIso(at(HOUR)) });
    await tickAt(api, at(HOUR));
    expect((await headOf(id))?.state).toBe('enabled');
    const pending = (await ledger(api, path)).filter(({ status }) => status === 'pending');
    expect(pending.map(({ scheduledTime }) => scheduledTime)).toEqual([toIso(at(HOUR))]);
  });
});
