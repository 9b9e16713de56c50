import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OccurrenceKey, occurrenceId } from '../../../lambdas/core/ids.ts';
import type { CallResult, Invocation } from '../../../lambdas/core/ports/target-caller.ts';
import type { Definition } from '../../../lambdas/core/schedule/definition.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import type { EpochMs } from '../../../lambdas/core/time.ts';
import { work } from '../../../lambdas/worker/work.ts';
import { testClock } from '../../support/clock.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { expectStatus, keyOf, messageOf, readPending, seedSchedule } from '../../support/seed.ts';
import { openStores, type Stores } from '../../support/stores.ts';
import { LEASE, testWorker } from '../../support/worker.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const ok: CallResult = { kind: 'succeeded' };
const times = [at(-3), at(-2), at(-1), NOON];

/** A schedule with four occurrences that are due, whose target runs until it is told to end or aborted. */
async function longRunning(definition: Partial<Definition>, times4 = times) {
  const of = await seedSchedule(stores, times4, { definition: { timeout: 'PT10M', ...definition } });
  return running(of);
}

function running(of: ScheduleHead) {
  const clock = testClock(NOON);
  const ends = new Map<string, () => void>();
  let notify = () => {};
  const answer = ({ id }: Invocation, signal: AbortSignal) =>
    new Promise<CallResult>((resolve) => {
      ends.set(id, () => resolve(ok));
      signal.addEventListener('abort', () => resolve({ kind: 'failed', retryable: true, detail: 'aborted' }));
      notify();
    });
  const worker = testWorker(stores, answer, clock);
  const keys = times.map((time) => keyOf(of, time));
  const message = (key: OccurrenceKey) => messageOf(stores, occurrenceId(key), key.scheduledTime);
  return {
    of,
    clock,
    keys: keys as [OccurrenceKey, OccurrenceKey, OccurrenceKey, OccurrenceKey],
    /** Starts one and resolves once its target runs. */
    async begin(key: OccurrenceKey) {
      const called = new Promise<void>((resolve) => (notify = resolve));
      const done = message(key).then((one) => work(worker.deps, one, `w-${key.scheduledTime}`));
      await Promise.race([called, done]);
      return { done, end: () => ends.get(occurrenceId(key))?.() };
    },
    try: async (key: OccurrenceKey) => work(worker.deps, await message(key), `w-${key.scheduledTime}`),
    calls: worker.calls,
  };
}

const status = async (key: OccurrenceKey) => (await stores.occurrences.readOccurrence(key))?.status;

