import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceItemKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { type OccurrenceKey, occurrenceId } from '../../lambdas/core/ids.ts';
import type { Occurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import type { Settlement } from '../../lambdas/core/ports/occurrence-store.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, NOON } from '../support/fixtures.ts';
import {
  claimed,
  dispatched,
  expectStatus,
  keyOf,
  planned,
  readPending,
  seedSchedule,
} from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores({ shardCount: 1 });
});
afterAll(() => stores.close());

const { DONE, LOST } = { DONE: { kind: 'done' }, LOST: { kind: 'lost-lease' } };
const read = (key: OccurrenceKey) => stores.occurrences.readOccurrence(key);

/** The attributes that put an occurrence into an index or have it purged. */
async function indexed(key: OccurrenceKey): Promise<string[]> {
  const { Item = {} } = await stores.client.send(
    new GetCommand({ TableName: stores.occurrencesTable, Key: occurrenceItemKey(key), ConsistentRead: true }),
  );
  return ['open_shard', 'attention_day', 'attention_at', 'purge_at'].filter((name) => name in Item);
}

const OPEN = ['open_shard'];
const OPEN_FOR_PULL = ['open_shard', 'attention_day', 'attention_at'];
const FINISHED = ['purge_at'];

async function one(
  time: EpochMs = NOON,
  pullQueue?: string,
): Promise<{ of: ScheduleHead; key: OccurrenceKey }> {
  const of = await seedSchedule(stores);
  const create = [planned(of, time, pullQueue === undefined ? {} : { pullQueue })];
  await stores.planning.materialise([{ head: of, create, records: [], nextDueAt: at(2 * HOUR) }], NOON);
  return { of, key: keyOf(of, time) };
}

const record = (outcome: 'succeeded' | 'failed', attempt = 1) => ({
  attempt,
  startedAt: NOON,
  finishedAt: at(SECOND),
  outcome,
});
const failed: Settlement = { kind: 'failed', reason: 'not-retryable', record: record('failed') };
const succeeded: Settlement = { kind: 'succeeded', record: record('succeeded') };
const retry = (dueAt: EpochMs): Settlement => ({ kind: 'retry', dueAt, record: record('failed') });

async function finished(key: OccurrenceKey, settlement: Settlement): Promise<Occurrence> {
  await stores.occurrences.settle(await claimed(stores, key, NOON), settlement, at(SECOND));
  return (await read(key)) as Occurrence;
}

/** Asks for the same move `times` times at once; how many were done. */
async function race(times: number, move: () => Promise<{ kind: string }>): Promise<number> {
  const results = await Promise.all(Array.from({ length: times }, move));
  return results.filter(({ kind }) => kind === 'done').length;
}

describe('cancel', () => {
  it('ends a pending one, leaves the indexes, and is done once', async () => {
    for (const queue of [undefined, 'q-cancel']) {
      const { key } = await one(NOON, queue);
      const pending = await readPending(stores, key);
      expect(await race(4, () => stores.occurrences.cancel(pending, 'user', NOON))).toBe(1);
      expect(expectStatus(await read(key), 'cancelled')).toMatchObject({ reason: 'user', finishedAt: NOON });
      expect(await indexed(key)).toEqual(FINISHED);
    }
  });

  it('and a claim at once have one winner', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { key } = await one();
      const pending = await readPending(stores, key);
      const [cancelled, claim] = await Promise.all([
        stores.occurrences.cancel(pending, 'user', NOON),
        stores.occurrences.claim(dispatched(key), { holder: 'w', expiresAt: at(MINUTE) }, NOON),
      ]);
      expect(cancelled.kind === 'done').toBe(claim.kind !== 'claimed');
    }
  });

  it('is refused when the occurrence ran and came back since it was read', async () => {
    const { key } = await one();
    const pending = await readPending(stores, key);
    await stores.occurrences.settle(await claimed(stores, key, NOON), retry(at(MINUTE)), at(SECOND));
    expect(await stores.occurrences.cancel(pending, 'user', NOON)).toEqual(LOST);
  });
});

