import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceId, type ScheduleId } from '../../../../lambdas/core/ids.ts';
import { LEASE_SKEW } from '../../../../lambdas/core/occurrence/overdue.ts';
import type { CallResult, Invocation } from '../../../../lambdas/core/ports/target-caller.ts';
import type { Definition } from '../../../../lambdas/core/schedule/definition.ts';
import { epochMs, HOUR, MINUTE, SECOND, toIso } from '../../../../lambdas/core/time.ts';
import { sweep } from '../../../../lambdas/sweep/sweep.ts';
import { work } from '../../../../lambdas/worker/work.ts';
import { at, definition, NOON } from '../../../support/fixtures.ts';
import { keyOf, planned, seedSchedule } from '../../../support/seed.ts';
import { sweepDeps } from '../../../support/sweep.ts';
import { testWorker } from '../../../support/worker.ts';
import { openApi, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => {
  api.clock.set(NOON);
  api.counted.clear();
});
afterAll(() => api.close());

const ACCEPTED: CallResult = { kind: 'accepted', detail: 'HTTP 202' };
const retry = { ...definition().retry, initialDelay: 'PT10S' };

async function seeded(changes: Partial<Definition>, times = [NOON]) {
  const of = await seedSchedule(api.stores, times, {
    definition: { retry, heartbeatTimeout: 'PT5M', ...changes },
  });
  const [key] = times.map((time) => keyOf(of, time));
  if (!key) throw new Error('There is no occurrence.');
  return { of, key, id: occurrenceId(key) };
}

/** An occurrence whose target said that it goes on, and the token it was given. */
async function detached(changes: Partial<Definition> = {}, secret = 'a-secret') {
  const made = await seeded(changes);
  const { deps, calls } = testWorker(api.stores, async () => ACCEPTED, api.clock);
  const message = { id: made.id, seq: 1, dueAt: NOON };
  const end = await work({ ...deps, newSecret: () => secret }, message, 'worker-1');
  expect(end.kind).toBe('accepted');
  return { ...made, token: (calls[0] as Invocation).completionToken ?? '' };
}

const say = (id: string, verb: string, completionToken: string, more = {}) =>
  api.post(`/occurrences/${id}/${verb}`, { completionToken, ...more });
const read = async (id: string) => (await api.get(`/occurrences/${id}`)).body;

async function sweepAt(time: number) {
  api.clock.set(epochMs(time));
  return sweep(sweepDeps(api.stores, api.clock.now, { stopAt: at(100 * HOUR) }), {
    shards: [0, 1, 2, 3],
    reissue: false,
  });
}