describe('overlap', () => {
  it('allow: runs side by side', async () => {
    const { keys, begin, calls } = await longRunning({ overlap: 'allow' });
    const both = [await begin(keys[0]), await begin(keys[1])];
    expect(calls).toHaveLength(2);
    for (const { end, done } of both) {
      end();
      expect((await done).kind).toBe('succeeded');
    }
  });

  it('skip: records what was skipped and the occurrence that was in the way', async () => {
    const { keys, begin, try: attempt, calls } = await longRunning({ overlap: 'skip' });
    const first = await begin(keys[0]);
    expect(await attempt(keys[1])).toMatchObject({ kind: 'skipped', by: occurrenceId(keys[0]) });
    expect(calls).toHaveLength(1);
    expect(expectStatus(await stores.occurrences.readOccurrence(keys[1]), 'skipped')).toMatchObject({
      reason: 'overlap',
      blockedBy: occurrenceId(keys[0]),
    });
    first.end();
    await first.done;
    const next = await begin(keys[2]);
    next.end();
    expect((await next.done).kind).toBe('succeeded');
  });

  it('buffer-one: lets one wait, skips the others, and starts the one when the slot is free', async () => {
    const { keys, begin, try: attempt } = await longRunning({ overlap: 'buffer-one' });
    const first = await begin(keys[0]);
    expect(await attempt(keys[1])).toMatchObject({ kind: 'waiting' });
    expect(await attempt(keys[2])).toMatchObject({ kind: 'skipped', by: occurrenceId(keys[1]) });
    first.end();
    await first.done;
    expect((await readPending(stores, keys[1])).waitingFor).toBeUndefined();
    const second = await begin(keys[1]);
    second.end();
    expect((await second.done).kind).toBe('succeeded');
  });

  it('buffer-all: lets all wait and wakes them oldest first', async () => {
    const { keys, begin, try: attempt } = await longRunning({ overlap: 'buffer-all' });
    let current = await begin(keys[0]);
    for (const key of [keys[3], keys[1], keys[2]]) expect((await attempt(key)).kind).toBe('waiting');
    for (const next of [keys[1], keys[2], keys[3]]) {
      current.end();
      await current.done;
      expect((await readPending(stores, next)).waitingFor).toBeUndefined();
      current = await begin(next);
    }
    current.end();
    expect((await current.done).kind).toBe('succeeded');
  });

  it('cancel-other: stops the one that runs at its next renewal and starts after it', async () => {
    const { keys, begin, try: attempt, clock } = await longRunning({ overlap: 'cancel-other' });
    const first = await begin(keys[0]);
    expect((await attempt(keys[1])).kind).toBe('waiting');
    await clock.waiting(clock.now() + LEASE / 3);
    clock.advance(LEASE / 3);
    expect(await first.done).toMatchObject({ kind: 'cancelled', reason: 'overlap' });
    expect(expectStatus(await stores.occurrences.readOccurrence(keys[0]), 'cancelled')).toMatchObject({
      reason: 'overlap',
      attempts: [{ outcome: 'cancelled' }],
    });
    expect((await readPending(stores, keys[1])).waitingFor).toBeUndefined();
    const second = await begin(keys[1]);
    second.end();
    expect((await second.done).kind).toBe('succeeded');
  });

  it('cancel-other: the newest takes the place of what waited before it', async () => {
    const { keys, begin, try: attempt } = await longRunning({ overlap: 'cancel-other' });
    const first = await begin(keys[0]);
    await attempt(keys[1]);
    expect((await attempt(keys[2])).kind).toBe('waiting');
    expect(expectStatus(await stores.occurrences.readOccurrence(keys[1]), 'skipped').blockedBy).toBe(
      occurrenceId(keys[2]),
    );
    first.end();
    await first.done;
    expect(await status(keys[2])).toBe('pending');
  });
});

describe('a shared concurrency key', () => {
  it('bounds what several schedules run together, and makes the rest wait whatever their overlap policy', async () => {
    const concurrency = { key: 'database', limit: 2 };
    const all = [];
    for (let i = 0; i < 3; i += 1) all.push(await longRunning({ overlap: 'skip', concurrency }));
    const [a, b, c] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
    const [first, second] = [await a.begin(a.keys[0]), await b.begin(b.keys[0])];
    expect(await c.try(c.keys[0])).toMatchObject({ kind: 'waiting', slot: 'key:database' });
    second.end();
    await second.done;
    expect((await readPending(stores, c.keys[0])).waitingFor).toBeUndefined();
    const third = await c.begin(c.keys[0]);
    for (const { end, done } of [first, third]) {
      end();
      expect((await done).kind).toBe('succeeded');
    }
  });
});

describe('a failed attempt', () => {
  it('keeps its schedule to itself while it waits for the next, and gives back what it shares', async () => {
    const concurrency = { key: 'shared-by-two', limit: 1 };
    const of = await seedSchedule(stores, times, { definition: { overlap: 'skip', concurrency } });
    const other = await seedSchedule(stores, times, { definition: { overlap: 'allow', concurrency } });
    const due = (schedule: ScheduleHead, time: EpochMs) =>
      messageOf(stores, occurrenceId(keyOf(schedule, time)), time);
    const failing = testWorker(stores, async () => ({ kind: 'failed', retryable: true, detail: 'HTTP 500' }));
    expect((await work(failing.deps, await due(of, at(-3)), 'w1')).kind).toBe('retry');
    const good = testWorker(stores, async () => ok);
    expect(await work(good.deps, await due(of, at(-2)), 'w2')).toMatchObject({
      kind: 'skipped',
      by: occurrenceId(keyOf(of, at(-3))),
    });
    expect((await work(good.deps, await due(other, at(-2)), 'w3')).kind).toBe('succeeded');
    good.clock.set((await readPending(stores, keyOf(of, at(-3)))).dueAt);
    expect((await work(good.deps, await due(of, at(-3)), 'w4')).kind).toBe('succeeded');
  });
});
