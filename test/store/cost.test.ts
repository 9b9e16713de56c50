import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stripeKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { occurrenceOf, pendingItem } from '../../lambdas/adapters/dynamodb/occurrences/occurrence-items.ts';
import { waitingKey, waitingShard } from '../../lambdas/adapters/dynamodb/slots/waiting-keys.ts';
import { createSchedulerEvents } from '../../lambdas/adapters/scheduler-events.ts';
import { count } from '../../lambdas/adapters/telemetry.ts';
import { claimWithOverlapPolicy } from '../../lambdas/core/attempt/claim.ts';
import { type OccurrenceKey, occurrenceId } from '../../lambdas/core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import { CANARY_DEFINITION } from '../../lambdas/core/schedule/canary-definition.ts';
import type { Definition, OverlapPolicy } from '../../lambdas/core/schedule/definition.ts';
import { planningPolicy, type ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { headRecurrence } from '../../lambdas/core/schedule/head-recurrence.ts';
import type { Revision } from '../../lambdas/core/schedule/revision.ts';
import { setLimit } from '../../lambdas/core/slots/limit.ts';
import type { GroupLimit, SlotTerms } from '../../lambdas/core/slots/needs.ts';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { sweep } from '../../lambdas/sweep/sweep.ts';
import { sweepWatches } from '../../lambdas/sweep/watches.ts';
import { tickBackfills } from '../../lambdas/tick/backfills.ts';
import { tick } from '../../lambdas/tick/tick.ts';
import { meterReads, meterWrites } from '../support/capacity.ts';
import { IDLE_MINUTE } from '../support/cost.ts';
import { at, definition, freshId, head, NOON } from '../support/fixtures.ts';
import { keyOf, messageOf, planned, seedSchedule } from '../support/seed.ts';
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

const LEASE_OF = '1b4e28ba-2fa1-11d2-883f-0016d3cca427/message';

/** Claims as a worker does, with all that the definition asks for. */
async function begin(
  key: OccurrenceKey,
  now: EpochMs,
  terms: SlotTerms & { readonly groupLimit?: GroupLimit },
) {
  const revision = { ...terms, id: key.schedule, revision: key.revision } as unknown as Revision;
  const deps = {
    occurrences: stores.occurrences,
    backfills: stores.backfills,
    groupLimitOf: async () => terms.groupLimit,
    leaseMs: HOUR,
    newSecret: () => secret,
  };
  const { places, seq } = await messageOf(stores, occurrenceId(key), now);
  const attempt = { ...key, dispatchSeq: seq, ...(places && { places }) };
  return claimWithOverlapPolicy(deps, attempt, revision, LEASE_OF, now);
}

async function end(running: RunningOccurrence, at: EpochMs) {
  const record = {
    attempt: 1,
    startedAt: running.attemptStartedAt,
    finishedAt: at,
    outcome: 'succeeded' as const,
    detail: 'HTTP 200',
  };
  await stores.occurrences.settle(running, { kind: 'succeeded', record }, at);
}

async function runOne(of: ScheduleHead, time: number, definition: Definition): Promise<void> {
  const now = epochMs(time);
  const claim = await begin(keyOf(of, now), now, { definition, createdAt: NOON });
  if (claim.kind !== 'claimed') throw new Error(`It is ${claim.kind}.`);
  await end(claim.occurrence, epochMs(now + SECOND));
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
  const of = await seedSchedule(stores, [NOON], {
    head: { id: freshId('a-group-with-a-name'), nextDueAt, policy: planningPolicy(from) },
    definition: from,
  });
  // The first use of a slot makes its item, and finds first that it is not there.
  await runOne(of, NOON, from);
  meter.take();
  for (let fire = 1; fire <= fires; fire += 1) {
    const due = NOON + fire * stepMs;
    await materialiseAt(due - MINUTE);
    await runOne(of, due, from);
  }
  // What was materialised ahead is run as well, so that each occurrence counted is paid for in full.
  const ahead = await stores.occurrences.openOf(of.id);
  for (const { scheduledTime } of ahead) await runOne(of, scheduledTime, from);
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

  it('are two more where the overlap policy needs a slot that nobody waits for', async () => {
    expect(await unitsPerOccurrence('0 7 * * *', 3, DAY, 'skip')).toBe(12);
  });

  it('are at most three more with skip, for one that starts and for one that is skipped', async () => {
    const allow = await unitsPerOccurrence('0 7 * * *', 3, DAY);
    expect((await unitsPerOccurrence('0 7 * * *', 3, DAY, 'skip')) - allow).toBeLessThanOrEqual(3);
    // From its creation on, beside one that starts and ends.
    const times = [at(-MINUTE), NOON] as const;
    const of = await seedSchedule(stores, times, { definition: { overlap: 'skip' } });
    const terms = { definition: definition({ overlap: 'skip' }), createdAt: NOON };
    const running = await begin(keyOf(of, times[0]), times[0], terms);
    expect(running.kind).toBe('claimed');
    meter.take();
    expect((await begin(keyOf(of, times[1]), NOON, terms)).kind).toBe('skipped');
    // A claim and a settlement with its way out of the index are three.
    expect(meter.take()).toBeLessThanOrEqual(3 + 3);
  });
});

