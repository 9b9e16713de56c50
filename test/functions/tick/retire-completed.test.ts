import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OccurrenceKey, ScheduleId } from '../../../lambdas/core/ids.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { type TickDeps, tick } from '../../../lambdas/tick/tick.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { claimed } from '../../support/seed.ts';
import { created, LIMITS, ledger, openApi, scheduleBody, type TestApi, tally } from '../api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const ONCE = 'at(2026-03-01T12:01:00)';

function tickAt(now: EpochMs, changes: Partial<TickDeps> = {}) {
  api.clock.set(now);
  const { planning: store, occurrences } = api.stores;
  const terms = { ...LIMITS, holder: `tick-${now}`, stopAt: epochMs(now + HOUR), now: () => now };
  return tick({ store, occurrences, recurrenceOf: headRecurrence, ...terms, ...changes }, [0, 1, 2, 3]);
}

function oneShot(changes: Record<string, unknown> = {}) {
  return created(api, { expression: ONCE, deleteAfterCompletion: true, ...changes });
}

const keyOf = (schedule: ScheduleId): OccurrenceKey => ({
  schedule,
  scheduledTime: at(MINUTE),
  revision: 1,
  kind: 'scheduled',
});
const record = { attempt: 1, startedAt: at(MINUTE), finishedAt: at(MINUTE), outcome: 'failed' } as const;

async function ended(id: ScheduleId, end: 'succeeded' | 'failed' = 'succeeded') {
  const running = await claimed(api.stores, keyOf(id), at(MINUTE));
  const settlement =
    end === 'failed'
      ? ({ kind: 'failed', record, reason: 'not-retryable' } as const)
      : ({ kind: 'succeeded', record: { ...record, outcome: 'succeeded' } } as const);
  await api.stores.occurrences.settle(running, settlement, at(MINUTE));
}

describe('a schedule that is to be deleted after its completion', () => {
  it.each(['succeeded', 'failed'] as const)('is gone once its last occurrence has %s', async (end) => {
    const { id, path } = await oneShot();
    await ended(id, end);
    expect(await tickAt(at(3 * MINUTE))).toMatchObject({ retired: 1, lagSeconds: 0 });
    expect((await api.get(path)).status).toBe(404);
    expect(tally(await ledger(api, path))).toEqual({
      [end === 'failed' ? 'failed not-retryable' : 'succeeded']: 1,
    });
    expect((await tickAt(at(9 * MINUTE))).retired).toBe(0);
  });

  it('stays until then: while it waits, runs, or waits for its next attempt', async () => {
    const { id, path } = await oneShot();
    await tickAt(at(3 * MINUTE));
    // Nothing is left to be planned, and one is left to run.
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled' });
    const running = await claimed(api.stores, keyOf(id), at(3 * MINUTE));
    await tickAt(at(6 * MINUTE));
    const retry = { kind: 'retry', record, dueAt: at(HOUR) } as const;
    await api.stores.occurrences.settle(running, retry, at(6 * MINUTE));
    await tickAt(at(30 * MINUTE));
    expect((await api.get(path)).status).toBe(200);
    const again = await claimed(api.stores, keyOf(id), at(HOUR));
    await api.stores.occurrences.settle(again, { kind: 'succeeded', record }, at(HOUR));
    await tickAt(at(2 * HOUR));
    expect((await api.get(path)).status).toBe(404);
  });

  it('is completed and deleted by ticks alone when its time comes later', async () => {
    const { id, path } = await oneShot({ expression: 'at(2026-03-01T14:00:00)' });
    await tickAt(at(2 * HOUR - MINUTE));
    const head = await api.stores.schedules.readHead(id);
    expect(head).toMatchObject({ state: 'completed', nextDueAt: at(2 * HOUR + MINUTE) });
    const pending = { ...keyOf(id), scheduledTime: at(2 * HOUR) };
    const running = await claimed(api.stores, pending, at(2 * HOUR));
    await api.stores.occurrences.settle(running, { kind: 'succeeded', record }, at(2 * HOUR));
    await tickAt(at(2 * HOUR + MINUTE));
    expect((await api.get(path)).status).toBe(404);
  });

  it('is found again by the next tick when one dies over it', async () => {
    const { id, path } = await oneShot();
    await ended(id);
    const openOf = () => Promise.reject(new Error('died'));
    const dead = await tickAt(at(3 * MINUTE), { occurrences: { ...api.stores.occurrences, openOf } });
    expect(dead.failures.map(({ schedule }) => schedule)).toEqual([id]);
    expect((await tickAt(at(4 * MINUTE))).retired).toBe(1);
    expect((await api.get(path)).status).toBe(404);
  });

  it('is not deleted when it was edited meanwhile, also between the look and the write', async () => {
    const { id, path } = await oneShot();
    await ended(id);
    const { occurrences } = api.stores;
    const openOf: typeof occurrences.openOf = async (...args) => {
      const open = await occurrences.openOf(...args);
      await api.patch(path, { expression: 'at(2026-03-02T12:00:00)' });
      return open;
    };
    expect((await tickAt(at(3 * MINUTE), { occurrences: { ...occurrences, openOf } })).retired).toBe(0);
    expect((await api.get(path)).body).toMatchObject({ state: 'enabled', revision: 2 });
  });

  it('may be told so when it is completed already, and told otherwise', async () => {
    const told = await created(api, { expression: ONCE });
    const kept = await oneShot();
    await ended(told.id);
    await ended(kept.id);
    await api.patch(`${told.path}?pending=keep`, { deleteAfterCompletion: true });
    await api.patch(`${kept.path}?pending=keep`, { deleteAfterCompletion: false });
    await tickAt(at(DAY));
    expect((await api.get(told.path)).status).toBe(404);
    expect((await api.get(kept.path)).body.state).toBe('completed');
  });

  it('leaves a name that the next one goes on counting under', async () => {
    const { id, path } = await oneShot();
    await ended(id);
    await tickAt(at(3 * MINUTE));
    const again = await api.put(path, scheduleBody());
    expect(again).toMatchObject({ status: 201, body: { revision: 2, state: 'enabled' } });
  });
});

describe('a completed schedule that is not to be deleted', () => {
  it('stays and is not looked at', async () => {
    const { id, path } = await created(api, { expression: ONCE });
    await ended(id);
    expect((await api.stores.schedules.readHead(id))?.nextDueAt).toBeNull();
    await tickAt(at(DAY));
    expect((await api.get(path)).body.state).toBe('completed');
  });
});
