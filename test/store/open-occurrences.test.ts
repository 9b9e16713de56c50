import { BatchWriteCommand, type QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { occurrenceItemKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { pendingItem } from '../../lambdas/adapters/dynamodb/occurrences/occurrence-items.ts';
import { createOccurrenceStore } from '../../lambdas/adapters/dynamodb/occurrences/occurrence-store.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { DAY, type EpochMs, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, NOON } from '../support/fixtures.ts';
import { claimed, keyOf, planned, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
let indexQueries: number;
beforeEach(async () => {
  stores = await openStores({ shardCount: 2 });
  indexQueries = 0;
  stores.client.middlewareStack.add(
    (next) => (args) => {
      if ((args.input as Partial<QueryCommand['input']>).IndexName === 'open') indexQueries += 1;
      return next(args);
    },
    { step: 'initialize' },
  );
});
afterEach(() => stores.close());

async function put(items: readonly Record<string, unknown>[]): Promise<void> {
  for (let from = 0; from < items.length; from += 25) {
    const requests = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await stores.client.send(
      new BatchWriteCommand({ RequestItems: { [stores.occurrencesTable]: requests } }),
    );
  }
}

const finished = (of: ScheduleHead, time: EpochMs, bytes: number) => ({
  ...occurrenceItemKey(keyOf(of, time)),
  status: 'succeeded',
  padding: 'x'.repeat(bytes),
});

const timesOf = async (of: ScheduleHead, from = stores.occurrences) =>
  (await from.openOf(of.id)).map(({ scheduledTime }) => scheduledTime);

describe('the open occurrences of a schedule', () => {
  it('are read in its own partition, however many there are, oldest first', async () => {
    const of = await seedSchedule(stores);
    const times = Array.from({ length: 3_000 }, (_, index) => at((index - 2_000) * SECOND));
    await put(times.map((time) => pendingItem(planned(of, time), 2, NOON)));
    await claimed(stores, keyOf(of, NOON), NOON);
    expect(await timesOf(of)).toEqual(times);
    expect(indexQueries).toBe(0);
  });

  it('are found there although older than what has finished since', async () => {
    const of = await seedSchedule(stores, [at(-40 * DAY)]);
    await put(Array.from({ length: 200 }, (_, index) => finished(of, at(index * MINUTE), 500)));
    expect(await timesOf(of)).toEqual([at(-40 * DAY)]);
    expect(indexQueries).toBe(0);
  });

  it.each([
    ['as many shards as when they were created', 2],
    ['fewer shards', 1],
    ['more shards', 5],
  ])('are found behind megabytes of newer records with %s', async (_, shardCount) => {
    const old = [at(-3 * DAY), at(-2 * DAY)];
    const of = await seedSchedule(stores, old);
    const other = await seedSchedule(stores, [at(-DAY)]);
    await stores.planning.recordShardCount(2);
    await put(Array.from({ length: 60 }, (_, index) => finished(of, at(index * MINUTE), 100_000)));
    await put([pendingItem(planned(of, at(DAY)), 2, NOON)]);
    const now = createOccurrenceStore({ ...stores.context, shardCount });
    expect(await timesOf(of, now)).toEqual([...old, at(DAY)]);
    expect(indexQueries).toBeGreaterThan(0);
    expect(await timesOf(other, now)).toEqual([at(-DAY)]);
  });
});
