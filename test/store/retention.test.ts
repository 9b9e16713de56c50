import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headKey, occurrenceItemKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import type { RunningOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import { DAY, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, NOON } from '../support/fixtures.ts';
import { change, claimed, keyOf, planned, rangeOf, readPending, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

type Key = ReturnType<typeof keyOf>;
const record = { attempt: 1, startedAt: NOON, finishedAt: NOON, outcome: 'succeeded' } as const;
const failure = { ...record, outcome: 'failed' } as const;

/** A pending occurrence of a schedule that keeps what is finished for seven days. */
async function kept(startBy = at(MINUTE)): Promise<Key> {
  const of = await seedSchedule(stores, [], { definition: { retention: 'P7D' } });
  const create = [planned(of, NOON, { retentionDays: 7, startBy })];
  await stores.planning.materialise([{ head: of, create, records: [], nextDueAt: at(61 * MINUTE) }], NOON);
  return keyOf(of, NOON);
}

async function purgedAfterDays(key: Key): Promise<number> {
  const { Item } = await stores.client.send(
    new GetCommand({ TableName: stores.occurrencesTable, Key: occurrenceItemKey(key) }),
  );
  return ((Item?.purge_at as number) * SECOND - NOON) / DAY;
}

describe('the retention of a schedule', () => {
  const ends: Record<string, (key: Key, run: () => Promise<RunningOccurrence>) => Promise<unknown>> = {
    succeeded: async (_, run) => stores.occurrences.settle(await run(), { kind: 'succeeded', record }, NOON),
    failed: async (_, run) =>
      stores.occurrences.settle(await run(), { kind: 'failed', record: failure, reason: 'max-age' }, NOON),
    cancelled: async (key) => stores.occurrences.cancel(await readPending(stores, key), 'user', NOON),
    skipped: async (key) =>
      stores.occurrences.skip(await readPending(stores, key), 'overlap', undefined, NOON),
  };

  it.each(Object.keys(ends))('sets when one that ended %s is purged', async (end) => {
    const key = await kept();
    await ends[end]?.(key, () => claimed(stores, key, NOON));
    expect(await stores.occurrences.readOccurrence(key)).toMatchObject({ status: end, retentionDays: 7 });
    expect(await purgedAfterDays(key)).toBe(7);
  });

  it('sets it for one that is missed', async () => {
    const key = await kept(at(-1));
    await stores.occurrences.miss(await readPending(stores, key), NOON);
    expect(await purgedAfterDays(key)).toBe(7);
  });

  it('sets it for what an edit cancels and records', async () => {
    const of = await seedSchedule(stores, [], { definition: { retention: 'P7D' } });
    const create = [planned(of, NOON, { retentionDays: 7 })];
    await stores.planning.materialise([{ head: of, create, records: [], nextDueAt: at(61 * MINUTE) }], NOON);
    const coalesced = { count: 1, from: at(MINUTE), to: at(MINUTE) };
    const missed = rangeOf(of, coalesced, 'superseded');
    await stores.schedules.applyChange(
      change(
        { ...of, version: 2, revision: 2 },
        {
          expected: { version: 1, nextDueAt: at(61 * MINUTE) },
          cancel: [await readPending(stores, keyOf(of, NOON))],
          records: [missed],
        },
      ),
    );
    expect(await purgedAfterDays(keyOf(of, NOON))).toBe(7);
    expect(await purgedAfterDays(missed)).toBe(7 + MINUTE / DAY);
  });

  it('is the deployment’s where the schedule has none', async () => {
    const of = await seedSchedule(stores, [NOON]);
    await stores.occurrences.cancel(await readPending(stores, keyOf(of, NOON)), 'user', NOON);
    expect(await purgedAfterDays(keyOf(of, NOON))).toBe(30);
  });

  it('is outlived by the tombstone of its schedule', async () => {
    const of = await seedSchedule(stores, [], { definition: { retention: 'P3650D' } });
    const gone = { ...of, state: 'deleted', version: 2, nextDueAt: null } as const;
    await stores.schedules.applyChange(change(gone, { expected: { version: 1, nextDueAt: of.nextDueAt } }));
    const { Item } = await stores.client.send(
      new GetCommand({ TableName: stores.schedulesTable, Key: headKey(of.id) }),
    );
    expect((Item?.purge_at as number) * SECOND).toBeGreaterThan(NOON + 3650 * DAY);
  });
});
