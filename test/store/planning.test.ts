import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlanningStore } from '../../lambdas/adapters/dynamodb/index.ts';
import { headKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { shardOf } from '../../lambdas/core/ids.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { type EpochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, NOON } from '../support/fixtures.ts';
import { change, keyOf, planned, rangeOf, readPending, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const progress = (head: ScheduleHead, nextDueAt = at(61 * MINUTE)) => ({
  head,
  create: [planned(head, at(HOUR))],
  records: [],
  nextDueAt,
});

async function dueIn(of: Stores, shard: number, until = at(2 * HOUR)): Promise<ScheduleHead[]> {
  const heads: ScheduleHead[] = [];
  for await (const page of of.planning.dueHeads(shard, until)) heads.push(...page);
  return heads;
}

describe('dueHeads', () => {
  it('answers the enabled schedules of the shard that are due, oldest first, across pages', async () => {
    const own = await openStores({ shardCount: 1 });
    try {
      const offsets = Array.from({ length: 130 }, (_, i) => ((i * 37) % 130) * SECOND);
      for (const offset of offsets) await seedSchedule(own, [], { head: { nextDueAt: at(offset) } });
      await seedSchedule(own, [], { head: { nextDueAt: null, state: 'paused' } });
      const due = await dueIn(own, 0, at(99 * SECOND));
      expect(due.map(({ nextDueAt }) => nextDueAt)).toEqual(
        Array.from({ length: 100 }, (_, i) => at(i * SECOND)),
      );
    } finally {
      await own.close();
    }
  });

  it('finds a schedule again after the shard count has changed, and its next write moves it', async () => {
    const made = await seedSchedule(stores);
    const before = shardOf(made.id, 4);
    const grown = createPlanningStore({ ...stores.context, shardCount: 64 });
    expect((await dueIn(stores, before)).map(({ id }) => id)).toContain(made.id);
    await grown.materialise([progress(made)], NOON);
    expect((await dueIn(stores, shardOf(made.id, 64))).map(({ id }) => id)).toContain(made.id);
    if (before !== shardOf(made.id, 64)) {
      expect((await dueIn(stores, before)).map(({ id }) => id)).not.toContain(made.id);
    }
  });
});

describe('materialise', () => {
  it('creates the occurrences and advances the head in one transaction', async () => {
    const made = await seedSchedule(stores);
    expect(await stores.planning.materialise([progress(made)], NOON)).toEqual([{ kind: 'materialised' }]);
    expect((await stores.schedules.readHead(made.id))?.nextDueAt).toBe(at(61 * MINUTE));
    expect((await readPending(stores, keyOf(made, at(HOUR)))).dueAt).toBe(at(HOUR));
  });

  it('does nothing when another tick, an edit or a pause was first', async () => {
    const [ticked, edited, paused] = [
      await seedSchedule(stores),
      await seedSchedule(stores),
      await seedSchedule(stores),
    ];
    await stores.planning.materialise([progress(ticked)], NOON);
    const expected = { version: 1, nextDueAt: at(HOUR) };
    await stores.schedules.applyChange(change({ ...edited, revision: 2, version: 2 }, { expected }));
    await stores.schedules.applyChange(
      change({ ...paused, state: 'paused', version: 2, nextDueAt: null }, { expected }),
    );
    for (const of of [ticked, edited, paused]) {
      const create = [planned(of, at(90 * MINUTE))];
      const late = { head: of, create, records: [], nextDueAt: at(91 * MINUTE) };
      expect(await stores.planning.materialise([late], NOON)).toEqual([{ kind: 'lost-race' }]);
      expect(await stores.occurrences.readOccurrence(keyOf(of, at(90 * MINUTE)))).toBeUndefined();
    }
  });

  it('tries a cancelled pack apart: one lost race does not hold up the others', async () => {
    const made = await Promise.all(Array.from({ length: 45 }, () => seedSchedule(stores)));
    const [first, ...others] = made;
    if (!first) throw new Error('none');
    await stores.planning.materialise([progress(first)], NOON);
    const results = await stores.planning.materialise(
      made.map((of) => progress(of)),
      NOON,
    );
    expect(results).toEqual([{ kind: 'lost-race' }, ...others.map(() => ({ kind: 'materialised' }))]);
    for (const of of others)
      expect((await stores.schedules.readHead(of.id))?.nextDueAt).toBe(at(61 * MINUTE));
  });

  it('reports a schedule that the store refuses and goes on with the others', async () => {
    const [bad, good] = [await seedSchedule(stores), await seedSchedule(stores)];
    const tooLong = { code: 'x', message: 'x'.repeat(500_000) };
    const create = [planned(bad, at(HOUR), { notes: [tooLong] })];
    const results = await stores.planning.materialise([{ ...progress(bad), create }, progress(good)], NOON);
    expect(results.map(({ kind }) => kind)).toEqual(['failed', 'materialised']);
    expect(await stores.schedules.readHead(bad.id)).toEqual(bad);
  });

  it('completes a schedule that has no time left, and takes it out of the due index', async () => {
    const made = await seedSchedule(stores);
    await stores.planning.materialise([{ head: made, create: [], records: [], nextDueAt: null }], NOON);
    expect(await stores.schedules.readHead(made.id)).toMatchObject({ state: 'completed', nextDueAt: null });
    expect((await dueIn(stores, shardOf(made.id, 4))).map(({ id }) => id)).not.toContain(made.id);
  });

  it('advances past an occurrence that exists already instead of failing for ever', async () => {
    const made = await seedSchedule(stores, [at(HOUR)]);
    expect(await stores.planning.materialise([progress(made)], NOON)).toEqual([{ kind: 'materialised' }]);
    expect((await stores.schedules.readHead(made.id))?.nextDueAt).toBe(at(61 * MINUTE));
    expect((await readPending(stores, keyOf(made, at(HOUR)))).dispatchSeq).toBe(1);
  });

  it('writes a record of what was not run', async () => {
    const made = await seedSchedule(stores);
    const coalesced = { count: 7, from: at(-HOUR), to: at(-MINUTE) };
    const record = rangeOf(made, coalesced);
    await stores.planning.materialise(
      [{ head: made, create: [], records: [record], nextDueAt: at(2 * HOUR) }],
      NOON,
    );
    expect(await stores.occurrences.readOccurrence(record)).toMatchObject({ status: 'coalesced', coalesced });
  });

  it('writes it whatever is at its times, and once', async () => {
    const made = await seedSchedule(stores, [at(-HOUR), at(-MINUTE)]);
    const record = rangeOf(made, { count: 7, from: at(-HOUR), to: at(-MINUTE) });
    const step = (head: ScheduleHead, nextDueAt: EpochMs) =>
      stores.planning.materialise([{ head, create: [], records: [record], nextDueAt }], NOON);
    await step(made, at(2 * HOUR));
    expect(await step({ ...made, nextDueAt: at(2 * HOUR) }, at(3 * HOUR))).toEqual([
      { kind: 'materialised' },
    ]);
    const { items } = await stores.occurrences.listOccurrences({ schedule: made.id, limit: 10 });
    expect(items.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
      'range coalesced',
      'scheduled pending',
      'scheduled pending',
    ]);
  });

  it('does not end a pause anew that has ended and begun again with the same end', async () => {
    const pause = { since: NOON, by: 'p', until: at(HOUR), from: NOON, unrecorded: at(MINUTE) };
    const made = await seedSchedule(stores, [], { head: { state: 'paused', nextDueAt: at(HOUR), pause } });
    const again = { ...made, version: 3, pause: { ...pause, unrecorded: at(30 * MINUTE) } };
    await stores.schedules.applyChange(change(again, { expected: made }));
    const wake = { create: [], records: [], nextDueAt: at(2 * HOUR) };
    // A tick that had read it before.
    expect(await stores.planning.materialise([{ head: made, ...wake }], NOON)).toEqual([
      { kind: 'lost-race' },
    ]);
    expect(await stores.planning.materialise([{ head: again, ...wake }], NOON)).toEqual([
      { kind: 'materialised' },
    ]);
  });
});

describe('shard leases', () => {
  it('are held by one scanner until given back or expired', async () => {
    const lease = (holder: string) => ({ holder, expiresAt: at(MINUTE) });
    expect(await stores.planning.acquireShard(900, lease('a'), NOON)).toBe(true);
    expect(await stores.planning.acquireShard(900, lease('b'), NOON)).toBe(false);
    expect(await stores.planning.acquireShard(900, lease('a'), NOON)).toBe(true);
    await stores.planning.releaseShard(900, 'b', null);
    expect(await stores.planning.acquireShard(900, lease('b'), NOON)).toBe(false);
    await stores.planning.releaseShard(900, 'a', at(2 * MINUTE));
    expect(await stores.planning.acquireShard(900, lease('b'), NOON)).toBe(true);
    expect(await stores.planning.acquireShard(900, lease('c'), at(MINUTE + 1))).toBe(true);
  });

  it('leave a watermark behind when the shard was scanned to its end', async () => {
    for (const shard of [901, 1_050]) {
      await stores.planning.acquireShard(shard, { holder: 'a', expiresAt: at(MINUTE) }, NOON);
      await stores.planning.releaseShard(shard, 'a', at(shard));
      await stores.planning.acquireShard(shard, { holder: 'b', expiresAt: at(MINUTE) }, NOON);
      await stores.planning.releaseShard(shard, 'b', null);
    }
    // More than one BatchGetItem takes.
    const shards = Array.from({ length: 150 }, (_, index) => 901 + index);
    const marks = await stores.planning.watermarks(shards);
    expect(marks).toHaveLength(150);
    expect([marks[0], marks[1], marks[149]]).toEqual([at(901), undefined, at(1_050)]);
  });
});

describe('recordShardCount', () => {
  it('answers the largest count ever used', async () => {
    const own = await openStores();
    try {
      expect(await own.planning.recordShardCount(4)).toBe(4);
      expect(await own.planning.recordShardCount(16)).toBe(16);
      expect(await own.planning.recordShardCount(8)).toBe(16);
    } finally {
      await own.close();
    }
  });
});

describe('a stale due index', () => {
  it('is harmless: what the head no longer says is left out', async () => {
    // The engine's indexes are never behind, so a head is made to disagree with its index entry by hand.
    const made = await seedSchedule(stores);
    await stores.client.send(
      new UpdateCommand({
        TableName: stores.schedulesTable,
        Key: headKey(made.id),
        UpdateExpression: 'SET #state = :deleted',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':deleted': 'deleted' },
      }),
    );
    expect((await dueIn(stores, shardOf(made.id, 4))).map(({ id }) => id)).not.toContain(made.id);
  });
});
