import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSchedulerEvents } from '../../../lambdas/adapters/scheduler-events.ts';
import { count, reportSchedule } from '../../../lambdas/adapters/telemetry.ts';
import { METRIC, SCHEDULE_METRIC, type ScheduleReport } from '../../../lambdas/contract/metrics.ts';
import { type OccurrenceId, occurrenceId, type ScheduleId, scheduleId } from '../../../lambdas/core/ids.ts';
import type { CallResult } from '../../../lambdas/core/ports/target-caller.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { sweep } from '../../../lambdas/sweep/sweep.ts';
import { work } from '../../../lambdas/worker/work.ts';
import { meterWrites } from '../../support/capacity.ts';
import { invoked, valuesOf } from '../../support/emf.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { claimed, keyOf } from '../../support/seed.ts';
import { sweepDeps } from '../../support/sweep.ts';
import { testWorker } from '../../support/worker.ts';
import { created, openApi, type TestApi } from '../api/api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await openApi();
});
afterEach(() => api.close());

const good: CallResult = { kind: 'succeeded' };
const bad: CallResult = { kind: 'failed', retryable: false, detail: 'HTTP 400' };

const own = (changes: Record<string, unknown> = {}) =>
  created(api, { expression: '* * * * *', overlap: 'allow', metrics: true, ...changes });

async function keyAt(id: ScheduleId, time: EpochMs) {
  const head = await api.stores.schedules.readHead(id);
  if (!head) throw new Error('There is no head.');
  return keyOf(head, time);
}

/** Runs the occurrence of a minute, so long after its time, with a target that takes two seconds. */
async function run(id: ScheduleId, time: EpochMs, result: CallResult, late = 0) {
  api.clock.set(epochMs(time + late));
  const worker = testWorker(
    api.stores,
    async (_, __, clock) => {
      clock.advance(2 * SECOND);
      return result;
    },
    api.clock,
  );
  const occurrence = occurrenceId(await keyAt(id, time));
  await work(worker.deps, { id: occurrence, seq: 1, dueAt: time }, 'w');
  return { ...worker, occurrence };
}

async function sweepAt(now: EpochMs) {
  const reported: Parameters<ScheduleReport>[] = [];
  const deps = sweepDeps(api.stores, () => now, {
    events: createSchedulerEvents(count, (...report) => reported.push(report)),
    revisionOf: async () => undefined,
    redispatchMs: 9 * HOUR,
    stopAt: epochMs(now + HOUR),
  });
  const result = await sweep(deps, { shards: [0, 1, 2, 3], reissue: false });
  return { result, reported };
}