describe('an attempt that its target took on', () => {
  it('runs on under its lease until it is completed, once', async () => {
    const { id, token } = await detached();
    expect(await read(id)).toMatchObject({ status: 'running', leaseExpiresAt: toIso(at(5 * MINUTE)) });
    api.clock.advance(MINUTE);
    const done = await say(id, 'complete', token, { output: { rows: 3 } });
    expect(done).toMatchObject({
      status: 200,
      body: { status: 'succeeded', attempts: [{ outcome: 'succeeded', detail: '{"rows":3}' }] },
    });
    expect(JSON.stringify(done.body)).not.toContain('a-secret');
    api.clock.advance(MINUTE);
    const again = await say(id, 'complete', token);
    expect([again.status, again.body]).toEqual([200, done.body]);
    expect(Object.fromEntries(api.counted)).toEqual({ AttemptsSucceeded: 1 });
    for (const verb of ['fail', 'heartbeat']) {
      expect(await say(id, verb, token)).toMatchObject({
        status: 409,
        body: { code: 'occurrence.stale-token' },
      });
    }
  });

  it('cannot be ended without its token, and what is wrong with one is not told', async () => {
    const { id, token } = await detached();
    const [fencing] = token.split('.');
    const answers = new Set<string>();
    for (const wrong of [`${fencing}.guess`, `9${token}`, 'a-secret', `${token}0`, `${fencing}.`]) {
      for (const verb of ['complete', 'fail', 'heartbeat']) {
        const { status, body } = await say(id, verb, wrong);
        expect([status, body.code]).toEqual([409, 'occurrence.stale-token']);
        answers.add(body.detail);
      }
    }
    expect(answers.size).toBe(1);
    expect((await read(id)).status).toBe('running');
    expect((await say('g~n~20260301T120000000Z~1', 'complete', token)).status).toBe(404);
    expect((await api.post(`/occurrences/${id}/complete`, {})).body.field).toBe('completionToken');
  });

  it('is tried again by the retry policy when it is failed, or not where that is of no use', async () => {
    const { id, token } = await detached();
    const failed = await say(id, 'fail', token, { detail: 'out of stock' });
    expect(failed).toMatchObject({
      status: 200,
      body: {
        status: 'pending',
        dueAt: toIso(at(10 * SECOND)),
        attempts: [{ outcome: 'failed', detail: 'out of stock' }],
      },
    });
    expect((await say(id, 'fail', token)).body).toEqual(failed.body);
    expect((await say(id, 'complete', token)).status).toBe(409);

    const other = await detached();
    const refused = await say(other.id, 'fail', other.token, { retryable: false });
    expect(refused.body).toMatchObject({ status: 'failed', reason: 'not-retryable' });
    expect((await say(other.id, 'fail', other.token)).status).toBe(200);
    // Said twice it is counted once.
    expect(Object.fromEntries(api.counted)).toEqual({ AttemptsFailed: 2, OccurrencesFailed: 1 });
  });

  it('stays alive by heartbeats, is ended by the sweep when silent, and a late end of it is refused', async () => {
    const { id, token, key } = await detached();
    api.clock.advance(4 * MINUTE);
    const beat = await say(id, 'heartbeat', token);
    expect([beat.status, beat.body]).toEqual([
      200,
      { leaseExpiresAt: toIso(at(9 * MINUTE)), cancelRequested: false },
    ]);
    await sweepAt(at(9 * MINUTE));
    expect((await read(id)).status).toBe('running');
    expect(await sweepAt(at(9 * MINUTE + LEASE_SKEW + 1))).toMatchObject({
      leasesExpired: 0,
      outsideExpired: 1,
    });
    const silent = await read(id);
    expect(silent.status).toBe('pending');
    expect(silent.attempts[0].detail).toBe(
      'Taken on by the target, and neither completed, failed nor extended within PT5M (heartbeatTimeout).',
    );
    for (const verb of ['complete', 'fail', 'heartbeat'])
      expect((await say(id, verb, token)).status).toBe(409);

    const { deps, calls } = testWorker(api.stores, async () => ACCEPTED, api.clock);
    api.clock.advance(MINUTE);
    const end = await work({ ...deps, newSecret: () => 'b-secret' }, { id, seq: 2, dueAt: NOON }, 'worker-2');
    expect(end).toMatchObject({ kind: 'accepted', attempt: 2 });
    expect((await say(id, 'complete', token)).status).toBe(409);
    expect((await say(id, 'complete', calls[0]?.completionToken ?? '')).body.status).toBe('succeeded');
    expect((await api.stores.occurrences.readOccurrence(key))?.attempts).toMatchObject([
      { outcome: 'lease-expired' },
      { outcome: 'succeeded' },
    ]);
  });

  it('may be completed while its worker still waits for the answer to the call', async () => {
    const { id, key } = await seeded({});
    const { deps } = testWorker(
      api.stores,
      async ({ completionToken }) => {
        expect((await say(id, 'complete', completionToken ?? '')).body.status).toBe('succeeded');
        return ACCEPTED;
      },
      api.clock,
    );
    const end = await work(deps, { id, seq: 1, dueAt: NOON }, 'worker-1');
    expect(end.kind).toBe('lost-lease');
    expect(await api.stores.occurrences.readOccurrence(key)).toMatchObject({
      status: 'succeeded',
      attempts: [{ outcome: 'succeeded' }],
    });
  });

  it('may be failed before its worker detaches it, and the next attempt is not disturbed', async () => {
    const { id } = await seeded({});
    const { deps } = testWorker(
      api.stores,
      async ({ completionToken }) => {
        await say(id, 'fail', completionToken ?? '');
        return ACCEPTED;
      },
      api.clock,
    );
    expect((await work(deps, { id, seq: 1, dueAt: NOON }, 'worker-1')).kind).toBe('lost-lease');
    expect(await read(id)).toMatchObject({ status: 'pending', attempt: 1 });
  });

  it('gives its slot back when it is completed, and holds it as long as it runs', async () => {
    const { of, id, token } = await detached({ overlap: 'skip' });
    const holders = async () => {
      const [slot] = await api.stores.occurrences.slots.readStripes(`schedule:${of.id}`, [0]);
      return slot?.entries.size;
    };
    expect(await holders()).toBe(1);
    await say(id, 'complete', token);
    expect(await holders()).toBe(0);
  });

  it('learns at its next heartbeat that it is to stop, and is cancelled when it fails or falls silent', async () => {
    for (const end of ['fail', 'silence']) {
      const { id, token } = await detached();
      expect((await api.post(`/occurrences/${id}/cancel`)).status).toBe(202);
      const beat = await say(id, 'heartbeat', token);
      expect(beat.body.cancelRequested).toBe(true);
      if (end === 'fail') expect((await say(id, 'fail', token)).status).toBe(200);
      else await sweepAt(at(5 * MINUTE + LEASE_SKEW + 1));
      expect(await read(id)).toMatchObject({ status: 'cancelled', reason: 'user' });
      api.clock.set(NOON);
    }
  });
});