describe('a request to cancel what runs', () => {
  it('is not forgotten by a retry: the attempt ends as cancelled or not at all', async () => {
    const { key } = await one();
    const running = await claimed(stores, key, NOON);
    await stores.occurrences.requestCancel(key, 'user');
    expect(await stores.occurrences.settle(running, retry(at(MINUTE)), at(SECOND))).toEqual({
      kind: 'cancel-requested',
      reason: 'user',
    });
    const cancelled: Settlement = { kind: 'cancelled', reason: 'user', record: record('failed') };
    expect(await stores.occurrences.settle(running, cancelled, at(SECOND))).toEqual(DONE);
    expect(expectStatus(await read(key), 'cancelled').attempts).toHaveLength(1);
  });

  it('is of one attempt round: a replay starts without it', async () => {
    const { key } = await one();
    const running = await claimed(stores, key, NOON);
    await stores.occurrences.requestCancel(key, 'user');
    await stores.occurrences.settle(running, { kind: 'cancelled', reason: 'user' }, at(SECOND));
    await stores.occurrences.replay((await read(key)) as Occurrence, at(MINUTE));
    const again = await claimed(stores, key, at(MINUTE));
    expect(again.cancelReason).toBeUndefined();
    expect(await stores.occurrences.settle(again, retry(at(HOUR)), at(MINUTE))).toEqual(DONE);
  });
});

describe('detach', () => {
  it('goes on without a worker until its lease ends, and only for the attempt that it is', async () => {
    const { key } = await one();
    const running = await claimed(stores, key, NOON);
    expect(await stores.occurrences.detach(running, at(10 * MINUTE))).toEqual(DONE);
    expect(await read(key)).toMatchObject({ detached: true, lease: { expiresAt: at(10 * MINUTE) } });
    expect(await stores.occurrences.detach({ ...running, fencingToken: 0 }, at(HOUR))).toEqual(LOST);
    // The sweep saw an earlier end of the lease: it must not end an attempt that was extended.
    expect(await stores.occurrences.expire(running, failed, at(2 * MINUTE))).toEqual(LOST);
    await stores.occurrences.settle(running, retry(at(11 * MINUTE)), at(10 * MINUTE));
    expect(await claimed(stores, key, at(11 * MINUTE))).not.toHaveProperty('detached');
  });

  it('comes too late for an attempt that was completed meanwhile', async () => {
    const { key } = await one();
    const running = await claimed(stores, key, NOON);
    expect(await stores.occurrences.settle(running, succeeded, at(SECOND))).toEqual(DONE);
    expect(await stores.occurrences.detach(running, at(HOUR))).toEqual(LOST);
    expect((await read(key))?.status).toBe('succeeded');
  });
});

