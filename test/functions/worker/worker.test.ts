import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceId } from '../../../lambdas/core/ids.ts';
import type { CallResult } from '../../../lambdas/core/ports/target-caller.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { epochMs, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { type WorkDeps, work } from '../../../lambdas/worker/work.ts';
import { at, definition, NOON } from '../../support/fixtures.ts';
import { change, claimed, keyOf, planned, readPending, seedSchedule } from '../../support/seed.ts';
import { openStores, type Stores } from '../../support/stores.ts';
import { LEASE, testWorker } from '../../support/worker.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const ok: CallResult = { kind: 'succeeded', detail: 'HTTP 200' };
const busy: CallResult = { kind: 'failed', retryable: true, detail: 'HTTP 500' };

const messageOf = (of: ScheduleHead, seq = 1, dueAt = NOON) => ({
  id: occurrenceId(keyOf(of, NOON)),
  seq,
  dueAt,
});
const read = (of: ScheduleHead) => stores.occurrences.readOccurrence(keyOf(of, NOON));
const expectedOf = ({ version, nextDueAt }: ScheduleHead) => ({ version, nextDueAt });

describe('a message that is due', () => {
  it('is claimed, called with what the target needs, and settled', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, calls } = testWorker(stores, async () => ok);
    const end = await work(deps, messageOf(of), 'w1');
    expect(end).toMatchObject({ kind: 'succeeded', attempt: 1, startDelayMs: 0 });
    expect(calls).toEqual([
      {
        id: occurrenceId(keyOf(of, NOON)),
        schedule: of.id,
        scheduledTime: NOON,
        previousScheduledTime: at(-MINUTE),
        nextScheduledTime: at(MINUTE),
        isCatchUp: false,
        attempt: 1,
        kind: 'scheduled',
        revision: 1,
        idempotencyKey: expect.stringMatching(/^[0-9a-f]{40}$/),
        fencingToken: 1,
        completionToken: '1.secret',
        input: { hello: 'world' },
      },
    ]);
    expect(await read(of)).toMatchObject({ status: 'succeeded', attempts: [{ outcome: 'succeeded' }] });
  });

  it('starts nothing when it comes a second time, whenever that is', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const first = testWorker(stores, async () => {
      const again = testWorker(stores, async () => ok);
      expect(await work(again.deps, messageOf(of), 'w2')).toMatchObject({
        kind: 'dropped',
        found: 'running',
      });
      expect(again.calls).toEqual([]);
      return ok;
    });
    await work(first.deps, messageOf(of), 'w1');
    const late = testWorker(stores, async () => ok);
    expect(await work(late.deps, messageOf(of), 'w3')).toMatchObject({ kind: 'dropped', found: 'succeeded' });
    expect(late.calls).toEqual([]);
  });

  it('is dropped when the occurrence does not exist', async () => {
    const of = await seedSchedule(stores);
    const { deps } = testWorker(stores, async () => ok);
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'dropped', found: 'absent' });
  });

  it('is unreadable when its id is none', async () => {
    const { deps } = testWorker(stores, async () => ok);
    expect(await work(deps, { id: 'x', seq: 1, dueAt: NOON }, 'w1')).toMatchObject({ kind: 'unreadable' });
  });
});

describe('a message that is early', () => {
  it('by less than two seconds waits until the millisecond that it is due', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, clock, calls } = testWorker(stores, async () => ok);
    clock.set(at(-900));
    const working = work(deps, messageOf(of), 'w1');
    await clock.waiting();
    clock.set(at(-1));
    expect(calls).toEqual([]);
    expect((await read(of))?.status).toBe('pending');
    clock.set(NOON);
    expect(await working).toMatchObject({ kind: 'succeeded', startDelayMs: 0 });
  });

  it('by more is sent on with the delay that is left', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, clock, calls, sentOn } = testWorker(stores, async () => ok);
    clock.set(at(-15 * MINUTE));
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'sent-on' });
    expect(sentOn).toEqual([{ ...messageOf(of), group: 'tests' }]);
    expect(calls).toEqual([]);
  });

  it('stays on the queue when sending it on fails', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, clock } = testWorker(stores, async () => ok);
    clock.set(at(-15 * MINUTE));
    const queue = { send: async () => [{ index: 0, reason: 'Busy' }] };
    await expect(work({ ...deps, queue }, messageOf(of), 'w1')).rejects.toThrow('Busy');
  });

  it('for an occurrence that waits for a retry is dropped when old, sent on when current', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, sentOn } = testWorker(stores, async () => busy);
    await work(deps, messageOf(of), 'w1');
    const { dueAt } = await readPending(stores, keyOf(of, NOON));
    expect(await work(deps, messageOf(of, 1), 'w2')).toMatchObject({ kind: 'dropped', found: 'pending' });
    expect(await work(deps, messageOf(of, 2), 'w3')).toMatchObject({ kind: 'sent-on' });
    expect(sentOn).toEqual([{ ...messageOf(of, 2, dueAt), group: 'tests' }]);
  });
});

