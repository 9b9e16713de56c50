import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OccurrenceKey } from '../../lambdas/core/ids.ts';
import type { RunningOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import type { Settlement } from '../../lambdas/core/ports/occurrence-store.ts';
import { epochMs, MINUTE, SECOND } from '../../lambdas/core/time.ts';
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
import { openIn } from '../support/sweep.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const lease = (holder: string) => ({ holder, expiresAt: at(MINUTE) });
const record = (running: RunningOccurrence, outcome: 'succeeded' | 'failed') => ({
  attempt: running.attempt,
  startedAt: running.attemptStartedAt,
  finishedAt: at(SECOND),
  outcome,
  detail: 'HTTP 200',
});

async function pendingOne(): Promise<OccurrenceKey> {
  return keyOf(await seedSchedule(stores, [NOON]), NOON);
}

describe('claim', () => {
  it('gives a lease, the first attempt and the first fencing token', async () => {
    const key = await pendingOne();
    const running = await claimed(stores, key, NOON, 'w1');
    expect(running).toMatchObject({
      status: 'running',
      attempt: 1,
      fencingToken: 1,
      startedAt: NOON,
      lease: { holder: 'w1', expiresAt: at(MINUTE) },
    });
    expect(await stores.occurrences.readOccurrence(key)).toEqual(running);
  });

  it('is won by one of many at once', async () => {
    const key = await pendingOne();
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, i) => stores.occurrences.claim(dispatched(key), lease(`w${i}`), NOON)),
    );
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    const losers = claims.filter((claim) => claim.kind === 'not-claimable');
    expect(losers.every(({ occurrence }) => occurrence?.status === 'running')).toBe(true);
  });

  it('is refused before it is due', async () => {
    const key = await pendingOne();
    expect(await stores.occurrences.claim(dispatched(key), lease('w'), at(-1))).toMatchObject({
      kind: 'not-claimable',
      occurrence: { status: 'pending' },
    });
  });

  it('is refused for what does not exist', async () => {
    const absent = { ...(await pendingOne()), scheduledTime: at(5 * MINUTE) };
    expect(await stores.occurrences.claim(dispatched(absent), lease('w'), NOON)).toEqual({
      kind: 'not-claimable',
      occurrence: undefined,
    });
  });

  it('is refused past the start deadline, and the occurrence can then be missed once', async () => {
    const of = await seedSchedule(stores);
    const late = planned(of, NOON, { startBy: at(30 * SECOND) });
    const head = await stores.schedules.readHead(of.id);
    if (!head) throw new Error('no head');
    await stores.planning.materialise(
      [{ head, create: [late], records: [], nextDueAt: at(120 * MINUTE) }],
      NOON,
    );
    const claim = await stores.occurrences.claim(dispatched(late), lease('w'), at(31 * SECOND));
    const pending = expectStatus(claim.kind === 'not-claimable' ? claim.occurrence : undefined, 'pending');
    expect(await stores.occurrences.miss(pending, at(30 * SECOND))).toEqual({ kind: 'lost-lease' });
    expect(await stores.occurrences.miss(pending, at(31 * SECOND))).toEqual({ kind: 'done' });
    expect(await stores.occurrences.miss(pending, at(31 * SECOND))).toEqual({ kind: 'lost-lease' });
    expect(await stores.occurrences.readOccurrence(late)).toMatchObject({
      status: 'missed',
      reason: 'start-deadline',
    });
  });

  it('is made once under a sequence: a copy of its message that comes while a retry waits starts nothing', async () => {
    const key = await pendingOne();
    const first = await claimed(stores, key, NOON);
    const retry = { kind: 'retry', record: record(first, 'failed'), dueAt: at(5 * SECOND) } as const;
    await stores.occurrences.settle(first, retry, at(SECOND));
    const copy = await stores.occurrences.claim(dispatched(key), lease('w2'), at(5 * SECOND));
    expect(copy).toMatchObject({ kind: 'not-claimable', occurrence: { status: 'pending', dispatchSeq: 2 } });
    expect((await claimed(stores, key, at(5 * SECOND))).attempt).toBe(2);
  });

  it('is recognised by its holder when its answer was lost and it is sent again, and by nobody else', async () => {
    const key = await pendingOne();
    const first = await stores.occurrences.claim(dispatched(key), lease('w1'), NOON);
    expect(await stores.occurrences.claim(dispatched(key), lease('w1'), NOON)).toEqual(first);
    const other = await stores.occurrences.claim(dispatched(key), lease('w2'), NOON);
    expect(other.kind).toBe('not-claimable');
  });

  it('is not given for an expired lease: the sweep ends that attempt first', async () => {
    const key = await pendingOne();
    await claimed(stores, key, NOON);
    const again = await stores.occurrences.claim(dispatched(key), lease('w2'), at(10 * MINUTE));
    expect(again).toMatchObject({ kind: 'not-claimable', occurrence: { status: 'running' } });
  });
});

