import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OccurrenceId, occurrenceId } from '../../lambdas/core/ids.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { type EpochMs, epochMs, HOUR, SECOND } from '../../lambdas/core/time.ts';
import { at, NOON } from '../support/fixtures.ts';
import { claimed, keyOf, planned, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores({ shardCount: 1 });
});
afterAll(() => stores.close());

const MANY = 120;
const DAY = '2031-01-05';
const started = epochMs(Date.UTC(2031, 0, 5));

async function seedPull(queue: string, dueAts: readonly EpochMs[]): Promise<ScheduleHead> {
  const of = await seedSchedule(stores);
  for (let from = 0; from < dueAts.length; from += 90) {
    const create = dueAts.slice(from, from + 90).map((dueAt, index) => ({
      ...planned(of, at(from + index), { pullQueue: queue }),
      dueAt,
    }));
    const current = (await stores.schedules.readHead(of.id)) as ScheduleHead;
    await stores.planning.materialise(
      [{ head: current, create, records: [], nextDueAt: epochMs((current.nextDueAt ?? 0) + HOUR) }],
      NOON,
    );
  }
  return of;
}

/** How many stand in each partition of the index, for one day or one queue. */
async function partitions(prefix: string): Promise<number[]> {
  const counts = new Map<string, number>();
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const answer = await stores.client.send(
      new ScanCommand({
        TableName: stores.occurrencesTable,
        IndexName: 'attention',
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    for (const { attention_day } of answer.Items ?? [])
      if (String(attention_day).startsWith(prefix))
        counts.set(attention_day, (counts.get(attention_day) ?? 0) + 1);
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return [...counts.values()];
}

async function failAll(of: ScheduleHead, finishedAts: readonly EpochMs[]): Promise<OccurrenceId[]> {
  return Promise.all(
    finishedAts.map(async (finishedAt, index) => {
      const running = await claimed(stores, keyOf(of, at(index)), at(HOUR));
      const record = { attempt: 1, startedAt: NOON, finishedAt, outcome: 'failed' } as const;
      const end = { kind: 'failed', reason: 'not-retryable', record } as const;
      await stores.occurrences.settle(running, end, finishedAt);
      return occurrenceId(running);
    }),
  );
}

describe('what failed on a day', () => {
  let failed: OccurrenceId[];
  // In groups of ten that ended in the same millisecond: those have no order of their own.
  const finishedAt = (index: number) => epochMs(started + Math.floor(index / 10) * SECOND);
  beforeAll(async () => {
    const times = Array.from({ length: MANY }, (_, index) => at(index));
    const of = await seedPull('unused', []);
    for (let from = 0; from < MANY; from += 90) {
      const head = (await stores.schedules.readHead(of.id)) as ScheduleHead;
      const create = times.slice(from, from + 90).map((time) => planned(of, time));
      const nextDueAt = epochMs((head.nextDueAt ?? 0) + HOUR);
      await stores.planning.materialise([{ head, create, records: [], nextDueAt }], NOON);
    }
    failed = await failAll(
      of,
      times.map((_, index) => finishedAt(index)),
    );
  });

  it('is written to several partitions of the index, about as many to each', async () => {
    const counts = await partitions(DAY);
    expect(counts).toHaveLength(8);
    expect(Math.max(...counts)).toBeLessThan(MANY / 4);
  });

  it.each([3, 7, 100, 200])('is listed once each, newest first, in pages of %i', async (limit) => {
    const listed: { id: OccurrenceId; finishedAt: number }[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await stores.occurrences.listAttention({ day: DAY, limit, ...(cursor && { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      for (const one of page.items)
        listed.push({ id: occurrenceId(one), finishedAt: one.status === 'failed' ? one.finishedAt : 0 });
      cursor = page.cursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(Math.ceil(MANY / limit));
    expect(listed.map(({ id }) => id).toSorted()).toEqual(failed.toSorted());
    const times = listed.map(({ finishedAt }) => finishedAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('refuses a cursor that was made up', async () => {
    const forged = (key: unknown) =>
      Buffer.from(JSON.stringify([`attention:${DAY}:`, key])).toString('base64url');
    for (const key of [{ [`${DAY}#0`]: 'no JSON' }, { [`${DAY}#0`]: '["a",1,2]' }, { [`${DAY}#0`]: 'null' }])
      await expect(
        stores.occurrences.listAttention({ day: DAY, limit: 5, cursor: forged(key) }),
      ).rejects.toMatchObject({ code: 'cursor.invalid' });
  });
});

describe('a queue of outside workers', () => {
  it('is spread over several partitions, and answers in order of due time from all of them', async () => {
    const dueAts = Array.from({ length: MANY }, (_, index) => at(-((index * 37) % MANY) * SECOND));
    await seedPull('spread', dueAts);
    expect(await partitions('pull#spread')).toHaveLength(4);
    const due = async (limit: number) =>
      (await stores.occurrences.pullable('spread', NOON, limit)).map(({ dueAt }) => dueAt);
    const inOrder = dueAts.toSorted((a, b) => a - b);
    for (const limit of [1, 5, 33, 100]) expect(await due(limit)).toEqual(inOrder.slice(0, limit));
    expect(await due(500)).toEqual(inOrder);
    expect((await stores.occurrences.pullable('spread', at(-60 * SECOND), 500)).length).toBe(60);
  });
});