describe('a target that fails', () => {
  it('is tried again with the same idempotency key, a larger token and the configured backoff', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, clock, calls } = testWorker(stores, async ({ attempt }) => (attempt < 3 ? busy : ok));
    const delays: number[] = [];
    for (let seq = 1; seq <= 3; seq += 1) {
      const before = clock.now();
      if (seq > 1) {
        const { dueAt } = await readPending(stores, keyOf(of, NOON));
        delays.push(dueAt - before);
        clock.set(dueAt);
      }
      await work(deps, messageOf(of, seq, clock.now()), `w${seq}`);
    }
    expect(delays).toEqual([5 * SECOND, 10 * SECOND]);
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(calls.map(({ attempt, fencingToken }) => [attempt, fencingToken])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    const done = await read(of);
    expect(done).toMatchObject({ status: 'succeeded', attempt: 3, startedAt: NOON });
    expect(done?.attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['failed', 'HTTP 500'],
      ['failed', 'HTTP 500'],
      ['succeeded', 'HTTP 200'],
    ]);
  });

  it('ends failed when attempts are used up', async () => {
    const retry = { ...definition().retry, maxAttempts: 1 };
    const of = await seedSchedule(stores, [NOON], { definition: { retry } });
    const { deps } = testWorker(stores, async () => busy);
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'failed' });
    expect(await read(of)).toMatchObject({ status: 'failed', reason: 'attempts-exhausted' });
  });

  it('ends failed at once when trying again cannot help', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps } = testWorker(stores, async () => ({
      kind: 'failed',
      retryable: false,
      detail: 'HTTP 400',
    }));
    await work(deps, messageOf(of), 'w1');
    expect(await read(of)).toMatchObject({ status: 'failed', reason: 'not-retryable', attempt: 1 });
  });

  it('and asks for a longer wait than the policy allows says so', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const asking = { ...busy, detail: `HTTP 503: ${'x'.repeat(180)}`, retryAfterMs: 48 * 60 * MINUTE };
    const { deps } = testWorker(stores, async () => asking);
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'failed' });
    expect(await read(of)).toMatchObject({
      status: 'failed',
      reason: 'max-age',
      attempts: [
        {
          detail: expect.stringMatching(
            /^HTTP 503: x+ Retry-After asks for P2D, beyond retry.maxAge \(PT24H\)\.$/,
          ),
        },
      ],
    });
  });

  it('with an exception counts as a failed attempt that may be tried again', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps } = testWorker(stores, () => Promise.reject(new Error('boom')));
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'retry', detail: 'boom' });
  });

  it('to answer in time is aborted and recorded as timed out', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT5S' } });
    const { deps } = testWorker(
      stores,
      (_, signal, clock) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () =>
            resolve({ kind: 'failed', retryable: true, detail: 'aborted' }),
          );
          clock.set(at(5 * SECOND));
        }),
    );
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'retry' });
    expect((await read(of))?.attempts).toMatchObject([{ outcome: 'timed-out', finishedAt: at(5 * SECOND) }]);
  });
});

describe('a client that ignores the abort', () => {
  const deaf = () => new Promise<CallResult>(() => {});

  it('does not keep an attempt going beyond its timeout', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT5S' } });
    const { deps, clock } = testWorker(stores, deaf);
    const working = work(deps, messageOf(of), 'w1');
    await clock.waiting(at(5 * SECOND));
    clock.set(at(5 * SECOND));
    await clock.waiting(at(6 * SECOND));
    clock.set(at(6 * SECOND));
    expect(await working).toMatchObject({ kind: 'retry', detail: 'timed out after PT5S' });
    expect((await read(of))?.attempts).toMatchObject([{ outcome: 'timed-out' }]);
  });

  it('does not keep an attempt going that somebody asked to stop', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT10M' } });
    const asked = Promise.withResolvers<void>();
    const { deps, clock } = testWorker(stores, async () => {
      await stores.occurrences.requestCancel(keyOf(of, NOON), 'user');
      asked.resolve();
      return deaf();
    });
    const working = work(deps, messageOf(of), 'w1');
    // A renewal that comes before it would not know.
    await asked.promise;
    for (const second of [LEASE / 3, LEASE / 3 + SECOND]) {
      await clock.waiting(at(second));
      clock.set(at(second));
    }
    expect(await working).toMatchObject({ kind: 'cancelled', reason: 'user' });
  });

  it('and fails long after the attempt has ended disturbs nobody', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT5S' } });
    let fail = (_: Error) => {};
    const { deps, clock } = testWorker(stores, () => new Promise((_, reject) => (fail = reject)));
    const working = work(deps, messageOf(of), 'w1');
    for (const second of [5, 6]) {
      await clock.waiting(at(second * SECOND));
      clock.set(at(second * SECOND));
    }
    await working;
    fail(new Error('too late'));
    await new Promise(setImmediate);
    expect((await read(of))?.attempts).toMatchObject([{ detail: 'timed out after PT5S' }]);
  });
});