describe('replay', () => {
  it.each(['failed', 'succeeded'] as const)(
    'opens a %s one for a new round of attempts, once',
    async (end) => {
      const { key } = await one();
      const before = await finished(key, end === 'failed' ? failed : succeeded);
      expect(await race(4, () => stores.occurrences.replay(before, at(MINUTE)))).toBe(1);
      expect(await indexed(key)).toEqual(OPEN);
      expect(await readPending(stores, key)).toMatchObject({
        dueAt: at(MINUTE),
        firstDueAt: at(MINUTE),
        attempt: 1,
        roundBase: 1,
        replays: 1,
        dispatchSeq: before.dispatchSeq + 1,
        redispatches: 0,
        attempts: [{ attempt: 1 }],
      });
      expect(await stores.occurrences.replay(before, at(MINUTE))).toEqual(LOST);
    },
  );

  it('gives larger fencing tokens, ends, and may be replayed again', async () => {
    const { key } = await one();
    await stores.occurrences.replay(await finished(key, failed), at(MINUTE));
    const again = await claimed(stores, key, at(MINUTE));
    expect(again).toMatchObject({ attempt: 2, fencingToken: 2, roundBase: 1 });
    const second = { ...failed, record: record('failed', 2) } as Settlement;
    expect(await stores.occurrences.settle(again, second, at(2 * MINUTE))).toEqual(DONE);
    expect(await indexed(key)).toEqual(['attention_day', 'attention_at', 'purge_at']);
    await stores.occurrences.replay((await read(key)) as Occurrence, at(3 * MINUTE));
    expect(await readPending(stores, key)).toMatchObject({ replays: 2, roundBase: 2, attempt: 2 });
  });

  it('uses the input that its own request names, not that of the one before', async () => {
    const { key } = await one();
    await stores.occurrences.replay(await finished(key, failed), NOON, 1);
    expect((await readPending(stores, key)).inputRevision).toBe(1);
    await finished(key, failed);
    await stores.occurrences.replay((await read(key)) as Occurrence, NOON);
    expect((await readPending(stores, key)).inputRevision).toBeUndefined();
  });

  it('is refused when the revision whose input it asks for is no longer in force', async () => {
    const { key } = await one();
    const failure = await finished(key, failed);
    expect(await stores.occurrences.replay(failure, NOON, 7)).toEqual({ kind: 'other-revision' });
    expect((await read(key))?.status).toBe('failed');
  });

  it('opens cancelled, skipped and missed ones too, deadline or not', async () => {
    const of = await seedSchedule(stores);
    const times = [at(-3), at(-2), at(-1)] as const;
    const create = times.map((time) => planned(of, time, { startBy: at(SECOND) }));
    await stores.planning.materialise([{ head: of, create, records: [], nextDueAt: at(2 * HOUR) }], NOON);
    const [a, b, c] = times.map((time) => keyOf(of, time)) as [OccurrenceKey, OccurrenceKey, OccurrenceKey];
    await stores.occurrences.cancel(await readPending(stores, a), 'user', NOON);
    await stores.occurrences.skip(await readPending(stores, b), 'overlap', occurrenceId(a), NOON);
    await stores.occurrences.miss(await readPending(stores, c), at(2 * SECOND));
    for (const key of [a, b, c]) {
      expect(await stores.occurrences.replay((await read(key)) as Occurrence, at(MINUTE))).toEqual(DONE);
      const pending = await readPending(stores, key);
      expect(pending.startBy).toBeUndefined();
      expect(await indexed(key)).toEqual(OPEN);
      expect((await claimed(stores, key, at(MINUTE))).attempt).toBe(1);
    }
  });

  it('puts one of a pull queue back into its queue', async () => {
    const { key } = await one(NOON, 'q-replay');
    await stores.occurrences.replay(await finished(key, failed), at(MINUTE));
    expect(await indexed(key)).toEqual(OPEN_FOR_PULL);
    expect(await stores.occurrences.pullable('q-replay', NOON, 10)).toEqual([]);
    expect(await stores.occurrences.pullable('q-replay', at(MINUTE), 10)).toHaveLength(1);
  });

  it('can be handed over again and settled for a retry like any other', async () => {
    const { key } = await one();
    await stores.occurrences.replay(await finished(key, failed), NOON);
    const pending = await readPending(stores, key);
    expect(await stores.occurrences.redispatch(pending, at(MINUTE), 'overdue')).toEqual(DONE);
    const running = await claimed(stores, key, at(MINUTE));
    expect(await stores.occurrences.settle(running, retry(at(HOUR)), at(MINUTE))).toEqual(DONE);
    expect(await readPending(stores, key)).toMatchObject({ dueAt: at(HOUR), replays: 1 });
  });
});

