import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTargetCaller } from '../../../lambdas/adapters/targets/index.ts';
import { createAllowList } from '../../../lambdas/contract/allow/allow-list.ts';
import { METRIC } from '../../../lambdas/contract/metrics.ts';
import { occurrenceId } from '../../../lambdas/core/ids.ts';
import { CANARY, CANARY_DEFINITION } from '../../../lambdas/core/schedule/canary-definition.ts';
import { planningPolicy } from '../../../lambdas/core/schedule/head.ts';
import { DAY, type EpochMs, epochMs, MINUTE } from '../../../lambdas/core/time.ts';
import { keepCanary } from '../../../lambdas/sweep/create-canary.ts';
import { pass } from '../../../lambdas/sweep/pass.ts';
import { handleMessage } from '../../../lambdas/worker/message.ts';
import { passDeps } from '../../support/alarms/deployment.ts';
import { stateAfter } from '../../support/alarms/evaluate.ts';
import { alarmsOf } from '../../support/alarms/template.ts';
import { invoked, type Line, valuesOf } from '../../support/emf.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { claimed, keyOf, seedSchedule } from '../../support/seed.ts';
import { testWorker } from '../../support/worker.ts';
import { created, openApi, SHARDS, scheduleBody, type TestApi, tickAt } from '../api/api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await openApi();
});
afterEach(() => api.close());

const keep = (now: EpochMs, canary = true) => keepCanary({ schedules: api.stores.schedules, canary }, now);
const head = () => api.stores.schedules.readHead(CANARY);

/** Works on what is due by then, as the deployed worker does, and answers what it wrote. */
async function workAt(now: EpochMs): Promise<Line[]> {
  api.clock.set(now);
  const targets = createTargetCaller({
    allowed: createAllowList([], []),
    httpAllowedRanges: [],
    clock: api.clock,
  });
  const { deps } = testWorker(api.stores, async () => ({ kind: 'succeeded' }), api.clock);
  const open = await api.stores.occurrences.openOf(CANARY);
  const due = open.filter(({ dueAt }) => dueAt <= now);
  const deadLetters = { reject: () => Promise.reject(new Error('It was readable.')) };
  return invoked(async () => {
    for (const one of due) {
      const message = { id: occurrenceId(one), seq: one.dispatchSeq, dueAt: one.dueAt };
      await handleMessage({ ...deps, targets, deadLetters }, JSON.stringify(message), 'w');
    }
  });
}

/** A minute of a deployment of which something may be down; answers the successes that its alarm counts. */
async function minute(nth: number, down: 'nothing' | 'tick' | 'worker' = 'nothing'): Promise<number> {
  const now = at(nth * MINUTE);
  if (down !== 'tick') await tickAt(api, now);
  const lines = down === 'worker' ? [] : await workAt(epochMs(now + 1));
  await keep(epochMs(now + 2));
  return valuesOf(lines, METRIC.canarySucceeded)
    .flat()
    .reduce((sum, value) => sum + value, 0);
}

/** Whether the alarm was on at any time, from the first minute on at which all that it looks at was measured. */
function isSilent(successes: readonly number[]): boolean {
  const alarm = alarmsOf().get('canary-silent');
  if (!alarm) throw new Error('There is no alarm canary-silent.');
  const measured = successes.map((count) => ({ [METRIC.canarySucceeded]: [count] }));
  return measured.some(
    (_, last) =>
      last + 1 >= alarm.datapoints.of && stateAfter(alarm, measured.slice(0, last + 1)) === 'ALARM',
  );
}

async function minutes(from: number, count: number, down?: Parameters<typeof minute>[1]): Promise<number[]> {
  const successes: number[] = [];
  for (let nth = from; nth < from + count; nth += 1) successes.push(await minute(nth, down));
  return successes;
}

describe('the canary', () => {
  it('is made by the first sweep and succeeds each minute, soon enough for its alarm', async () => {
    const successes = await minutes(0, 12);
    expect(successes.slice(0, 3)).toEqual([0, 1, 1]);
    expect(successes.slice(3)).toEqual(new Array(9).fill(1));
    expect(isSilent(successes)).toBe(false);
  });

  it.each(['worker', 'tick'] as const)('falls silent when there is no %s, and only then', async (down) => {
    const before = await minutes(0, 8);
    // What the tick has planned ahead goes on for a while.
    const without = await minutes(8, 20, down);
    expect(isSilent(before)).toBe(false);
    expect(isSilent(without)).toBe(true);
    const after = await minutes(28, 6);
    // Whoever comes back skips what was missed.
    expect(after[0]).toBeLessThanOrEqual(1);
    expect(after.slice(1)).toEqual([1, 1, 1, 1, 1]);
  });

  it('is in no metric of work, and its log has a line of its own', async () => {
    await minutes(0, 2);
    await tickAt(api, at(2 * MINUTE));
    const lines = await workAt(at(2 * MINUTE));
    expect(valuesOf(lines, METRIC.canarySucceeded)).toEqual([1]);
    for (const metric of [METRIC.attemptsSucceeded, METRIC.startDelayMs])
      expect(valuesOf(lines, metric)).toEqual([]);
    expect(lines.find(({ message }) => message === 'Canary')).toMatchObject({
      kind: 'succeeded',
      attempt: 1,
    });
  });

  it('keeps its records for a day', async () => {
    await minutes(0, 2);
    const { items } = await api.stores.occurrences.listOccurrences({
      schedule: CANARY,
      status: 'succeeded',
      limit: 1,
    });
    expect(items).toMatchObject([{ retentionDays: 1 }]);
  });
});

