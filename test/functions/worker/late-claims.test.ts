import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceId } from '../../../lambdas/core/ids.ts';
import type { CallResult } from '../../../lambdas/core/ports/target-caller.ts';
import type { CatchUpPolicy, Definition } from '../../../lambdas/core/schedule/definition.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { type EpochMs, epochMs, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { sweep } from '../../../lambdas/sweep/sweep.ts';
import { type WorkEnd, work } from '../../../lambdas/worker/work.ts';
import { meterReads } from '../../support/capacity.ts';
import { testClock } from '../../support/clock.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { keyOf, messageOf, readPending, seedSchedule } from '../../support/seed.ts';
import { openStores, type Stores } from '../../support/stores.ts';
import { sweepDeps } from '../../support/sweep.ts';
import { testWorker } from '../../support/worker.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const ok: CallResult = { kind: 'succeeded' };
const minutes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => at((from + i) * MINUTE));

const seed = (times: readonly EpochMs[], catchUp: Partial<CatchUpPolicy>, of: Partial<Definition> = {}) =>
  seedSchedule(stores, times, {
    definition: {
      catchUp: { mode: 'latest', maxAge: 'PT24H', maxRuns: 5, spreadOver: 'PT10S', ...catchUp },
      ...of,
    },
  });

/** Works on the message of each of these times, by a clock that stands where it is told. */
async function claimAt(of: ScheduleHead, times: readonly EpochMs[], now: number) {
  const worker = testWorker(stores, async () => ok, testClock(epochMs(now)));
  const ends: WorkEnd[] = [];
  for (const time of times)
    ends.push(await work(worker.deps, await messageOf(stores, occurrenceId(keyOf(of, time)), time), 'w'));
  return { kinds: ends.map(({ kind }) => kind), calls: worker.calls };
}

const read = (of: ScheduleHead, time: EpochMs) => stores.occurrences.readOccurrence(keyOf(of, time));

