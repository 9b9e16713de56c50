import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { METRIC } from '../../../lambdas/contract/metrics.ts';
import { type OccurrenceId, occurrenceId, type ScheduleId } from '../../../lambdas/core/ids.ts';
import type { CallResult } from '../../../lambdas/core/ports/target-caller.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../lambdas/core/time.ts';
import { report } from '../../../lambdas/sweep/report.ts';
import { sweep } from '../../../lambdas/sweep/sweep.ts';
import { sweepWatches } from '../../../lambdas/sweep/watches.ts';
import { tick } from '../../../lambdas/tick/tick.ts';
import { work } from '../../../lambdas/worker/work.ts';
import { meterWrites } from '../../support/capacity.ts';
import { invoked, valuesOf } from '../../support/emf.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { keyOf, messageOf } from '../../support/seed.ts';
import { sweepDeps } from '../../support/sweep.ts';
import { testWorker } from '../../support/worker.ts';
import { created, LIMITS, openApi, type TestApi } from '../api/api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await openApi();
});
afterEach(() => api.close());

const good: CallResult = { kind: 'succeeded', detail: 'HTTP 200' };
const bad: CallResult = { kind: 'failed', retryable: false, detail: 'HTTP 500' };
const SHARDS = [0, 1, 2, 3];

/** Each minute, and a success within five. */
function watched(changes: Record<string, unknown> = {}) {
  return created(api, { expression: '* * * * *', overlap: 'allow', expectSuccessWithin: 'PT5M', ...changes });
}

const depsAt = (now: EpochMs) => {
  const terms = { revisionOf: async () => undefined, redispatchMs: 9 * HOUR, stopAt: epochMs(now + HOUR) };
  return { ...sweepDeps(api.stores, () => now, terms), watches: api.stores.watches };
};

/** What a deployed sweep writes at that moment. */
function sweepLines(now: EpochMs) {
  const deps = depsAt(now);
  return invoked(async () => {
    const swept = await sweep(deps, { shards: SHARDS, reissue: false });
    report(swept, 0, await sweepWatches(deps));
  });
}

/** The value of the alarm's metric, which every sweep emits once. */
async function withoutSuccess(now: EpochMs): Promise<number> {
  const [value, ...more] = valuesOf(await sweepLines(now), METRIC.schedulesWithoutSuccess);
  if (value === undefined || more.length > 0) throw new Error('It was not emitted once.');
  return value;
}

function tickAt(now: EpochMs) {
  const { planning: store, occurrences } = api.stores;
  const terms = { ...LIMITS, holder: `tick-${now}`, stopAt: epochMs(now + HOUR), now: () => now };
  return tick({ store, occurrences, recurrenceOf: headRecurrence, ...terms }, SHARDS);
}

async function runById(id: OccurrenceId, time: EpochMs, result: CallResult) {
  api.clock.set(time);
  const { deps } = testWorker(api.stores, async () => result, api.clock);
  return work(deps, await messageOf(api.stores, id, time), 'w');
}

async function run(id: ScheduleId, time: EpochMs, result: CallResult) {
  const head = await api.stores.schedules.readHead(id);
  if (!head) throw new Error('There is no head.');
  return runById(occurrenceId(keyOf(head, time)), time, result);
}

async function viewAt(path: string, now: EpochMs) {
  api.clock.set(now);
  const { lastSuccessAt, successExpectedBy, successOverdue } = (await api.get(path)).body;
  return { lastSuccessAt, successExpectedBy, successOverdue };
}