describe('write request units of a shared slot', () => {
  const LIMITS = [1, 100, 1_000];
  let made = 0;

  /** A key of this limit, with all of its items. */
  async function sharedKey(limit: number) {
    made += 1;
    const concurrency = { key: `k${made}`, limit };
    const terms = { definition: definition({ overlap: 'allow', concurrency }), createdAt: NOON };
    const slot = `key:${concurrency.key}`;
    await setLimit(stores.occurrences.slots, { slot, limit, since: NOON }, NOON);
    return { terms, slot };
  }

  async function jobs(terms: SlotTerms, count: number): Promise<OccurrenceKey[]> {
    const times = Array.from({ length: count }, (_, i) => at((i - count) * SECOND));
    const of = await seedSchedule(stores, times, {
      head: { id: freshId('a-group-with-a-name') },
      definition: terms.definition,
    });
    return times.map((time) => keyOf(of, time));
  }

  async function started(key: OccurrenceKey, terms: SlotTerms): Promise<RunningOccurrence> {
    const claim = await begin(key, NOON, terms);
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    return claim.occurrence;
  }

  async function write(items: readonly Record<string, unknown>[]) {
    for (let from = 0; from < items.length; from += 25) {
      const puts = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
      await stores.client.send(new BatchWriteCommand({ RequestItems: { [stores.occurrencesTable]: puts } }));
    }
  }

  /** Fills what is left of a slot, as it is when others have waited for it for a while. */
  async function fill(slot: string, limit: number) {
    const { slots } = stores.occurrences;
    const stripes = await slots.readStripes(
      slot,
      Array.from({ length: Math.ceil(limit / 10) }, (_, i) => i),
    );
    const full = stripes.map(({ cap, entries, stripe, since }) => {
      const others = Array.from({ length: cap - entries.size }, (_, i) => [
        occurrenceId(keyOf(head({ id: freshId('a-group-with-a-name') }), epochMs(NOON + i))),
        NOON,
      ]);
      const h = { ...Object.fromEntries(entries), ...Object.fromEntries(others) };
      const of = { since, limit, stripes: stripes.length, epoch: 1, settled: 1 };
      return { ...stripeKey({ slot, stripe }), h, cap, line: true, ...of };
    });
    await write(full);
  }

  /** Others that wait, due later. */
  async function line(slot: string, waiting: number) {
    const of = head({ id: freshId('line') });
    const items = Array.from({ length: waiting }, (_, index) => {
      const pending = pendingItem(planned(of, epochMs(NOON + index + 1)), 1, NOON);
      const key = waitingKey(slot, occurrenceOf(pending) as PendingOccurrence, 1);
      const waits = { waiting_for: slot, waiting_shard: waitingShard(slot), waiting_key: key };
      return { ...pending, ...waits, places: {}, kept: {} };
    });
    await write(items);
  }

  it('are the same whatever the limit, for one that does not wait', async () => {
    const units: number[] = [];
    for (const limit of LIMITS) {
      const { terms } = await sharedKey(limit);
      const others = await jobs(terms, Math.min(limit - 1, 20));
      for (const key of others) await started(key, terms);
      const [one] = (await jobs(terms, 1)) as [OccurrenceKey];
      meter.take();
      await end(await started(one, terms), at(SECOND));
      units.push(meter.take());
    }
    expect(Math.max(...units) - Math.min(...units)).toBeLessThanOrEqual(1);
    // Three without a slot: claim, and settlement with its way out of the index.
    expect(Math.max(...units)).toBeLessThanOrEqual(3 + 3);
  });

  it('are the same whatever the limit, and however many wait, for one that has to wait', {
    timeout: 240_000,
  }, async () => {
    const units: number[] = [];
    for (const [limit, waiting] of LIMITS.flatMap((limit) =>
      [0, 100, 10_000].map((waiting) => [limit, waiting] as const),
    )) {
      const { terms, slot } = await sharedKey(limit);
      const [holder, one] = (await jobs(terms, 2)) as [OccurrenceKey, OccurrenceKey];
      const running = await started(holder, terms);
      await fill(slot, limit);
      await line(slot, waiting);
      meter.take();
      expect((await begin(one, NOON, terms)).kind).toBe('waiting');
      const joining = meter.take();
      await end(running, at(SECOND));
      meter.take();
      // Its own end wakes the next, as that of the one before has woken it.
      await end(await started(one, terms), at(2 * SECOND));
      units.push(joining + meter.take());
    }
    expect(units).toHaveLength(9);
    expect(Math.max(...units) - Math.min(...units)).toBeLessThanOrEqual(1);
    expect(Math.max(...units)).toBeLessThanOrEqual(3 + 8);
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
      events: createSchedulerEvents(count, () => {}),
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
    expect(read).toBeLessThanOrEqual(IDLE_MINUTE.readsPerShard * shards.length + IDLE_MINUTE.readsPerSweep);
  });
});
