import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillKey, stripeKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { type Backfill, backfillSlot, occurrenceKeyIn } from '../../lambdas/core/backfill/backfill.ts';
import { shardOf } from '../../lambdas/core/ids.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { takePlace } from '../../lambdas/core/slots/take.ts';
import { type EpochMs, epochMs, HOUR, MINUTE } from '../../lambdas/core/time.ts';
import { at, NOON } from '../support/fixtures.ts';
import { change, dispatched, keyOf, planned, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

function backfill(of: ScheduleHead, changes: Partial<Backfill> = {}): Backfill {
  return {
    schedule: of.id,
    id: 'b1',
    revision: 1,
    state: 'running',
    version: 1,
    from: at(-HOUR),
    to: NOON,
    order: 'oldest-first',
    maxConcurrent: 2,
    reprocess: 'none',
    cursor: at(-HOUR),
    open: [],
    counts: { total: 61, skipped: 0, created: 0, succeeded: 0, failed: 0, cancelled: 0 },
    nextDueAt: NOON,
    createdAt: NOON,
    createdBy: 'test',
    updatedAt: NOON,
    ...changes,
  };
}

async function seeded(changes: Partial<Backfill> = {}) {
  const head = await seedSchedule(stores);
  const made = backfill(head, changes);
  expect(await stores.backfills.createBackfill({ backfill: made, now: NOON })).toEqual({ kind: 'created' });
  return { head, made };
}

const own = (of: Backfill, time: EpochMs) => ({ ...occurrenceKeyIn(of, time), dueAt: NOON, notes: [] });

async function dueIn(shard: number, until: EpochMs): Promise<Backfill[]> {
  const found: Backfill[] = [];
  for await (const page of stores.backfills.dueBackfills(shard, until)) found.push(...page);
  return found;
}

describe('createBackfill', () => {
  it('keeps it as it is', async () => {
    const { made } = await seeded({ retentionDays: 5, reason: 'user', cursor: null, open: [at(-HOUR)] });
    expect(await stores.backfills.readBackfill(made.schedule, made.id)).toEqual(made);
  });

  it('is refused without a live schedule, and once for each id', async () => {
    const { head, made } = await seeded();
    const again = () => stores.backfills.createBackfill({ backfill: made, now: NOON });
    expect(await again()).toEqual({ kind: 'conflict' });
    const expected = { version: 1, nextDueAt: head.nextDueAt };
    const gone = { ...head, state: 'deleted', version: 2, nextDueAt: null } as const;
    await stores.schedules.applyChange(change(gone, { expected }));
    expect(await again()).toEqual({ kind: 'no-schedule' });
  });
});

describe('the index of what is due', () => {
  it('tells backfills from schedules', async () => {
    const { head, made } = await seeded();
    const shard = shardOf(head.id, 4);
    expect(await dueIn(shard, NOON)).toContainEqual(made);
    expect(await dueIn(shard, at(-1))).not.toContainEqual(made);
    const heads: ScheduleHead[] = [];
    for await (const page of stores.planning.dueHeads(shard, at(2 * HOUR))) heads.push(...page);
    expect(heads.filter(({ id }) => id === head.id)).toEqual([head]);
  });

  it('is left by a backfill that has nothing to look for', async () => {
    const { head, made } = await seeded();
    const next = { ...made, state: 'paused', version: 2, nextDueAt: null } as const;
    expect(await stores.backfills.saveBackfill(made, next, [])).toBe('saved');
    expect((await dueIn(shardOf(head.id, 4), at(HOUR))).map(({ schedule }) => schedule)).not.toContain(
      head.id,
    );
    expect(await stores.backfills.readBackfill(made.schedule, made.id)).toEqual(next);
  });

  it('may be behind: the item is believed', async () => {
    const { head, made } = await seeded();
    await stores.client.send(
      new UpdateCommand({
        TableName: stores.schedulesTable,
        Key: backfillKey(made.schedule, made.id),
        UpdateExpression: 'SET next_due_at = :later',
        ExpressionAttributeValues: { ':later': at(HOUR) },
      }),
    );
    expect((await dueIn(shardOf(head.id, 4), NOON)).map(({ schedule }) => schedule)).not.toContain(head.id);
  });
});

describe('saveBackfill', () => {
  it('creates and moves on together, once', async () => {
    const { made } = await seeded();
    const times = [at(-HOUR), at(-HOUR + MINUTE)] as const;
    const next = { ...made, version: 2, cursor: at(-HOUR + 2 * MINUTE), open: times };
    const create = times.map((time) => own(made, time));
    const both = await Promise.all([1, 2].map(() => stores.backfills.saveBackfill(made, next, create)));
    expect(both.toSorted()).toEqual(['lost-race', 'saved']);
    const open = await stores.backfills.openOccurrences(next);
    expect([...open.keys()]).toEqual([...times]);
    for (const one of open.values()) {
      expect(one).toMatchObject({ kind: 'backfill', token: 'b1', status: 'pending', dispatchSeq: 1 });
    }
  });

  it('creates nothing for one that has moved on', async () => {
    const { made } = await seeded();
    const cancelled = { ...made, state: 'cancelled', version: 2, nextDueAt: null } as const;
    await stores.backfills.saveBackfill(made, cancelled, []);
    const late = { ...made, version: 2, open: [at(-HOUR)] };
    expect(await stores.backfills.saveBackfill(made, late, [own(made, at(-HOUR))])).toBe('lost-race');
    expect(await stores.occurrences.readOccurrence(occurrenceKeyIn(made, at(-HOUR)))).toBeUndefined();
    expect((await stores.backfills.readBackfill(made.schedule, made.id))?.state).toBe('cancelled');
  });
});

describe('recordsBetween', () => {
  it('answers the statuses at each time, in either direction, without manual ones', async () => {
    const times = [at(-3 * MINUTE), at(-2 * MINUTE), at(-MINUTE)];
    const head = await seedSchedule(stores, times);
    const manual = { ...planned(head, at(-2 * MINUTE)), kind: 'manual' as const, token: 'abc' };
    await stores.occurrences.createManual({ occurrence: manual, now: NOON });
    const made = backfill(head, { id: 'b2' });
    await stores.backfills.createBackfill({ backfill: made, now: NOON });
    const next = { ...made, version: 2, open: [at(-MINUTE)] };
    await stores.backfills.saveBackfill(made, next, [own(made, at(-MINUTE))]);
    const found = await stores.occurrences.readOccurrence(keyOf(head, at(-MINUTE)));
    if (found?.status === 'pending') await stores.occurrences.cancel(found, 'user', NOON);
    const expected = new Map([
      [at(-2 * MINUTE), ['pending']],
      [at(-MINUTE), ['cancelled', 'pending']],
    ]);
    for (const [from, to] of [
      [at(-2 * MINUTE), NOON],
      [NOON, at(-2 * MINUTE)],
    ] as const) {
      const { statuses, through } = await stores.backfills.recordsBetween(head.id, from, to);
      expect(through).toBeNull();
      expect(new Map([...statuses].map(([time, all]) => [time, all.toSorted()]))).toEqual(expected);
    }
  });
});

describe('the slot of a finished backfill', () => {
  it('is purged long after it, and stays when a replay takes it again', async () => {
    const { made } = await seeded();
    const next = { ...made, version: 2, open: [at(-HOUR)] };
    await stores.backfills.saveBackfill(made, next, [own(made, at(-HOUR))]);
    await stores.backfills.retireSlot(made, NOON);
    const slot = backfillSlot(made);
    const key = stripeKey({ slot, stripe: 0 });
    const item = async () =>
      (await stores.client.send(new GetCommand({ TableName: stores.occurrencesTable, Key: key }))).Item;
    expect(await item()).toBeUndefined();
    const claim = async (now: EpochMs, seq: number) => {
      const attempt = dispatched(occurrenceKeyIn(made, at(-HOUR)), seq);
      const terms = { slot, limit: 1, since: NOON };
      await takePlace(stores.occurrences.slots, attempt, terms, undefined, now);
      const taken = { places: { [slot]: 0 }, kept: [] };
      return stores.occurrences.claim(attempt, { holder: 'w', expiresAt: epochMs(now + MINUTE) }, now, taken);
    };
    const first = await claim(NOON, 1);
    if (first.kind !== 'claimed') throw new Error(first.kind);
    const record = { attempt: 1, startedAt: NOON, finishedAt: NOON, outcome: 'succeeded' } as const;
    await stores.occurrences.settle(first.occurrence, { kind: 'succeeded', record }, NOON);
    await stores.backfills.retireSlot(made, NOON);
    expect((await item())?.purge_at).toBe((NOON + 37 * 24 * HOUR) / 1_000);
    const finished = await stores.occurrences.readOccurrence(occurrenceKeyIn(made, at(-HOUR)));
    if (!finished) throw new Error('none');
    await stores.occurrences.replay(finished, at(MINUTE));
    expect((await claim(at(MINUTE), 3)).kind).toBe('claimed');
    expect((await item())?.purge_at).toBeUndefined();
  });
});