describe('a schedule whose target fails', () => {
  it('raises the metric once its last success is too long ago, and ends it with its next success', async () => {
    const { id } = await watched();
    await run(id, at(MINUTE), good);
    for (const minute of [2, 3, 4, 5, 6]) await run(id, at(minute * MINUTE), bad);
    expect(await withoutSuccess(at(6 * MINUTE - 1))).toBe(0);
    expect(await withoutSuccess(at(6 * MINUTE))).toBe(1);
    expect(await withoutSuccess(at(7 * MINUTE))).toBe(1);
    await run(id, at(7 * MINUTE), good);
    expect(await withoutSuccess(at(8 * MINUTE))).toBe(0);
  });

  it('is named in a warning with its last success', async () => {
    const { id } = await watched();
    await run(id, at(MINUTE), good);
    const [warning, ...more] = (await sweepLines(at(9 * MINUTE))).filter(({ level }) => level === 'WARN');
    expect(more).toEqual([]);
    expect(warning).toMatchObject({
      overdue: 1,
      schedules: [{ schedule: id, lastSuccessAt: toIso(at(MINUTE)), expectedBy: toIso(at(6 * MINUTE)) }],
    });
  });

  it('shows how it stands, alone and in lists', async () => {
    const { id, path } = await watched();
    const by = toIso(at(5 * MINUTE));
    expect(await viewAt(path, at(4 * MINUTE))).toEqual({
      lastSuccessAt: null,
      successExpectedBy: by,
      successOverdue: false,
    });
    expect(await viewAt(path, at(5 * MINUTE))).toMatchObject({ successOverdue: true });
    await run(id, at(6 * MINUTE), good);
    const shown = {
      lastSuccessAt: toIso(at(6 * MINUTE)),
      successExpectedBy: toIso(at(11 * MINUTE)),
      successOverdue: false,
    };
    expect(await viewAt(path, at(7 * MINUTE))).toEqual(shown);
    const other = await created(api);
    const { items } = (await api.get(`/schedules?group=${id.split('/')[0]}`)).body;
    const inList = (of: ScheduleId) => items.find(({ name }: { name: string }) => of.endsWith(`/${name}`));
    expect(inList(id)).toMatchObject(shown);
    expect(inList(other.id)).not.toHaveProperty('successOverdue');
  });
});

describe('a schedule that succeeds', () => {
  it('is never counted, and moved on in the index once in the time that it allows', async () => {
    const { id } = await watched();
    const looks: number[] = [];
    for (let minute = 1; minute <= 30; minute += 1) {
      const now = at(minute * MINUTE);
      await tickAt(now);
      await run(id, now, good);
      const deps = depsAt(epochMs(now + SECOND));
      const lookLater: typeof deps.watches.lookLater = (watch, later) => {
        looks.push(minute);
        return deps.watches.lookLater(watch, later);
      };
      const watches = { ...deps.watches, lookLater };
      expect(await sweepWatches({ ...deps, watches })).toMatchObject({ overdue: 0, failures: [] });
    }
    expect(looks).toEqual([5, 10, 15, 20, 25, 30]);
  });

  it('does not lose a later success to one that settles late', async () => {
    const { id, path } = await watched();
    await api.stores.watches.noteSuccess(id, at(4 * MINUTE));
    await api.stores.watches.noteSuccess(id, at(3 * MINUTE));
    expect(await viewAt(path, at(5 * MINUTE))).toMatchObject({ lastSuccessAt: toIso(at(4 * MINUTE)) });
  });

  it('pays one write unit for it, and one that does not ask for it none', async () => {
    const meter = meterWrites(api.stores.client);
    const units = async (changes: Record<string, unknown>) => {
      api.clock.set(NOON);
      const { id } = await watched(changes);
      meter.take();
      await run(id, at(MINUTE), good);
      return meter.take();
    };
    const plain = await units({ expectSuccessWithin: undefined });
    expect(await units({})).toBe(plain + 1);
  });
});

