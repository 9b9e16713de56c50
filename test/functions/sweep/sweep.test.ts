import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEASE_SKEW } from '../../../lambdas/core/occurrence/overdue.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { shardLagSeconds } from '../../../lambdas/sweep/lag.ts';
import { wantsReissue } from '../../../lambdas/sweep/report.ts';
import { type SweepDeps, sweep } from '../../../lambdas/sweep/sweep.ts';
import { at, definition, NOON } from '../../support/fixtures.ts';
import { claimed, keyOf, planned, readPending, seedSchedule } from '../../support/seed.ts';
import { openStores, type Stores } from '../../support/stores.ts';
import { sweepDeps } from '../../support/sweep.ts';

let stores: Stores;
beforeEach(async () => {
  stores = await openStores({ shardCount: 2 });
});
afterEach(() => stores.close());

const deps = (now: number, changes: Partial<SweepDeps> = {}) =>
  sweepDeps(stores, () => epochMs(now), changes);
const ALL = { shards: [0, 1], reissue: false };
const read = (of: ScheduleHead) => stores.occurrences.readOccurrence(keyOf(of, NOON));

describe('sweep', () => {
  it('gives an expired attempt back for the next one, with backoff and a record', async () => {
    const of = await seedSchedule(stores, [NOON]);
    await claimed(stores, keyOf(of, NOON), NOON, 'dead-worker');
    expect(await sweep(deps(at(MINUTE + LEASE_SKEW)), ALL)).toMatchObject({ leasesExpired: 0 });
    expect(await sweep(deps(at(MINUTE + LEASE_SKEW + 1)), ALL)).toMatchObject({
      leasesExpired: 1,
      failed: 0,
    });
    expect(await readPending(stores, keyOf(of, NOON))).toMatchObject({
      attempt: 1,
      dispatchSeq: 2,
      dueAt: at(MINUTE + LEASE_SKEW + 1 + 5 * SECOND),
      attempts: [{ attempt: 1, outcome: 'lease-expired', detail: expect.stringContaining('dead-worker') }],
    });
  });

  it('fails one whose attempts are used up', async () => {
    const retry = { ...definition().retry, maxAttempts: 1 };
    const of = await seedSchedule(stores, [NOON], { definition: { retry } });
    await claimed(stores, keyOf(of, NOON), NOON);
    expect(await sweep(deps(at(2 * MINUTE)), ALL)).toMatchObject({ leasesExpired: 1, failed: 1 });
    expect(await read(of)).toMatchObject({ status: 'failed', reason: 'lease-expired' });
  });

  it('hands over again what nobody started, ever more rarely', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const redispatchedAt: number[] = [];
    for (let minute = 0; minute <= 30; minute += 1) {
      const { redispatched } = await sweep(deps(at(minute * MINUTE)), ALL);
      if (redispatched > 0) redispatchedAt.push(minute);
    }
    expect(redispatchedAt).toEqual([2, 6, 14, 30]);
    expect(await readPending(stores, keyOf(of, NOON))).toMatchObject({ dispatchSeq: 1, sends: 4 });
  });

  it('misses what is past its start deadline', async () => {
    const of = await seedSchedule(stores);
    const create = [planned(of, NOON, { startBy: at(10 * SECOND) })];
    await stores.planning.materialise([{ head: of, create, records: [], nextDueAt: at(61 * MINUTE) }], NOON);
    expect(await sweep(deps(at(11 * SECOND)), ALL)).toMatchObject({ missed: 1, redispatched: 0 });
    expect(await read(of)).toMatchObject({ status: 'missed' });
  });

  it('measures how many are overdue and by how much', async () => {
    await seedSchedule(stores, [NOON, at(30 * SECOND), at(MINUTE)]);
    expect(await sweep(deps(at(40 * SECOND)), ALL)).toMatchObject({ overdue: 2, oldestOverdueSeconds: 40 });
  });

  it('takes what outside workers do not claim for their lateness, not for ours', async () => {
    const of = await seedSchedule(stores);
    const create = [planned(of, NOON, { pullQueue: 'q' })];
    await stores.planning.materialise([{ head: of, create, records: [], nextDueAt: at(61 * MINUTE) }], NOON);
    expect(await sweep(deps(at(40 * SECOND)), ALL)).toMatchObject({
      open: 1,
      overdue: 0,
      oldestOverdueSeconds: 0,
      oldestUnclaimedSeconds: 40,
    });
  });

  it('counts what is due and has not ended, running or not', async () => {
    const of = await seedSchedule(stores, [NOON, at(SECOND), at(HOUR)]);
    await claimed(stores, keyOf(of, NOON), NOON);
    expect(await sweep(deps(at(2 * SECOND)), ALL)).toMatchObject({ open: 2, overdue: 0 });
    // A reissue looks at those to come as well; they are not open.
    expect(await sweep(deps(at(2 * SECOND)), { ...ALL, reissue: true })).toMatchObject({ open: 2 });
  });

  it('has nothing to say about what is not due, running under its lease, or finished', async () => {
    const of = await seedSchedule(stores, [NOON, at(HOUR)]);
    await claimed(stores, keyOf(of, NOON), NOON);
    expect(await sweep(deps(at(30 * SECOND)), ALL)).toMatchObject({
      overdue: 0,
      leasesExpired: 0,
      redispatched: 0,
      missed: 0,
    });
  });

  it('sweeps the others when one cannot be swept, and names it', async () => {
    const [bad, good] = [await seedSchedule(stores, [NOON]), await seedSchedule(stores, [NOON])];
    const occurrences: SweepDeps['occurrences'] = {
      ...stores.occurrences,
      redispatch: (pending, now) =>
        pending.schedule === bad.id
          ? Promise.reject(new Error('refused'))
          : stores.occurrences.redispatch(pending, now, 'overdue'),
    };
    await sweep(deps(at(MINUTE), { occurrences }), ALL);
    const result = await sweep(deps(at(3 * MINUTE), { occurrences }), ALL);
    expect(result).toMatchObject({ redispatched: 1, failures: [{ id: expect.stringContaining('~1') }] });
    expect((await readPending(stores, keyOf(good, NOON))).sends).toBe(1);
  });

  it('by two at once expires a lease once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => seedSchedule(stores, [NOON])));
    for (const of of made) await claimed(stores, keyOf(of, NOON), NOON);
    const both = await Promise.all([1, 2].map(() => sweep(deps(at(2 * MINUTE)), ALL)));
    expect(both.reduce((sum, { leasesExpired }) => sum + leasesExpired, 0)).toBe(20);
    for (const of of made) expect((await readPending(stores, keyOf(of, NOON))).attempts).toHaveLength(1);
  });

  it('stops between pages when its time is up', async () => {
    const own = await openStores({ shardCount: 1 });
    try {
      for (let i = 0; i < 2; i += 1) {
        await seedSchedule(
          own,
          Array.from({ length: 70 }, (_, j) => epochMs(NOON - j * 1_000 - i)),
        );
      }
      const result = await sweep(
        deps(at(MINUTE), { occurrences: own.occurrences, open: own.open, stopAt: NOON }),
        {
          shards: [0],
          reissue: false,
        },
      );
      expect(result).toMatchObject({ unfinished: 1, overdue: 100 });
    } finally {
      await own.close();
    }
  });
});