describe('pulling', () => {
  let queues = 0;
  const freshQueue = () => {
    queues += 1;
    return `queue-${queues}`;
  };

  async function queued(queue: string, times = [NOON], changes: Partial<Definition> = {}) {
    const of = await seedSchedule(api.stores, [], {
      definition: { target: { kind: 'pull', queue }, retry, heartbeatTimeout: 'PT2M', ...changes },
    });
    const create = times.map((time) => planned(of, time, { pullQueue: queue }));
    const next = { head: of, create, records: [], nextDueAt: at(2 * HOUR) };
    await api.stores.planning.materialise([next], NOON);
    return of;
  }
  const claim = async (queue: string, body = {}) => (await api.post(`/pull/${queue}/claim`, body)).body.items;

  it('hands out what is due, as targets get it, under a lease with a token', async () => {
    const queue = freshQueue();
    const of = await queued(queue, [NOON, at(MINUTE)], { input: { at: '{{punctual.scheduledTime}}' } });
    const [item, ...others] = await claim(queue, { max: 10, holder: 'box-7' });
    expect(others).toEqual([]);
    expect(item).toEqual({
      id: occurrenceId(keyOf(of, NOON)),
      schedule: of.id,
      scheduledTime: toIso(NOON),
      previousScheduledTime: toIso(at(-MINUTE)),
      nextScheduledTime: toIso(at(MINUTE)),
      attempt: 1,
      kind: 'scheduled',
      isCatchUp: false,
      revision: 1,
      idempotencyKey: expect.any(String),
      fencingToken: 1,
      input: { at: toIso(NOON) },
      completionToken: expect.stringMatching(/^1\.secret-/),
      leaseExpiresAt: toIso(at(2 * MINUTE)),
    });
    expect(await claim(queue)).toEqual([]);
    expect((await say(item.id, 'complete', item.completionToken)).body.status).toBe('succeeded');
    expect(await claim(queue)).toEqual([]);
  });

  it('hands each out once, however many claim at the same time', async () => {
    const queue = freshQueue();
    for (let n = 0; n < 12; n += 1) await queued(queue);
    const all = (await Promise.all([1, 2, 3, 4].map(() => claim(queue, { max: 3 })))).flat();
    expect(all).toHaveLength(12);
    expect(new Set(all.map(({ id }) => id)).size).toBe(12);
  });

  it('gives a claim that is sent again under its key the same items and leases', async () => {
    const queue = freshQueue();
    for (let n = 0; n < 6; n += 1) await queued(queue);
    const claimAs = (key: string, body: object = { max: 2, holder: 'box' }) =>
      api.post(`/pull/${queue}/claim`, body, { 'idempotency-key': key });
    const first = (await claimAs('k1')).body.items;
    expect(first).toHaveLength(2);
    api.clock.advance(30 * SECOND);
    // Its answer was lost. What it claimed is still at work, under the tokens and leases that it was given.
    expect((await claimAs('k1')).body.items).toEqual(first);
    const second = (await claimAs('k2')).body.items;
    expect(second).toHaveLength(2);
    const ids = [...first, ...second].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(4);
    await say(first[0].id, 'complete', first[0].completionToken);
    expect((await claimAs('k1')).body.items).toEqual([first[1]]);
    // Taken from it and given to another: no more its own.
    await sweepAt(at(3 * MINUTE + LEASE_SKEW + 1));
    api.clock.advance(MINUTE);
    expect((await claim(queue, { max: 10 })).map(({ id }: { id: string }) => id)).toContain(first[1].id);
    expect((await claimAs('k1')).body.items).toEqual([]);
    expect(await claimAs('k1', { max: 3 })).toMatchObject({ status: 422 });
  });

  it('gives it what it had claimed also when it died before it could note that', async () => {
    const queue = freshQueue();
    for (let n = 0; n < 3; n += 1) await queued(queue);
    const claimAgain = () => api.post(`/pull/${queue}/claim`, { max: 2 }, { 'idempotency-key': 'dies' });
    const { writeIdempotency } = api.stores.schedules;
    let writes = 0;
    Object.assign(api.stores.schedules, {
      writeIdempotency: (...write: Parameters<typeof writeIdempotency>) => {
        writes += 1;
        return writes === 2 ? Promise.reject(new Error('It died.')) : writeIdempotency(...write);
      },
    });
    const first = (await claimAgain()).body.items;
    Object.assign(api.stores.schedules, { writeIdempotency });
    expect([writes, first.length]).toEqual([2, 2]);
    const again = claimAgain();
    await api.clock.waiting();
    api.clock.advance(10 * SECOND);
    expect((await again).body.items).toEqual(first);
    expect(await claim(queue, { max: 10 })).toHaveLength(1);
  });

  it('is claimed once by copies of a request that come at the same time', async () => {
    const queue = freshQueue();
    for (let n = 0; n < 6; n += 1) await queued(queue);
    const claimAs = () =>
      api.post(`/pull/${queue}/claim`, { max: 2, waitSeconds: 1 }, { 'idempotency-key': 'twice' });
    const copies = [claimAs(), claimAs(), claimAs()];
    const isDone = Promise.all(copies).then(() => true);
    const wait = () => api.clock.waiting().then(() => false);
    while (!(await Promise.race([isDone, wait()]))) api.clock.advance(SECOND);
    const answers = (await Promise.all(copies)).map(({ body }) =>
      body.items.map(({ id }: { id: string }) => id).toSorted(),
    );
    expect(answers[0]).toHaveLength(2);
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    expect(await claim(queue, { max: 10 })).toHaveLength(4);
  });

  it('puts back what was not ended in time, and what failed, by the retry policy', async () => {
    const queue = freshQueue();
    await queued(queue);
    const [first] = await claim(queue);
    const { leasesExpired, outsideExpired } = await sweepAt(at(2 * MINUTE + LEASE_SKEW + 1));
    expect([leasesExpired, outsideExpired > 0]).toEqual([0, true]);
    expect(await claim(queue)).toEqual([]);
    api.clock.advance(10 * SECOND);
    const [second] = await claim(queue);
    expect(second).toMatchObject({ id: first.id, attempt: 2, idempotencyKey: first.idempotencyKey });
    expect((await read(first.id)).attempts[0].detail).toMatch(
      /^Claimed by .+, and neither completed, failed nor extended within PT\d+[SM] /,
    );
    expect((await say(first.id, 'complete', first.completionToken)).status).toBe(409);
    expect((await say(second.id, 'fail', second.completionToken)).body.status).toBe('pending');
    api.clock.advance(MINUTE);
    const [third] = await claim(queue);
    expect(third.attempt).toBe(3);
    expect((await say(third.id, 'complete', third.completionToken)).body.status).toBe('succeeded');
  });

  it('starts nothing of a definition that is no longer in force', async () => {
    const queue = freshQueue();
    const of = await queued(queue);
    const head = await api.stores.schedules.readHead(of.id);
    if (!head) throw new Error('There is no head.');
    // As an edit leaves it that died before it cancelled what was pending.
    const paused = { ...head, state: 'paused' as const, nextDueAt: null, version: 2 };
    const expected = { version: head.version, nextDueAt: head.nextDueAt };
    const change = { head: paused, cancel: [], create: [], records: [], now: NOON };
    await api.stores.schedules.applyChange({ ...change, expected, cancelReason: 'paused' });
    expect(await claim(queue)).toEqual([]);
    const occurrence = await api.stores.occurrences.readOccurrence(keyOf(of, NOON));
    expect(occurrence).toMatchObject({ status: 'cancelled', reason: 'paused' });
  });

  it('keeps to overlap policies and deadlines', async () => {
    const queue = freshQueue();
    const buffered = await queued(queue, [at(-2), at(-1), NOON], { overlap: 'buffer-all' });
    const [first, ...none] = await claim(queue, { max: 10 });
    expect(none).toEqual([]);
    await say(first.id, 'complete', first.completionToken);
    const [second] = await claim(queue, { max: 10 });
    expect(second.scheduledTime).toBe(toIso(at(-1)));
    const statuses = async (id: ScheduleId) =>
      (await api.get(`/schedules/${id}/occurrences`)).body.items.map((one: { status: string }) => one.status);
    expect(await statuses(buffered.id)).toEqual(['pending', 'running', 'succeeded']);

    const late = freshQueue();
    const of = await queued(late, []);
    const create = [planned(of, NOON, { pullQueue: late, startBy: at(SECOND) })];
    const head = (await api.stores.schedules.readHead(of.id)) ?? of;
    await api.stores.planning.materialise([{ head, create, records: [], nextDueAt: at(3 * HOUR) }], NOON);
    api.clock.advance(2 * SECOND);
    expect(await claim(late)).toEqual([]);
    expect(await statuses(of.id)).toEqual(['missed']);
    expect(api.counted.get('OccurrencesMissed')).toBe(1);

    const lane = freshQueue();
    const skipping = await queued(lane, [at(-1), NOON], { overlap: 'skip' });
    await claim(lane, { max: 1 });
    await claim(lane, { max: 10 });
    expect(await statuses(skipping.id)).toEqual(['skipped', 'running']);
    expect(api.counted.get('OccurrencesSkipped')).toBe(1);
  });

  it('is how a triggered occurrence of such a schedule runs, with its own input', async () => {
    const queue = freshQueue();
    const of = await queued(queue, []);
    await api.post(`/schedules/${of.id}/trigger`, { input: 'mine' });
    expect(await claim(queue)).toMatchObject([{ kind: 'manual', input: 'mine' }]);
  });

  it('waits for work as long as it is asked to', async () => {
    const queue = freshQueue();
    await queued(queue, [at(3 * SECOND)]);
    const waiting = claim(queue, { waitSeconds: 10 });
    for (let second = 1; second <= 3; second += 1) {
      await api.clock.waiting();
      api.clock.advance(SECOND);
    }
    expect(await waiting).toHaveLength(1);
    const inVain = claim(queue, { waitSeconds: 2 });
    for (let second = 1; second <= 2; second += 1) {
      await api.clock.waiting();
      api.clock.advance(SECOND);
    }
    expect(await inVain).toEqual([]);
  });

  it('refuses what is out of bounds', async () => {
    for (const body of [{ max: 11 }, { max: 0 }, { waitSeconds: 21 }, { holder: 'with space' }]) {
      const reply = await api.post('/pull/q/claim', body);
      expect([reply.status, reply.body.field]).toEqual([400, Object.keys(body)[0]]);
    }
    expect((await api.post('/pull/no~name/claim')).status).toBe(400);
  });
});