describe('the lease', () => {
  it('is renewed at a third of its time for as long as the target runs', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT10M' } });
    const expiries: number[] = [];
    const { deps, clock } = testWorker(stores, async () => {
      for (let third = 1; third <= 4; third += 1) {
        const renewed = nextRenewal();
        await clock.waiting(clock.now() + LEASE / 3);
        clock.advance(LEASE / 3);
        await renewed;
      }
      return ok;
    });
    let notify = () => {};
    const nextRenewal = () => new Promise<void>((resolve) => (notify = resolve));
    const occurrences: WorkDeps['occurrences'] = {
      ...stores.occurrences,
      async renew(running, expiresAt, now) {
        const result = await stores.occurrences.renew(running, expiresAt, now);
        expiries.push(expiresAt);
        notify();
        return result;
      },
    };
    expect(await work({ ...deps, occurrences }, messageOf(of), 'w1')).toMatchObject({ kind: 'succeeded' });
    expect(expiries).toEqual([1, 2, 3, 4].map((third) => at((third * LEASE) / 3 + LEASE)));
  });

  it('that ran out before the call leaves the attempt to the sweep: the target is not called', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, clock, calls } = testWorker(stores, async () => ok);
    const schedules = {
      ...stores.schedules,
      readHead: async (id: ScheduleHead['id']) => {
        const head = await stores.schedules.readHead(id);
        clock.advance(LEASE);
        return head;
      },
    };
    expect(await work({ ...deps, schedules }, messageOf(of), 'w1')).toMatchObject({ kind: 'lost-lease' });
    expect(calls).toEqual([]);
    expect((await read(of))?.status).toBe('running');
  });

  it('is given up when it ends although the store never answers, and the target is aborted by then', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT10M' } });
    let abortedAt = 0;
    const { deps, clock } = testWorker(
      stores,
      (_, signal, time) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            abortedAt = time.now();
            resolve(ok);
          });
          void time.waiting(time.now() + LEASE / 3).then(() => time.advance(LEASE / 3));
        }),
    );
    const asked = Promise.withResolvers<void>();
    const occurrences: WorkDeps['occurrences'] = {
      ...stores.occurrences,
      renew() {
        asked.resolve();
        return new Promise(() => {});
      },
    };
    const working = work({ ...deps, occurrences }, messageOf(of), 'w1');
    await asked.promise;
    await clock.waiting(at(LEASE));
    clock.set(at(LEASE));
    expect(await working).toMatchObject({ kind: 'lost-lease' });
    expect(abortedAt).toBe(at(LEASE));
  });

  it('once lost aborts the call, and the worker writes nothing', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT10M' } });
    const { deps } = testWorker(
      stores,
      (_, signal, clock) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(ok));
          // A sweep takes the attempt for dead, then the next renewal finds out.
          void stores.occurrences.readOccurrence(keyOf(of, NOON)).then(async (running) => {
            if (running?.status !== 'running') throw new Error('not running');
            const record = {
              attempt: 1,
              startedAt: NOON,
              finishedAt: at(1),
              outcome: 'lease-expired' as const,
            };
            await stores.occurrences.expire(running, { kind: 'retry', record, dueAt: at(MINUTE) }, at(1));
            clock.advance(LEASE / 3);
          });
        }),
    );
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'lost-lease' });
    expect(await read(of)).toMatchObject({
      status: 'pending',
      attempt: 1,
      attempts: [{ outcome: 'lease-expired' }],
    });
  });

  it('that cannot be renewed until it runs out aborts the call', async () => {
    const of = await seedSchedule(stores, [NOON], { definition: { timeout: 'PT10M' } });
    const { deps } = testWorker(
      stores,
      (_, signal, clock) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(ok));
          void (async () => {
            while (!signal.aborted) {
              await clock.waiting();
              clock.advance(LEASE / 3);
              await new Promise(setImmediate);
            }
          })();
        }),
    );
    const occurrences = { ...stores.occurrences, renew: () => Promise.reject(new Error('throttled')) };
    expect(await work({ ...deps, occurrences }, messageOf(of), 'w1')).toMatchObject({ kind: 'lost-lease' });
    expect((await read(of))?.status).toBe('running');
  });
});