describe('the lag of the shards', () => {
  it.each([
    ['all are ahead, as a tick leaves them', [at(2 * MINUTE), at(MINUTE)], 0],
    ['one has been left behind', [at(2 * MINUTE), at(-90 * SECOND)], 90],
    ['one was never scanned to its end', [at(2 * MINUTE), undefined], 3_600],
    ['there are none', [], 0],
  ])('when %s', (_, watermarks, expected) => expect(shardLagSeconds(watermarks, NOON)).toBe(expected));
});

describe('a reissue', () => {
  it('hands every pending occurrence over again, due or not, and leaves running ones alone', async () => {
    const of = await seedSchedule(stores, [NOON, at(MINUTE), at(HOUR)]);
    await claimed(stores, keyOf(of, NOON), NOON);
    expect(await sweep(deps(NOON), { ...ALL, reissue: true })).toMatchObject({ redispatched: 2 });
    expect((await readPending(stores, keyOf(of, at(HOUR)))).sends).toBe(1);
  });

  it('does not lengthen the pause before an occurrence is sent again for being overdue', async () => {
    const of = await seedSchedule(stores, [NOON, at(HOUR)]);
    for (const early of [-2 * MINUTE, -MINUTE]) await sweep(deps(at(early)), { ...ALL, reissue: true });
    expect(await readPending(stores, keyOf(of, at(HOUR)))).toMatchObject({ sends: 2, redispatches: 0 });
    await sweep(deps(NOON), ALL);
    expect(await sweep(deps(at(2 * MINUTE - 1)), ALL)).toMatchObject({ redispatched: 0 });
    expect(await sweep(deps(at(2 * MINUTE)), ALL)).toMatchObject({ redispatched: 1 });
  });

  it('is asked for by the event', () => {
    expect(wantsReissue({ reissue: true })).toBe(true);
    expect(wantsReissue({ 'detail-type': 'Scheduled Event' })).toBe(false);
    expect(wantsReissue(null)).toBe(false);
  });
});
