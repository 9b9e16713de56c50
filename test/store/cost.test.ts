import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CANARY_DEFINITION } from '../../lambdas/core/canary.ts';
import { headRecurrence } from '../../lambdas/core/head-recurrence.ts';
import { type Definition, planningPolicy, type ScheduleHead } from '../../lambdas/core/schedule.ts';
import { type OverlapPolicy, type SlotNeed, slotNeeds } from '../../lambdas/core/slots.ts';
import { DAY, epochMs, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { sweep } from '../../lambdas/sweep/sweep.ts';
import { sweepWatches } from '../../lambdas/sweep/watches.ts';
import { tickBackfills } from '../../lambdas/tick/backfills.ts';
import { tick } from '../../lambdas/tick/tick.ts';
import { meterReads, meterWrites } from '../support/capacity.ts';
import { IDLE_MINUTE } from '../support/cost.ts';
import { at, definition, freshId, NOON } from '../support/fixtures.ts';
import { dispatched, keyOf, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';
import { EMPTY_QUEUE } from '../support/sweep.ts';

const secret = '9f8e7d6c-5b4a-4321-8765-0123456789ab';
let stores: Stores;
let meter: ReturnType<typeof meterWrites>;
beforeEach(async () => {
  stores = await openStores({ shardCount: 1 });
  meter = meterWrites(stores.client);
});
afterEach(() => stores.close());

/** A tick without its shard lease, whose two writes are shared by all schedules of the shard. */
async function materialiseAt(now: number): Promise<void> {
  const store = { ...stores.planning, acquireShard: async () => true, releaseShard: async () => {} };
  const result = await tick(
    {
      store,
      occurrences: stores.occurrences,
      recurrenceOf: headRecurrence,
      lead: 2 * MINUTE,
      planWindow: 10 * MINUTE,
      holder: 't',
      stopAt: at(100 * DAY),
      now: () => epochMs(now),
    },
    [0],
  );
  expect(result.failures).toEqual([]);
}

async function runOne(of: ScheduleHead, time: number, needs: readonly SlotNeed[]): Promise<void> {
  const now = epochMs(time);
  const lease = {
    holder: '1b4e28ba-2fa1-11d2-883f-0016d3cca427/message',
    expiresAt: epochMs(now + MINUTE),
    secret,
  };
  const claim = await stores.occurrences.claim(dispatched(keyOf(of, now)), lease, now, needs);
  if (claim.kind !== 'claimed') throw new Error(`It is ${claim.kind}.`);
  const running = claim.occurrence;
  const record = {
    attempt: 1,
    startedAt: now,
    finishedAt: epochMs(now + SECOND),
    outcome: 'succeeded' as const,
    detail: 'HTTP 200',
  };
  await stores.occurrences.settle(running, { kind: 'succeeded', record }, epochMs(now + SECOND));
}

/** Write request units per occurrence from creation to settle, as the engine reports them. */
async function unitsPerOccurrence(
  expression: string,
  fires: number,
  stepMs: number,
  overlap: OverlapPolicy = 'allow',
  all: Partial<Definition> = {},
): Promise<number> {
  const from = definition({ expression, timezone: 'America/New_York', overlap, ...all });
  const nextDueAt = epochMs(NOON + stepMs);
  const of = await seedSchedule(stores, [], {
    head: { id: freshId('a-group-with-a-name'), nextDueAt, policy: planningPolicy(from) },
    definition: from,
  });
  const needs = slotNeeds(of.id, from, undefined);
  // The first use of a slot makes its item, and finds first that it is not there.
  const before = await seedSchedule(stores, [NOON], { head: { nextDueAt: at(1_000 * DAY) } });
  await runOne(before, NOON, needs);
  meter.take();
  for (let fire = 1; fire <= fires; fire += 1) {
    const due = NOON + fire * stepMs;
    await materialiseAt(due - MINUTE);
    await runOne(of, due, needs);
  }
  // What was materialised ahead is run as well, so that each occurrence counted is paid for in full.
  const ahead = await stores.occurrences.openOf(of.id);
  for (const { scheduledTime } of ahead) await runOne(of, scheduledTime, needs);
  return meter.take() / (fires + ahead.length);
}

describe('write request units of an occurrence', () => {
  it('are at most 10 for a daily schedule', async () => {
    const of = await unitsPerOccurrence('0 7 * * *', 5, DAY);
    expect(of).toBeGreaterThan(8);
    expect(of).toBeLessThanOrEqual(10);
  });

  it('are at most 6.5 for one that fires each minute', async () => {
    const of = await unitsPerOccurrence('* * * * *', 60, MINUTE);
    expect(of).toBeGreaterThan(5);
    expect(of).toBeLessThanOrEqual(6.5);
  });

  it('are as many for the canary', async () => {
    const of = await unitsPerOccurrence('', 60, MINUTE, 'allow', CANARY_DEFINITION);
    expect(of).toBeGreaterThan(5);
    expect(of).toBeLessThanOrEqual(6.5);
  });

  it('are six more where the overlap policy needs a slot: claim and settlement become transactions', async () => {
    expect(await unitsPerOccurrence('0 7 * * *', 3, DAY, 'skip')).toBe(16);
  });
});

describe('an idle minute', () => {
  it('costs what docs/cost.md counts with, for each shard', async () => {
    const reads = meterReads(stores.client);
    const shards = [0, 1, 2, 3];
    const deps = {
      store: stores.planning,
      schedules: stores.schedules,
      occurrences: stores.occurrences,
      open: stores.open,
      messages: EMPTY_QUEUE,
      backfills: stores.backfills,
      watches: stores.watches,
      recurrenceOf: headRecurrence,
      revisionOf: () => Promise.reject(new Error('Nothing is open.')),
      reportSchedule: () => {},
      lead: 2 * MINUTE,
      planWindow: 10 * MINUTE,
      redispatchMs: 2 * MINUTE,
      holder: 't',
      stopAt: at(DAY),
      now: () => NOON,
    };
    const units = async (what: () => Promise<unknown>) => {
      meter.take();
      reads.take();
      await what();
      return { writes: meter.take(), reads: reads.take() };
    };
    // The first ones note the version of the zone data in each shard, and that the queue holds nothing.
    await tick(deps, shards);
    await sweep(deps, { shards, reissue: false });
    const ticked = await units(async () => {
      await tick(deps, shards);
      await tickBackfills(deps, shards);
    });
    const swept = await units(async () => {
      await sweep(deps, { shards, reissue: false });
      await stores.planning.watermarks(shards);
      await sweepWatches(deps);
    });
    expect(ticked.writes + swept.writes).toBe(IDLE_MINUTE.writesPerShard * shards.length);
    const read = ticked.reads + swept.reads;
    expect(read).toBeGreaterThan(shards.length);
    // The engine asks nothing for a query that finds nothing, where AWS asks for half a unit.
    expect(read).toBeLessThanOrEqual(IDLE_MINUTE.readsPerShard * shards.length);
  });
});