describe('a success counts', () => {
  it('that a person asked for: a manual run and a replay make a failure good', async () => {
    const { id, path } = await watched();
    await run(id, at(MINUTE), bad);
    api.clock.set(at(8 * MINUTE));
    expect(await withoutSuccess(at(8 * MINUTE))).toBe(1);
    const manual = (await api.post(`${path}/trigger`)).body.id;
    await runById(manual, at(8 * MINUTE), good);
    expect(await withoutSuccess(at(8 * MINUTE))).toBe(0);
    const head = await api.stores.schedules.readHead(id);
    const failed = head && occurrenceId(keyOf(head, at(MINUTE)));
    api.clock.set(at(14 * MINUTE));
    expect(await withoutSuccess(at(14 * MINUTE))).toBe(1);
    await api.post(`/occurrences/${failed}/replay`);
    await runById(failed as OccurrenceId, at(14 * MINUTE), good);
    expect(await withoutSuccess(at(14 * MINUTE))).toBe(0);
  });

  it('that was said through the API', async () => {
    const { id, path } = await watched({ completion: 'callback' });
    api.clock.set(at(MINUTE));
    const { deps, calls } = testWorker(api.stores, async () => good, api.clock);
    const head = await api.stores.schedules.readHead(id);
    const occurrence = head && occurrenceId(keyOf(head, at(MINUTE)));
    await work(deps, { id: occurrence as OccurrenceId, seq: 1, dueAt: at(MINUTE) }, 'w');
    expect(await viewAt(path, at(90 * SECOND))).toMatchObject({ lastSuccessAt: null });
    await api.post(`/occurrences/${occurrence}/complete`, { completionToken: calls[0]?.completionToken });
    expect(await viewAt(path, at(2 * MINUTE))).toMatchObject({ lastSuccessAt: toIso(at(90 * SECOND)) });
    expect(await withoutSuccess(at(6 * MINUTE))).toBe(0);
  });

  it('whose process died before it could note it: the ledger has it', async () => {
    const { id, path } = await watched();
    api.clock.set(at(MINUTE));
    const { deps } = testWorker(api.stores, async () => good, api.clock);
    const dying = { ...deps, watches: { noteSuccess: () => Promise.reject(new Error('died')) } };
    const head = await api.stores.schedules.readHead(id);
    const occurrence = head && occurrenceId(keyOf(head, at(MINUTE)));
    const message = { id: occurrence as OccurrenceId, seq: 1, dueAt: at(MINUTE) };
    await expect(work(dying, message, 'w')).rejects.toThrow('died');
    expect(await withoutSuccess(at(6 * MINUTE - 1))).toBe(0);
    expect(await viewAt(path, at(5 * MINUTE))).toMatchObject({ lastSuccessAt: toIso(at(MINUTE)) });
    expect(await withoutSuccess(at(6 * MINUTE))).toBe(1);
  });

  it('not when it is one of a backfill', async () => {
    const { id, path } = await watched({ startAt: '2026-03-01T11:00:00' });
    const range = { from: toIso(at(-HOUR)), to: toIso(at(-50 * MINUTE)) };
    const backfill = await api.post(`${path}/backfills`, range);
    expect(backfill.status).toBe(201);
    const { items } = await api.stores.occurrences.listOccurrences({
      schedule: id,
      kind: 'backfill',
      // The order in which a backfill runs them.
      oldestFirst: true,
      limit: 1,
    });
    const [first] = items;
    if (!first) throw new Error('The backfill made nothing.');
    await runById(occurrenceId(first), at(4 * MINUTE), good);
    expect((await api.stores.occurrences.readOccurrence(first))?.status).toBe('succeeded');
    expect(await withoutSuccess(at(5 * MINUTE))).toBe(1);
  });
});