describe('reschedule', () => {
  const moved = [{ code: 'moved', message: 'Moved.' }];

  it('moves the due time of a pending one and has it handed over again', async () => {
    const { key } = await one(at(MINUTE), 'q-move');
    const pending = await readPending(stores, key);
    const to = { dueAt: at(HOUR), startBy: at(2 * HOUR), notes: moved };
    expect(await race(3, () => stores.occurrences.reschedule(pending, to, NOON))).toBe(1);
    expect(await readPending(stores, key)).toMatchObject({
      ...to,
      firstDueAt: at(HOUR),
      dispatchSeq: 2,
      scheduledTime: at(MINUTE),
    });
    expect(await stores.occurrences.pullable('q-move', at(HOUR - 1), 10)).toEqual([]);
    expect(await stores.occurrences.pullable('q-move', at(HOUR), 10)).toHaveLength(1);
  });

  it('takes a deadline away that is not given again, and is refused for what has started', async () => {
    const { key } = await one();
    const first = { dueAt: NOON, startBy: at(1), notes: [] };
    await stores.occurrences.reschedule(await readPending(stores, key), first, NOON);
    await stores.occurrences.reschedule(await readPending(stores, key), { dueAt: NOON, notes: [] }, NOON);
    const pending = await readPending(stores, key);
    expect(pending.startBy).toBeUndefined();
    await claimed(stores, key, NOON);
    expect(await stores.occurrences.reschedule(pending, { dueAt: NOON, notes: [] }, NOON)).toEqual(LOST);
  });
});

describe('what a person decides ahead of the planner', () => {
  const soon = at(HOUR);
  const head = (of: ScheduleHead) => stores.schedules.readHead(of.id) as Promise<ScheduleHead>;

  it('is there once, and the planner goes on past it', async () => {
    const of = await seedSchedule(stores, [], { head: { nextDueAt: soon } });
    const key = keyOf(of, soon);
    const seen = await head(of);
    expect(await race(4, () => stores.occurrences.createAhead({ kind: 'skip', key }, seen, NOON))).toBe(1);
    expect((await head(of)).version).toBe(seen.version + 1);
    expect(await indexed(key)).toEqual(FINISHED);
    const create = [planned(of, soon), planned(of, at(2 * HOUR))];
    const next = { head: await head(of), create, records: [], nextDueAt: at(3 * HOUR) };
    expect(await stores.planning.materialise([next], NOON)).toEqual([{ kind: 'materialised' }]);
    expect(expectStatus(await read(key), 'skipped')).toMatchObject({ reason: 'user', dispatchSeq: 0 });
    expect((await read(keyOf(of, at(2 * HOUR))))?.status).toBe('pending');
    expect((await head(of)).nextDueAt).toBe(at(3 * HOUR));
  });

  it('may be an occurrence with a due time of its own', async () => {
    const of = await seedSchedule(stores, [], { head: { nextDueAt: soon } });
    const occurrence = planned(of, soon, { dueAt: at(30 * MINUTE), notes: [{ code: 'moved', message: '' }] });
    expect(
      await stores.occurrences.createAhead({ kind: 'create', occurrence }, await head(of), NOON),
    ).toEqual(DONE);
    const next = { head: await head(of), create: [planned(of, soon)], records: [], nextDueAt: null };
    await stores.planning.materialise([next], NOON);
    expect(await readPending(stores, keyOf(of, soon))).toMatchObject({ dueAt: at(30 * MINUTE) });
  });

  it('is refused when the schedule was edited since, deleted, or the time is accounted for', async () => {
    const of = await seedSchedule(stores, [soon]);
    const key = keyOf(of, soon);
    const seen = await head(of);
    expect(await stores.occurrences.createAhead({ kind: 'skip', key }, seen, NOON)).toEqual(LOST);
    const other = { kind: 'skip', key: keyOf(of, at(2 * HOUR)) } as const;
    expect(await stores.occurrences.createAhead(other, { ...seen, version: 9 }, NOON)).toEqual(LOST);
    expect(await stores.occurrences.createAhead(other, { ...seen, revision: 9 }, NOON)).toEqual(LOST);
    expect((await head(of)).version).toBe(seen.version);
  });
});