describe('an occurrence of a definition that is no longer in force', () => {
  // The change of the head commits and the cancel of the occurrence does not: a process that died between two
  // transactions, or an index that did not show it. The worker must not start it all the same.
  it.each([
    ['edited', { revision: 2, version: 2 }, 'superseded'],
    ['paused', { state: 'paused', version: 2, nextDueAt: null }, 'paused'],
    ['deleted', { state: 'deleted', version: 2, nextDueAt: null }, 'deleted'],
  ] as const)('is cancelled and not started once its schedule was %s', async (_, next, reason) => {
    const of = await seedSchedule(stores, [NOON]);
    await stores.schedules.applyChange(change({ ...of, ...next }, { expected: expectedOf(of) }));
    const { deps, calls } = testWorker(stores, async () => ok);
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'not-in-force', reason });
    expect(calls).toEqual([]);
    expect(await read(of)).toMatchObject({ status: 'cancelled', reason, attempt: 0 });
  });

  it('is not started when the change comes between its claim and its call', async () => {
    const of = await seedSchedule(stores, [NOON]);
    const { deps, calls } = testWorker(stores, async () => ok);
    const occurrences: WorkDeps['occurrences'] = {
      ...stores.occurrences,
      async claim(...args) {
        const result = await stores.occurrences.claim(...args);
        await stores.schedules.applyChange(
          change({ ...of, state: 'paused', version: 2, nextDueAt: null }, { expected: expectedOf(of) }),
        );
        return result;
      },
    };
    expect(await work({ ...deps, occurrences }, messageOf(of), 'w1')).toMatchObject({ kind: 'not-in-force' });
    expect(calls).toEqual([]);
  });
});

describe('a start deadline that has passed', () => {
  it('makes the occurrence missed, not late', async () => {
    const of = await seedSchedule(stores);
    const late = planned(of, NOON, { startBy: at(SECOND) });
    await stores.planning.materialise(
      [{ head: of, create: [late], records: [], nextDueAt: at(61 * MINUTE) }],
      NOON,
    );
    const { deps, clock, calls } = testWorker(stores, async () => ok);
    clock.set(at(2 * SECOND));
    expect(await work(deps, messageOf(of), 'w1')).toMatchObject({ kind: 'missed' });
    expect(calls).toEqual([]);
    expect(await read(of)).toMatchObject({ status: 'missed', reason: 'start-deadline' });
  });

  it('does not stop the retry of one that started in time', async () => {
    const of = await seedSchedule(stores);
    const planned1 = planned(of, NOON, { startBy: at(SECOND) });
    await stores.planning.materialise(
      [{ head: of, create: [planned1], records: [], nextDueAt: at(61 * MINUTE) }],
      NOON,
    );
    const { deps, clock } = testWorker(stores, async ({ attempt }) => (attempt === 1 ? busy : ok));
    await work(deps, messageOf(of), 'w1');
    const { dueAt } = await readPending(stores, keyOf(of, NOON));
    clock.set(dueAt);
    expect(await work(deps, messageOf(of, 2, dueAt), 'w2')).toMatchObject({ kind: 'succeeded' });
  });
});

describe('a worker that dies', () => {
  it.each(['claim', 'settle'] as const)(
    'before or after its %s leaves an occurrence that can be run again',
    async (step) => {
      for (const when of ['before', 'after'] as const) {
        const of = await seedSchedule(stores, [NOON]);
        const { deps } = testWorker(stores, async () => ok);
        const occurrences: WorkDeps['occurrences'] = {
          ...stores.occurrences,
          [step]: async (...args: never[]) => {
            if (when === 'after')
              await (stores.occurrences[step] as (...all: never[]) => Promise<unknown>)(...args);
            throw new Error('died');
          },
        };
        await expect(work({ ...deps, occurrences }, messageOf(of), 'w1')).rejects.toThrow('died');
        const left = await read(of);
        const expected =
          step === 'claim'
            ? { before: 'pending', after: 'running' }
            : { before: 'running', after: 'succeeded' };
        expect(left?.status).toBe(expected[when]);
        if (left?.status === 'pending') {
          expect((await claimed(stores, keyOf(of, NOON), NOON, 'w2')).attempt).toBe(1);
        } else if (left?.status === 'running') {
          expect(left.lease.expiresAt).toBe(epochMs(NOON + LEASE));
        }
      }
    },
  );
});