describe('settle', () => {
  it('ends a successful attempt and takes the occurrence out of the open index', async () => {
    const key = await pendingOne();
    const running = await claimed(stores, key, NOON);
    const settlement = { kind: 'succeeded', record: record(running, 'succeeded') } as const;
    expect(await stores.occurrences.settle(running, settlement, at(SECOND))).toEqual({ kind: 'done' });
    expect(await stores.occurrences.readOccurrence(key)).toMatchObject({
      status: 'succeeded',
      finishedAt: at(SECOND),
      attempts: [settlement.record],
    });
    expect(await openKeys(stores)).not.toContain(`${key.schedule}@${key.scheduledTime}`);
  });

  it('is recognised when its answer was lost and it is sent again', async () => {
    for (const kind of ['succeeded', 'retry', 'cancelled'] as const) {
      const running = await claimed(stores, await pendingOne(), NOON);
      const ends = {
        succeeded: { kind, record: record(running, 'succeeded') } as const,
        retry: { kind, record: record(running, 'failed'), dueAt: at(5 * SECOND) } as const,
        cancelled: { kind, reason: 'user' } as const,
      };
      const once = await stores.occurrences.settle(running, ends[kind] as Settlement, at(SECOND));
      const after = await stores.occurrences.readOccurrence(running);
      expect(await stores.occurrences.settle(running, ends[kind] as Settlement, at(SECOND))).toEqual(once);
      expect(await stores.occurrences.readOccurrence(running)).toEqual(after);
    }
  });

  it('is done once: another one, and one with an older token, change nothing', async () => {
    const key = await pendingOne();
    const first = await claimed(stores, key, NOON);
    const retry = { kind: 'retry', record: record(first, 'failed'), dueAt: at(5 * SECOND) } as const;
    expect(await stores.occurrences.settle(first, retry, at(SECOND))).toEqual({ kind: 'done' });
    const other = { ...retry, record: { ...retry.record, finishedAt: at(2 * SECOND) } };
    expect(await stores.occurrences.settle(first, other, at(2 * SECOND))).toEqual({ kind: 'lost-lease' });
    const second = await claimed(stores, key, at(5 * SECOND), 'w2');
    const late = { kind: 'succeeded', record: record(first, 'succeeded') } as const;
    expect(await stores.occurrences.settle(first, late, at(6 * SECOND))).toEqual({ kind: 'lost-lease' });
    expect(await stores.occurrences.readOccurrence(key)).toEqual(second);
  });

  it('sends a failed attempt back to pending with a new dispatch_seq, a later due time and a growing token', async () => {
    const key = await pendingOne();
    const first = await claimed(stores, key, NOON);
    await stores.occurrences.settle(
      first,
      { kind: 'retry', record: record(first, 'failed'), dueAt: at(5 * SECOND) },
      at(SECOND),
    );
    expect(await readPending(stores, key)).toMatchObject({
      dispatchSeq: 2,
      dueAt: at(5 * SECOND),
      firstDueAt: NOON,
    });
    expect((await stores.occurrences.claim(dispatched(key, 2), lease('w'), at(4 * SECOND))).kind).toBe(
      'not-claimable',
    );
    const second = await claimed(stores, key, at(5 * SECOND));
    expect(second).toMatchObject({
      attempt: 2,
      fencingToken: 2,
      startedAt: NOON,
      attemptStartedAt: at(5 * SECOND),
    });
  });

  it('records a failure with its reason', async () => {
    const key = await pendingOne();
    const running = await claimed(stores, key, NOON);
    const failed = {
      kind: 'failed',
      record: record(running, 'failed'),
      reason: 'attempts-exhausted',
    } as const;
    await stores.occurrences.settle(running, failed, at(SECOND));
    expect(await stores.occurrences.readOccurrence(key)).toMatchObject({
      status: 'failed',
      reason: 'attempts-exhausted',
    });
  });

  it('takes back the attempt of one that was cancelled before its target was called', async () => {
    const key = await pendingOne();
    const running = await claimed(stores, key, NOON);
    await stores.occurrences.settle(running, { kind: 'cancelled', reason: 'paused' }, at(1));
    expect(await stores.occurrences.readOccurrence(key)).toMatchObject({
      status: 'cancelled',
      reason: 'paused',
      attempt: 0,
      attempts: [],
    });
  });
});