describe('unskip', () => {
  it('takes a skip back as the planner would have created it, once', async () => {
    const of = await seedSchedule(stores);
    const key = keyOf(of, at(HOUR));
    await stores.occurrences.createAhead({ kind: 'skip', key }, of, NOON);
    const skipped = expectStatus(await read(key), 'skipped');
    const as = { dueAt: at(HOUR), startBy: at(2 * HOUR), pullQueue: 'q-unskip' };
    expect(await race(3, () => stores.occurrences.unskip(skipped, as))).toBe(1);
    expect(await readPending(stores, key)).toMatchObject({ ...as, firstDueAt: at(HOUR), dispatchSeq: 1 });
    expect(await indexed(key)).toEqual(OPEN_FOR_PULL);
    expect((await claimed(stores, key, at(HOUR))).attempt).toBe(1);
  });

  it('takes a skip of what was pending back too', async () => {
    const { key } = await one(at(MINUTE));
    await stores.occurrences.skip(await readPending(stores, key), 'user', undefined, NOON);
    expect(await indexed(key)).toEqual(FINISHED);
    const skipped = expectStatus(await read(key), 'skipped');
    expect(await stores.occurrences.unskip(skipped, { dueAt: at(MINUTE) })).toEqual(DONE);
    expect(await readPending(stores, key)).toMatchObject({ dispatchSeq: 3, dueAt: at(MINUTE) });
    expect(await indexed(key)).toEqual(OPEN);
  });
});

describe('a pull queue', () => {
  it('shows what is due and pending, oldest first, and only its own', async () => {
    const [late, early, future, other] = [
      await one(at(-SECOND), 'q1'),
      await one(at(-MINUTE), 'q1'),
      await one(at(MINUTE), 'q1'),
      await one(NOON, 'q2'),
    ];
    const keys = async (limit = 10) =>
      (await stores.occurrences.pullable('q1', NOON, limit)).map(occurrenceId);
    expect(await keys()).toEqual([early, late].map(({ key }) => occurrenceId(key)));
    expect(await keys(1)).toEqual([occurrenceId(early.key)]);
    const running = await claimed(stores, early.key, NOON);
    expect(await keys()).toEqual([occurrenceId(late.key)]);
    await stores.occurrences.settle(running, retry(at(MINUTE)), NOON);
    expect(await indexed(early.key)).toEqual(OPEN_FOR_PULL);
    expect(await keys()).toEqual([occurrenceId(late.key)]);
    expect(await stores.occurrences.pullable('q1', at(MINUTE), 10)).toHaveLength(3);
    expect((await read(future.key))?.status).toBe('pending');
    expect((await read(other.key))?.pullQueue).toBe('q2');
  });
});

describe('the list of what needs attention', () => {
  it('has failed and missed ones of a day across schedules, newest first, in pages, until they are replayed', async () => {
    const day = (n: number) => epochMs(Date.UTC(2031, 0, n));
    const keys: OccurrenceKey[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { key } = await one(at(-i));
      const running = await claimed(stores, key, NOON);
      await stores.occurrences.settle(running, failed, epochMs(day(5) + i));
      keys.push(key);
    }
    const of = await seedSchedule(stores);
    const create = [planned(of, NOON, { startBy: at(SECOND) })];
    await stores.planning.materialise([{ head: of, create, records: [], nextDueAt: at(2 * HOUR) }], NOON);
    await stores.occurrences.miss(await readPending(stores, keyOf(of, NOON)), epochMs(day(5) + HOUR));

    const list = (cursor?: string, more = {}) =>
      stores.occurrences.listAttention({
        day: '2031-01-05',
        limit: 4,
        ...(cursor !== undefined && { cursor }),
        ...more,
      });
    const first = await list();
    const second = await list(first.cursor);
    const all = [...first.items, ...second.items];
    expect(all.map(({ status }) => status)).toEqual(['missed', ...Array(5).fill('failed')]);
    expect(new Set(all.map(occurrenceId)).size).toBe(6);
    expect((await list(undefined, { status: 'missed' })).items).toHaveLength(1);
    await expect(list(first.cursor, { day: '2031-01-06' })).rejects.toMatchObject({ code: 'cursor.invalid' });

    await stores.occurrences.replay((await read(keys[0] as OccurrenceKey)) as Occurrence, NOON);
    expect((await list(undefined, { limit: 100 })).items).toHaveLength(5);
  });
});