describe('a schedule that asks for metrics of its own', () => {
  it('reports each attempt: its delay, its duration and its end', async () => {
    const { id } = await own();
    const done = { StartDelayMs: 30, DurationMs: 2_000, AttemptsSucceeded: 1 };
    expect((await run(id, at(MINUTE), good, 30)).reported).toEqual([[id, done]]);
    const failed = { StartDelayMs: 0, DurationMs: 2_000, AttemptsFailed: 1, OccurrencesFailed: 1 };
    expect((await run(id, at(2 * MINUTE), bad)).reported).toEqual([[id, failed]]);
    const retried = { StartDelayMs: 0, DurationMs: 2_000, AttemptsFailed: 1 };
    const again = { ...bad, retryable: true };
    expect((await run(id, at(3 * MINUTE), again)).reported).toEqual([[id, retried]]);
  });

  it('has no start delay of a retry, which waits on purpose', async () => {
    const { id } = await own();
    const { occurrence } = await run(id, at(MINUTE), { ...bad, retryable: true });
    api.clock.set(at(2 * MINUTE));
    const { deps, reported } = testWorker(api.stores, async () => good, api.clock);
    await work(deps, { id: occurrence, seq: 2, dueAt: at(2 * MINUTE) }, 'w');
    expect(reported).toEqual([[id, { DurationMs: 0, AttemptsSucceeded: 1 }]]);
  });

  it('reports work that ends outside, once, when it ends', async () => {
    const { id } = await own({ completion: 'callback' });
    for (const [minute, verb, figures] of [
      [1, 'complete', { AttemptsSucceeded: 1 }],
      [2, 'fail', { AttemptsFailed: 1, OccurrencesFailed: 1 }],
    ] as const) {
      const { occurrence, calls, reported } = await run(id, at(minute * MINUTE), good);
      expect(reported).toEqual([]);
      api.clock.set(at(minute * MINUTE + 20 * SECOND));
      const said = {
        completionToken: calls[0]?.completionToken,
        ...(verb === 'fail' && { retryable: false }),
      };
      for (const _ of ['once', 'again'])
        expect((await api.post(`/occurrences/${occurrence}/${verb}`, said)).status).toBe(200);
      expect(api.reported.splice(0)).toEqual([[id, { StartDelayMs: 0, DurationMs: 20_000, ...figures }]]);
    }
  });

  it('reports an attempt whose worker died, and an occurrence that was too late', async () => {
    const { id } = await own({ startDeadline: 'PT10S' });
    await claimed(api.stores, await keyAt(id, at(MINUTE)), at(MINUTE));
    const { result, reported } = await sweepAt(epochMs(at(2 * MINUTE) + 11 * SECOND));
    expect(result).toMatchObject({ leasesExpired: 1, missed: 1, failures: [] });
    expect(reported).toContainEqual([id, { OccurrencesMissed: 1 }]);
    expect(reported).toContainEqual([
      id,
      { StartDelayMs: 0, DurationMs: 71_000, AttemptsFailed: 1, OccurrencesFailed: 1 },
    ]);
  });

  it('reports what was not run because another was in the way', async () => {
    const { id } = await own({ overlap: 'skip' });
    api.clock.set(at(MINUTE));
    const { deps, reported } = testWorker(
      api.stores,
      async () => {
        api.clock.set(at(2 * MINUTE));
        const second = occurrenceId(await keyAt(id, at(2 * MINUTE)));
        await work(deps, { id: second, seq: 1, dueAt: at(2 * MINUTE) }, 'w2');
        return good;
      },
      api.clock,
    );
    await work({ ...deps, leaseMs: HOUR }, message(await keyAt(id, at(MINUTE)), at(MINUTE)), 'w');
    expect(reported[0]).toEqual([id, { OccurrencesSkipped: 1 }]);
  });

  it('takes them on and off at once, and leaves what is pending alone', async () => {
    const { id, path } = await own({ metrics: false });
    await api.patch(path, { metrics: true });
    const { items } = (await api.get(`${path}/occurrences?status=cancelled`)).body;
    expect(items).toEqual([]);
    const pending = { schedule: id, scheduledTime: at(MINUTE), revision: 1, kind: 'scheduled' } as const;
    api.clock.set(at(MINUTE));
    const { deps, reported } = testWorker(api.stores, async () => good, api.clock);
    await work(deps, message(pending, at(MINUTE)), 'w');
    expect(reported).toHaveLength(1);
    await api.patch(path, { metrics: false });
    await work(deps, message({ ...pending, scheduledTime: at(2 * MINUTE) }, at(MINUTE)), 'w');
    expect(reported).toHaveLength(1);
  });
});

const message = (key: Parameters<typeof occurrenceId>[0], dueAt: EpochMs) => ({
  id: occurrenceId(key) as OccurrenceId,
  seq: 1,
  dueAt,
});

it('a schedule that does not ask has none, and neither has one pay a write for them', async () => {
  const meter = meterWrites(api.stores.client);
  const units = async (metrics: boolean) => {
    api.clock.set(NOON);
    const { id } = await own({ metrics });
    meter.take();
    const { reported } = await run(id, at(MINUTE), good);
    expect(reported).toHaveLength(metrics ? 1 : 0);
    return meter.take();
  };
  expect(await units(true)).toBe(await units(false));
});

describe('the metrics of a schedule', () => {
  const figures = {
    [METRIC.startDelayMs]: 12,
    [SCHEDULE_METRIC.durationMs]: 700,
    [METRIC.attemptsSucceeded]: 1,
  };

  it('are a document of its own dimensions and leave those of the deployment as they are', async () => {
    // What the tests before have counted leaves first.
    await invoked(() => {});
    const lines = await invoked(() => {
      count(METRIC.attemptsSucceeded, 5);
      reportSchedule(scheduleId('billing', 'nightly'), figures);
      reportSchedule(scheduleId('billing', 'hourly'), figures);
      count(METRIC.attemptsSucceeded, 6);
    });
    expect(valuesOf(lines, METRIC.attemptsSucceeded).flat()).toEqual([5, 6]);
    expect(valuesOf(lines, SCHEDULE_METRIC.durationMs)).toEqual([]);
    for (const schedule of ['nightly', 'hourly'])
      expect(valuesOf(lines, SCHEDULE_METRIC.durationMs, { group: 'billing', schedule })).toEqual([700]);
    const units = lines.flatMap(({ _aws }) => _aws?.CloudWatchMetrics[0].Metrics ?? []);
    expect(units).toContainEqual({ Name: 'DurationMs', Unit: 'Milliseconds' });
    expect(units).toContainEqual({ Name: 'StartDelayMs', Unit: 'Milliseconds' });
    expect(units).toContainEqual({ Name: 'AttemptsSucceeded', Unit: 'Count' });
  });
});
