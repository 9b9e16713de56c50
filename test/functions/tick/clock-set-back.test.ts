import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSchedulerEvents } from '../../../lambdas/adapters/scheduler-events.ts';
import { count } from '../../../lambdas/adapters/telemetry.ts';
import { outlookOf } from '../../../lambdas/api/schedules/definition/outlook.ts';
import { planFrom } from '../../../lambdas/api/schedules/plan-change/plan-from.ts';
import { upcoming } from '../../../lambdas/api/schedules/upcoming.ts';
import { METRIC } from '../../../lambdas/contract/metrics.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, toIso } from '../../../lambdas/core/time.ts';
import { clockBehindSeconds } from '../../../lambdas/sweep/lag.ts';
import { pass } from '../../../lambdas/sweep/pass.ts';
import { invoked, valuesOf } from '../../support/emf.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { claimed, keyOf, seedSchedule } from '../../support/seed.ts';
import { openStores, type Stores } from '../../support/stores.ts';
import { EMPTY_QUEUE } from '../../support/sweep.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

describe('a clock that was set back by an hour', () => {
  it('shows the first time that is not planned as the next one', async () => {
    const of = await seedSchedule(stores, [], { head: { nextDueAt: at(HOUR + 5 * MINUTE) } });
    expect((await outlookOf(stores.occurrences, of, NOON)).next).toBe(at(HOUR + 5 * MINUTE));
    const { items } = await upcoming(stores, of.id, 2, NOON);
    expect(items.map(({ scheduledTime }) => scheduledTime)).toEqual(
      [65, 66].map((minute) => toIso(at(minute * MINUTE))),
    );
  });

  it('shows what is planned and still to come while it is right', async () => {
    const of = await seedSchedule(stores, [], { head: { nextDueAt: at(11 * MINUTE) } });
    expect((await outlookOf(stores.occurrences, of, NOON)).next).toBe(at(MINUTE));
  });

  it('has an edit begin behind what has run', async () => {
    const of = await seedSchedule(stores, [at(HOUR)]);
    await claimed(stores, keyOf(of, at(HOUR)), at(HOUR));
    expect(await planFrom(stores.occurrences, of.id, NOON)).toBe(at(HOUR));
  });

  it('takes no watermark back, and gives the shard back all the same', async () => {
    const lease = { holder: 'a', expiresAt: at(2 * HOUR) };
    await stores.planning.acquireShard(7, lease, NOON);
    await stores.planning.releaseShard(7, 'a', at(HOUR));
    await stores.planning.acquireShard(7, lease, NOON);
    await stores.planning.releaseShard(7, 'a', NOON);
    expect(await stores.planning.watermarks([7])).toEqual([at(HOUR)]);
    expect(await stores.planning.acquireShard(7, { ...lease, holder: 'b' }, NOON)).toBe(true);
  });

  it('is seen by the watermark', () => {
    expect(clockBehindSeconds([at(2 * MINUTE), at(HOUR), undefined], NOON)).toBe(3_600);
    expect(clockBehindSeconds([at(2 * MINUTE), undefined], NOON)).toBe(0);
  });

  it('is measured by each sweep for as long as it is behind', async () => {
    const sweepAt = (now: EpochMs) => {
      const terms = {
        canary: false,
        events: createSchedulerEvents(count, () => {}),
        revisionOf: async () => undefined,
        redispatchMs: HOUR,
      };
      const times = { stopAt: epochMs(now + HOUR), now: () => now };
      return invoked(() =>
        pass({ ...stores, messages: EMPTY_QUEUE, ...terms, ...times }, { shards: [8], reissue: false }),
      );
    };
    await stores.planning.acquireShard(8, { holder: 'a', expiresAt: at(2 * HOUR) }, at(HOUR));
    await stores.planning.releaseShard(8, 'a', at(HOUR));
    expect(valuesOf(await sweepAt(NOON), METRIC.clockBehindSeconds)).toEqual([3_600]);
    expect(valuesOf(await sweepAt(at(HOUR)), METRIC.clockBehindSeconds)).toEqual([]);
  });
});