describe('a sweep', () => {
  it('writes nothing while the canary is as it should be', async () => {
    expect(await keep(NOON)).toBe('made');
    const before = await head();
    for (const later of [1, 2, 3]) expect(await keep(at(later * MINUTE))).toBe('as-it-was');
    expect(await head()).toEqual(before);
  });

  it('makes it also when an occurrence cannot be swept, and says that one could not', async () => {
    const of = await seedSchedule(api.stores, [NOON]);
    await claimed(api.stores, keyOf(of, NOON), NOON);
    const later = at(10 * MINUTE);
    const deps = passDeps(api.stores, later);
    const occurrences = { ...deps.occurrences, expire: () => Promise.reject(new Error('refused')) };
    const swept = invoked(() => pass({ ...deps, occurrences }, { shards: SHARDS, reissue: false }));
    await expect(swept).rejects.toThrow('1 occurrences');
    expect(await head()).toMatchObject({ state: 'enabled' });
  });

  it('makes it once when two come at the same time', async () => {
    await Promise.all([keep(NOON), keep(NOON)]);
    expect(await head()).toMatchObject({ state: 'enabled', revision: 1, version: 1 });
  });

  it('brings it up to date after an update of Punctual', async () => {
    await keep(NOON);
    const before = await head();
    if (!before) throw new Error('There is no canary.');
    const definition = { ...CANARY_DEFINITION, timeout: 'PT1S' };
    const older = { ...before, revision: 2, version: 2, policy: planningPolicy(definition) };
    await api.stores.schedules.applyChange({
      expected: { version: 1, nextDueAt: before.nextDueAt },
      head: older,
      revision: { schedule: CANARY, revision: 2, definition, createdAt: NOON, createdBy: 'punctual' },
      cancel: [],
      cancelReason: 'superseded',
      create: [],
      records: [],
      now: NOON,
    });
    expect(await keep(at(MINUTE))).toBe('made');
    expect(await keep(at(2 * MINUTE))).toBe('as-it-was');
    expect((await api.stores.schedules.readSchedule(CANARY))?.revision).toMatchObject({
      revision: 3,
      definition: CANARY_DEFINITION,
    });
  });

  it('removes it when it is turned off, and goes on from there when it is turned on again', async () => {
    await minutes(0, 3);
    expect(await keep(at(3 * MINUTE), false)).toBe('removed');
    expect(await keep(at(4 * MINUTE), false)).toBe('as-it-was');
    await tickAt(api, at(5 * MINUTE));
    expect(valuesOf(await workAt(at(12 * MINUTE)), METRIC.canarySucceeded)).toEqual([]);
    expect(await api.stores.occurrences.openOf(CANARY)).toEqual([]);
    expect(await keep(at(13 * MINUTE))).toBe('made');
    expect(await head()).toMatchObject({ state: 'enabled', revision: 2 });
    expect((await minutes(14, 3)).every((count) => count > 0)).toBe(true);
  });

  it('makes none where there is to be none', async () => {
    expect(await keep(NOON, false)).toBe('as-it-was');
    expect(await head()).toBeUndefined();
  });
});

describe('people', () => {
  it('do not meet it: it is in no list and under no path', async () => {
    await keep(NOON);
    const { id } = await created(api);
    const { items } = (await api.get('/schedules?limit=100')).body;
    expect(items.map(({ group, name }: Record<string, string>) => `${group}/${name}`)).toEqual([id]);
    for (const path of [
      `/schedules/${CANARY}`,
      '/schedules?group=_punctual',
      `/schedules/${CANARY}/upcoming`,
    ])
      expect((await api.get(path)).status).toBe(400);
    expect((await api.post(`/schedules/${CANARY}/pause`)).status).toBe(400);
    expect((await api.put(`/schedules/${CANARY}`, scheduleBody())).status).toBe(400);
    expect((await api.delete(`/schedules/${CANARY}`)).status).toBe(400);
    expect((await head())?.version).toBe(1);
  });

  it('cannot make a schedule of its kind, nor one in its group', async () => {
    const canary = await api.post('/schedules', {
      ...scheduleBody(),
      name: 'mine',
      target: { kind: 'canary' },
    });
    expect(canary).toMatchObject({ status: 400, body: { field: 'target.kind', value: 'canary' } });
    const inGroup = await api.post('/schedules', { ...scheduleBody(), group: '_punctual', name: 'mine' });
    expect(inGroup.status).toBe(400);
  });

  it('may look one of its occurrences up by its id', async () => {
    await minutes(0, 2);
    const { items } = await api.stores.occurrences.listOccurrences({
      schedule: CANARY,
      to: at(DAY),
      limit: 20,
    });
    const done = items.find(({ status }) => status === 'succeeded');
    if (!done) throw new Error('None has succeeded.');
    const { status, body } = await api.get(`/occurrences/${occurrenceId(done)}`);
    expect([status, body.status]).toEqual([200, 'succeeded']);
  });
});