describe('a first claim that comes late', () => {
  it('runs none but what is on time with skip, and records each of the others', async () => {
    const of = await seed(minutes(0, 4), { mode: 'skip' });
    const { kinds } = await claimAt(of, minutes(0, 4), at(4 * MINUTE + 30 * SECOND));
    expect(kinds).toEqual(['missed', 'missed', 'missed', 'missed', 'succeeded']);
    expect(await read(of, NOON)).toMatchObject({ status: 'missed', reason: 'catch-up', attempt: 0 });
  });

  it('runs the latest at its place, once, and flagged', async () => {
    const hours = [0, 60, 120].map((minute) => at(minute * MINUTE));
    const of = await seed(hours, { mode: 'latest' }, { expression: '0 * * * *' });
    const late = at(130 * MINUTE);
    expect((await claimAt(of, hours, late)).kinds).toEqual(['missed', 'missed', 'put-off']);
    const last = at(120 * MINUTE);
    const pending = await readPending(stores, keyOf(of, last));
    expect(pending.dueAt).toBeGreaterThanOrEqual(late);
    expect(pending.dueAt).toBeLessThan(late + 10 * SECOND);
    // Late again by less than another outage: it has been asked.
    const { kinds, calls } = await claimAt(of, [last], pending.dueAt + 50 * SECOND);
    expect(kinds).toEqual(['succeeded']);
    expect(calls[0]?.isCatchUp).toBe(true);
  });

  it('of one that has its place is a matter of the next outage once that has newer times', async () => {
    const hours = [0, 60].map((minute) => at(minute * MINUTE));
    const of = await seed(hours, { mode: 'latest' }, { expression: '0 * * * *' });
    expect((await claimAt(of, [NOON], at(10 * MINUTE))).kinds).toEqual(['put-off']);
    expect((await claimAt(of, hours, at(70 * MINUTE))).kinds).toEqual(['missed', 'put-off']);
  });

  it('is within the budget of `all` however slowly the workers come back', async () => {
    const times = minutes(0, 90);
    const of = await seed(times, { mode: 'all', maxRuns: 5 });
    const all: string[] = [];
    // For ten minutes nobody works, and then each claim takes 40 seconds.
    for (const [index, time] of times.entries()) {
      const now = Math.max(time, at(10 * MINUTE + index * 40 * SECOND));
      all.push(...(await claimAt(of, [time], now)).kinds);
    }
    expect(all.filter((kind) => kind === 'put-off')).toHaveLength(5);
    expect(all.filter((kind) => kind === 'missed').length).toBeGreaterThan(10);
    expect(all.at(-1)).toBe('succeeded');
  }, 60_000);

  it('admits no more than the budget of `all` when many come at one moment', async () => {
    const times = [0, 10, 20, 30, 40, 50].map((minute) => at(minute * MINUTE));
    const of = await seed(times, { mode: 'all', maxRuns: 4 }, { expression: '*/10 * * * *' });
    const ends = await Promise.all(times.map((time) => claimAt(of, [time], at(55 * MINUTE))));
    const kinds = ends.flatMap((end) => end.kinds);
    expect(kinds).toEqual(['missed', 'missed', 'put-off', 'put-off', 'put-off', 'put-off']);
    const places = await Promise.all(
      times.slice(2).map(async (time) => (await readPending(stores, keyOf(of, time))).dueAt),
    );
    expect(places.slice(1).map((place, i) => place - (places[i] ?? 0))).toEqual([2_500, 2_500, 2_500]);
  });

  it('goes by the period of a schedule that fires more often than each minute', async () => {
    const times = [0, 10, 20].map((second) => at(second * SECOND));
    const of = await seed(times, { mode: 'latest' }, { expression: '*/10 * * * * *' });
    const { kinds } = await claimAt(of, times, at(29 * SECOND));
    expect(kinds).toEqual(['missed', 'missed', 'succeeded']);
  });

  it('does not concern what was moved, replayed, or is a one-shot', async () => {
    const once = await seed([NOON], { mode: 'skip' }, { expression: 'at(2026-03-01T12:00:00)' });
    expect((await claimAt(once, [NOON], at(60 * MINUTE))).kinds).toEqual(['put-off']);
    const moved = await seed([NOON], { mode: 'skip' });
    const pending = await readPending(stores, keyOf(moved, NOON));
    const notes = [{ code: 'moved', message: '' }];
    await stores.occurrences.reschedule(pending, { dueAt: at(MINUTE), notes }, NOON);
    expect((await claimAt(moved, [NOON], at(60 * MINUTE))).kinds).toEqual(['succeeded']);
  });

  it('is none for what found its slot full in time, and waited', async () => {
    const of = await seed(minutes(0, 1), { mode: 'skip' }, { overlap: 'buffer-all' });
    let end = () => {};
    const holds = new Promise<void>((resolve) => (end = resolve));
    const holder = testWorker(stores, () => holds.then(() => ok), testClock(NOON));
    const message = async (time: EpochMs) => messageOf(stores, occurrenceId(keyOf(of, time)), time);
    const running = work(holder.deps, await message(NOON), 'holder');
    while ((await read(of, NOON))?.status !== 'running');
    expect((await claimAt(of, [at(MINUTE)], at(MINUTE))).kinds).toEqual(['waiting']);
    end();
    await running;
    expect((await claimAt(of, [at(MINUTE)], at(50 * MINUTE))).kinds).toEqual(['succeeded']);
  });

  it('costs nothing while it is on time, but for the look whether an edit came that every start makes which is not at once', async () => {
    const of = await seed(minutes(0, 1), { mode: 'all' });
    const reads = meterReads(stores.client);
    const units = async (time: EpochMs, now: number) => {
      reads.take();
      await claimAt(of, [time], now);
      return reads.take();
    };
    const punctual = await units(NOON, NOON);
    expect(await units(at(MINUTE), at(MINUTE + 50 * SECOND))).toBe(punctual + 1);
  });
});

describe('a retry', () => {
  const retry = {
    maxAttempts: 3,
    initialDelay: 'PT30S',
    factor: 1,
    maxDelay: 'PT1M',
    jitter: 0,
    maxAge: 'PT2M',
  };

  async function failedOnce() {
    const of = await seed([NOON], { mode: 'skip' }, { retry });
    const busy = testWorker(stores, async () => ({ kind: 'failed', retryable: true, detail: 'HTTP 500' }));
    await work(busy.deps, await messageOf(stores, occurrenceId(keyOf(of, NOON)), NOON), 'w');
    return of;
  }

  it('runs however late it comes, as long as maxAge allows', async () => {
    const of = await failedOnce();
    expect((await claimAt(of, [NOON], at(2 * MINUTE))).kinds).toEqual(['succeeded']);
  });

  it('does not start later than maxAge, and ends as failed', async () => {
    const of = await failedOnce();
    const { kinds, calls } = await claimAt(of, [NOON], at(2 * MINUTE) + 1);
    expect(kinds).toEqual(['gave-up']);
    expect(calls).toEqual([]);
    expect(await read(of, NOON)).toMatchObject({ status: 'failed', reason: 'max-age', attempt: 1 });
  });

  it('that nobody claims is ended by the sweep', async () => {
    const of = await failedOnce();
    const result = await sweep(
      sweepDeps(stores, () => at(3 * MINUTE), { redispatchMs: MINUTE, stopAt: at(10 * MINUTE) }),
      { shards: [0, 1, 2, 3], reissue: false },
    );
    expect(result.failed).toBeGreaterThanOrEqual(1);
    expect(await read(of, NOON)).toMatchObject({ status: 'failed', reason: 'max-age' });
  });
});