describe('renew and expire', () => {
  it('a renewed lease is not expired by a sweep that saw the old one', async () => {
    const key = await pendingOne();
    const running = await claimed(stores, key, NOON);
    expect(await stores.occurrences.renew(running, at(2 * MINUTE), at(SECOND))).toEqual({ kind: 'done' });
    const settlement = { kind: 'retry', record: record(running, 'failed'), dueAt: at(3 * MINUTE) } as const;
    expect(await stores.occurrences.expire(running, settlement, at(90 * SECOND))).toEqual({
      kind: 'lost-lease',
    });
    expect(await stores.occurrences.readOccurrence(key)).toMatchObject({
      status: 'running',
      lease: { expiresAt: at(2 * MINUTE) },
    });
  });

  it('a lease that has expired is not renewed, although nobody has ended the attempt yet', async () => {
    const running = await claimed(stores, await pendingOne(), NOON);
    expect(await stores.occurrences.renew(running, at(3 * MINUTE), at(MINUTE + 1))).toEqual({
      kind: 'lost-lease',
    });
    expect(await stores.occurrences.renew(running, at(2 * MINUTE), at(MINUTE))).toEqual({ kind: 'done' });
  });

  it('a renewal that arrives late takes nothing back from a later one', async () => {
    const key = await pendingOne();
    const running = await claimed(stores, key, NOON);
    await stores.occurrences.renew(running, at(90 * SECOND), at(30 * SECOND));
    expect(await stores.occurrences.renew(running, at(80 * SECOND), at(20 * SECOND))).toEqual({
      kind: 'done',
    });
    expect(await stores.occurrences.readOccurrence(key)).toMatchObject({
      lease: { expiresAt: at(90 * SECOND) },
    });
  });

  it('an expired one goes back to pending, and its old holder can neither renew nor settle', async () => {
    const key = await pendingOne();
    const running = await claimed(stores, key, NOON);
    const settlement = { kind: 'retry', record: record(running, 'failed'), dueAt: at(2 * MINUTE) } as const;
    expect(await stores.occurrences.expire(running, settlement, at(MINUTE + 1))).toEqual({ kind: 'done' });
    expect(await stores.occurrences.renew(running, at(5 * MINUTE), at(SECOND))).toEqual({
      kind: 'lost-lease',
    });
    const late = { kind: 'succeeded', record: record(running, 'succeeded') } as const;
    expect(await stores.occurrences.settle(running, late, at(MINUTE + 2))).toEqual({ kind: 'lost-lease' });
    expect(await readPending(stores, key)).toMatchObject({ dispatchSeq: 2, dueAt: at(2 * MINUTE) });
  });
});

describe('redispatch', () => {
  it('sends it once for two sweeps at once, and leaves dispatch_seq, so that the first message stays good', async () => {
    const key = await pendingOne();
    const pending = await readPending(stores, key);
    const both = await Promise.all(
      [1, 2].map(() => stores.occurrences.redispatch(pending, at(MINUTE), 'overdue')),
    );
    expect(both.map(({ kind }) => kind).sort()).toEqual(['done', 'lost-lease']);
    expect(await readPending(stores, key)).toMatchObject({
      dispatchSeq: 1,
      sends: 1,
      redispatches: 1,
      redispatchedAt: at(MINUTE),
    });
    expect((await claimed(stores, key, at(MINUTE))).attempt).toBe(1);
  });
});

describe('what a sweep looks at', () => {
  it('lists what is not terminal and due, oldest first, whatever the page size', async () => {
    const own = await openStores({ shardCount: 1 });
    try {
      const times = Array.from({ length: 150 }, (_, i) => epochMs(NOON + i * SECOND));
      const first = await seedSchedule(own, times.slice(0, 75));
      await seedSchedule(own, times.slice(75));
      const running = await claimed(own, keyOf(first, NOON), NOON);
      const done = await claimed(own, keyOf(first, at(SECOND)), at(SECOND));
      await own.occurrences.settle(
        done,
        { kind: 'succeeded', record: record(done, 'succeeded') },
        at(SECOND),
      );
      const listed = (await openIn(own.open, 0, at(120 * SECOND))).filter(
        ({ dueAt }) => dueAt <= at(120 * SECOND),
      );
      expect(listed.map(({ dueAt }) => dueAt)).toEqual(
        times.filter((time) => time <= at(120 * SECOND) && time !== at(SECOND)),
      );
      expect(listed[0]).toEqual(running);
    } finally {
      await own.close();
    }
  });
});

async function openKeys(of: Stores): Promise<string[]> {
  const keys: string[] = [];
  for (let shard = 0; shard < of.shardCount; shard += 1) {
    const open = await openIn(of.open, shard, at(1_000 * MINUTE));
    keys.push(...open.map(({ schedule, scheduledTime }) => `${schedule}@${scheduledTime}`));
  }
  return keys;
}