describe('a watch', () => {
  it('rests while its schedule is paused, and begins anew with the resume', async () => {
    const { path } = await watched();
    api.clock.set(at(4 * MINUTE));
    await api.post(`${path}/pause`);
    expect(await withoutSuccess(at(HOUR))).toBe(0);
    expect(await viewAt(path, at(HOUR))).toMatchObject({ successExpectedBy: null, successOverdue: false });
    await api.post(`${path}/resume`);
    expect(await withoutSuccess(at(HOUR + 5 * MINUTE - 1))).toBe(0);
    expect(await withoutSuccess(at(HOUR + 5 * MINUTE))).toBe(1);
  });

  it('begins anew with a pause that ends by itself, whether the tick is alive or dead', async () => {
    const { path } = await watched();
    await api.post(`${path}/pause`, { until: toIso(at(HOUR)) });
    expect(await withoutSuccess(at(HOUR + 5 * MINUTE - 1))).toBe(0);
    expect(await withoutSuccess(at(HOUR + 5 * MINUTE))).toBe(1);
    await tickAt(at(HOUR + 6 * MINUTE));
    expect(await withoutSuccess(at(HOUR + 7 * MINUTE))).toBe(0);
    expect(await withoutSuccess(at(HOUR + 11 * MINUTE))).toBe(1);
  });

  it('follows an edit: longer, shorter, off and on again', async () => {
    const { path } = await watched();
    await api.patch(path, { expectSuccessWithin: 'PT1H' });
    expect(await withoutSuccess(at(59 * MINUTE))).toBe(0);
    expect(await withoutSuccess(at(HOUR))).toBe(1);
    api.clock.set(at(HOUR));
    await api.patch(path, { expectSuccessWithin: 'PT2M' });
    expect(await withoutSuccess(at(HOUR))).toBe(0);
    expect(await withoutSuccess(at(62 * MINUTE))).toBe(1);
    await api.patch(path, { expectSuccessWithin: null });
    expect(await withoutSuccess(at(63 * MINUTE))).toBe(0);
    api.clock.set(at(70 * MINUTE));
    await api.patch(path, { expectSuccessWithin: 'PT2M' });
    expect(await withoutSuccess(at(71 * MINUTE))).toBe(0);
    expect(await withoutSuccess(at(72 * MINUTE))).toBe(1);
  });

  it('leaves what is pending alone when it is set: it is no reason to cancel anything', async () => {
    const { path } = await watched({ expectSuccessWithin: undefined });
    await api.patch(path, { expectSuccessWithin: 'PT5M' });
    const { items } = (await api.get(`${path}/occurrences?status=cancelled`)).body;
    expect(items).toEqual([]);
  });

  it('ends with its schedule, and one of the same name begins without its past', async () => {
    const { id, path } = await watched();
    await run(id, at(MINUTE), good);
    await api.delete(path);
    expect(await withoutSuccess(at(HOUR))).toBe(0);
    api.clock.set(at(HOUR));
    const body = {
      expression: '* * * * *',
      target: { kind: 'pull', queue: 'q' },
      expectSuccessWithin: 'PT5M',
    };
    await api.put(path, body);
    expect(await viewAt(path, at(HOUR))).toMatchObject({ lastSuccessAt: null });
    expect(await withoutSuccess(at(HOUR + 5 * MINUTE))).toBe(1);
  });

  it('of a one-shot is counted from its time, and over once it has succeeded', async () => {
    const { id, path } = await watched({ expression: 'at(2026-03-01T12:30:00)' });
    await tickAt(at(29 * MINUTE));
    expect(await withoutSuccess(at(35 * MINUTE - 1))).toBe(0);
    expect(await withoutSuccess(at(35 * MINUTE))).toBe(1);
    const head = await api.stores.schedules.readHead(id);
    const occurrence = head && occurrenceId(keyOf(head, at(30 * MINUTE)));
    await runById(occurrence as OccurrenceId, at(36 * MINUTE), good);
    expect(await withoutSuccess(at(2 * DAY))).toBe(0);
    expect(await viewAt(path, at(2 * DAY))).toMatchObject({ successExpectedBy: null, successOverdue: false });
  });

  it('does not stop the tick from planning, nor is it planned itself', async () => {
    const { id } = await watched();
    await api.delete(`/schedules/${id}`);
    const { id: other } = await watched();
    expect(await tickAt(at(20 * MINUTE))).toMatchObject({ failures: [] });
    expect((await api.stores.schedules.readHead(other))?.nextDueAt).toBeGreaterThan(at(20 * MINUTE));
  });
});

it.each(['PT59S', 'P401D', 'P1M', 'soon'])(
  'expectSuccessWithin %s is refused',
  async (expectSuccessWithin) => {
    const { status, body } = await api.post('/schedules', {
      name: 'refused',
      expression: '* * * * *',
      target: { kind: 'pull', queue: 'q' },
      expectSuccessWithin,
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('expectSuccessWithin');
  },
);
