import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { occurrenceId, type ScheduleId } from '../../../lambdas/core/ids.ts';
import type { CallResult } from '../../../lambdas/core/ports/target-caller.ts';
import { type EpochMs, HOUR, MINUTE, toIso } from '../../../lambdas/core/time.ts';
import { sweep } from '../../../lambdas/sweep/sweep.ts';
import { work } from '../../../lambdas/worker/work.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { claimed, keyOf, messageOf } from '../../support/seed.ts';
import { sweepDeps } from '../../support/sweep.ts';
import { testWorker } from '../../support/worker.ts';
import { created, ledger, openApi, type TestApi, tally } from '../api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => api.clock.set(NOON));
afterAll(() => api.close());

const bad: CallResult = { kind: 'failed', retryable: false, detail: 'HTTP 400' };
const good: CallResult = { kind: 'succeeded', detail: 'HTTP 200' };
const gone: CallResult = { kind: 'failed', retryable: false, detail: 'HTTP 410: bye', pauses: true };

/** Fires each minute; ten occurrences are planned. */
function failing(changes: Record<string, unknown> = {}) {
  return created(api, { expression: '* * * * *', overlap: 'allow', pauseAfterFailures: 3, ...changes });
}

async function headOf(id: ScheduleId) {
  const head = await api.stores.schedules.readHead(id);
  if (!head) throw new Error('There is no head.');
  return head;
}

/** Runs the occurrence of each minute in turn with the answer that is given for it. */
async function run(id: ScheduleId, answers: Readonly<Record<number, CallResult>>, revision?: number) {
  const ends = [];
  for (const [minute, result] of Object.entries(answers)) {
    const time = at(Number(minute) * MINUTE);
    api.clock.set(time);
    const { deps } = testWorker(api.stores, async () => result, api.clock);
    const key = { ...keyOf(await headOf(id), time), ...(revision !== undefined && { revision }) };
    ends.push(await work(deps, await messageOf(api.stores, occurrenceId(key), time), 'w'));
  }
  return ends;
}

/** The worker dies in the attempt; the sweep finds it. */
async function dies(id: ScheduleId, time: EpochMs) {
  await claimed(api.stores, keyOf(await headOf(id), time), time);
  const deps = sweepDeps(api.stores, () => at(2 * HOUR), {
    redispatchMs: 9 * HOUR,
    stopAt: at(9 * HOUR),
  });
  return sweep(deps, { shards: [0, 1, 2, 3], reissue: false });
}

describe('failures in a row', () => {
  it('pause the schedule when there are as many as it says, and cancel what is pending', async () => {
    const { id, path } = await failing();
    await run(id, { 1: bad, 2: bad });
    expect((await api.get(path)).body.state).toBe('enabled');
    const [end] = await run(id, { 3: bad });
    const pauseNote = 'auto-paused after 3 failures in a row';
    expect(end).toMatchObject({ kind: 'failed', paused: pauseNote });
    expect((await api.get(path)).body).toMatchObject({
      state: 'paused',
      version: 2,
      pauseNote,
      pausedBy: 'punctual',
      pausedSince: toIso(at(3 * MINUTE)),
    });
    expect(tally(await ledger(api, path))).toEqual({ 'failed not-retryable': 3, 'cancelled paused': 7 });
  });

  it('hold back the last times of a schedule too, and leave one alone that has none', async () => {
    const { id, path } = await failing({ maxRuns: 5 });
    expect((await headOf(id)).state).toBe('completed');
    await run(id, { 1: bad, 2: bad, 3: bad });
    expect((await api.get(path)).body.state).toBe('paused');
    expect(tally(await ledger(api, path))).toEqual({ 'failed not-retryable': 3, 'cancelled paused': 2 });

    api.clock.set(NOON);
    const over = await failing({ maxRuns: 3 });
    await run(over.id, { 1: bad, 2: bad, 3: bad });
    expect((await api.get(over.path)).body.state).toBe('completed');
  });

  it('do not cancel a replay that a person asked for', async () => {
    const { id, path } = await failing();
    await run(id, { 1: bad });
    const first = occurrenceId(keyOf(await headOf(id), at(MINUTE)));
    expect((await api.post(`/occurrences/${first}/replay`)).status).toBe(202);
    await run(id, { 2: bad, 3: bad, 4: bad });
    expect((await api.get(path)).body.state).toBe('paused');
    expect((await api.get(`/occurrences/${first}`)).body.status).toBe('pending');
  });

  it('are in a row only without a success between them', async () => {
    const { id, path } = await failing();
    await run(id, { 1: bad, 2: bad, 3: good, 4: bad, 5: bad });
    expect((await api.get(path)).body.state).toBe('enabled');
    await run(id, { 6: bad });
    expect((await api.get(path)).body.state).toBe('paused');
  });

  it('are counted from the last change of the schedule: a resume gives it as many again', async () => {
    const { id, path } = await failing({ pauseAfterFailures: 2 });
    await run(id, { 1: bad, 2: bad });
    api.clock.advance(1);
    await api.post(`${path}/resume`);
    await run(id, { 3: bad });
    expect((await api.get(path)).body.state).toBe('enabled');
    await run(id, { 4: bad });
    expect((await api.get(path)).body.state).toBe('paused');
  });

  it('do not count while they may still be tried again', async () => {
    const { id, path } = await failing({ pauseAfterFailures: 1 });
    await run(id, { 1: { ...bad, retryable: true } });
    expect((await api.get(path)).body.state).toBe('enabled');
  });

  it('pass over what did not run, and over what a person asked for', async () => {
    const { id, path } = await failing({ pauseAfterFailures: 2 });
    await run(id, { 1: bad });
    const skipped = await api.stores.occurrences.readOccurrence(keyOf(await headOf(id), at(2 * MINUTE)));
    if (skipped?.status !== 'pending') throw new Error('It is not pending.');
    await api.stores.occurrences.skip(skipped, 'overlap', undefined, at(2 * MINUTE));
    const manual = await api.post(`${path}/trigger`);
    const { deps } = testWorker(api.stores, async () => bad, api.clock);
    await work(deps, { id: manual.body.id, seq: 1, dueAt: api.clock.now() }, 'w');
    expect((await api.get(path)).body.state).toBe('enabled');
    await run(id, { 3: bad });
    expect((await api.get(path)).body.state).toBe('paused');
  });

  it('of workers that died count too', async () => {
    const { id, path } = await failing({ pauseAfterFailures: 2, retry: { maxAttempts: 1 } });
    await run(id, { 1: bad });
    expect(await dies(id, at(2 * MINUTE))).toMatchObject({ failed: 1, paused: 1 });
    expect((await api.get(path)).body.state).toBe('paused');
  });

  it('that were said through the API count too', async () => {
    const { id, path } = await failing({ pauseAfterFailures: 1, completion: 'callback' });
    const { deps, calls } = testWorker(api.stores, async () => good, api.clock);
    api.clock.set(at(MINUTE));
    const occurrence = occurrenceId(keyOf(await headOf(id), at(MINUTE)));
    await work(deps, { id: occurrence, seq: 1, dueAt: at(MINUTE) }, 'w');
    const said = { completionToken: calls[0]?.completionToken, retryable: false };
    expect((await api.post(`/occurrences/${occurrence}/fail`, said)).body.status).toBe('failed');
    expect((await api.get(path)).body).toMatchObject({ state: 'paused', pausedBy: 'punctual' });
  });

  it('are found by the next one when a process dies before it counts', async () => {
    const { id, path } = await failing({ pauseAfterFailures: 2 });
    await run(id, { 1: bad });
    const { deps } = testWorker(api.stores, async () => bad, api.clock);
    api.clock.set(at(2 * MINUTE));
    const applyChange = () => Promise.reject(new Error('died'));
    const message = {
      id: occurrenceId(keyOf(await headOf(id), at(2 * MINUTE))),
      seq: 1,
      dueAt: at(2 * MINUTE),
    };
    const dying = { ...deps, schedules: { ...deps.schedules, applyChange } };
    await expect(work(dying, message, 'w')).rejects.toThrow('died');
    expect((await api.get(path)).body.state).toBe('enabled');
    await run(id, { 3: bad });
    expect((await api.get(path)).body.state).toBe('paused');
  });

  it('pause it once when two are found at the same time', async () => {
    const { id, path } = await failing({ pauseAfterFailures: 1 });
    await Promise.all([run(id, { 1: bad }), run(id, { 1: bad })]);
    expect((await api.get(path)).body).toMatchObject({ state: 'paused', version: 2 });
  });

  it('do nothing to a schedule that did not ask for it, and cost it no read', async () => {
    const { id, path } = await failing({ pauseAfterFailures: undefined });
    const { deps } = testWorker(api.stores, async () => bad, api.clock);
    api.clock.set(at(MINUTE));
    const listOccurrences = () => Promise.reject(new Error('read'));
    const message = { id: occurrenceId(keyOf(await headOf(id), at(MINUTE))), seq: 1, dueAt: at(MINUTE) };
    const end = await work({ ...deps, occurrences: { ...deps.occurrences, listOccurrences } }, message, 'w');
    expect(end.kind).toBe('failed');
    expect((await api.get(path)).body.state).toBe('enabled');
  });
});

describe('a target that is gone', () => {
  it('pauses its schedule at once, with what it said', async () => {
    const { id, path } = await failing({ pauseAfterFailures: undefined });
    await run(id, { 1: gone });
    expect((await api.get(path)).body).toMatchObject({
      state: 'paused',
      pausedBy: 'punctual',
      pauseNote: 'paused: the target is gone (HTTP 410: bye)',
    });
  });

  it('of an older definition says nothing about the one in force', async () => {
    const { id, path } = await failing();
    await api.patch(`${path}?pending=keep`, { target: { kind: 'http', url: 'https://example.com/new' } });
    const [end] = await run(id, { 1: gone }, 1);
    expect(end).toMatchObject({ kind: 'failed' });
    expect((await api.get(path)).body.state).toBe('enabled');
  });

  it('leaves what it would have run to the resume to make up for', async () => {
    const { id, path } = await failing();
    await run(id, { 1: gone });
    api.clock.set(at(HOUR));
    await api.post(`${path}/resume`, { catchUp: { mode: 'all', maxRuns: 2 } });
    const all = await ledger(api, path);
    expect(
      all
        .filter(({ status }) => status === 'pending')
        .slice(0, 2)
        .map((one) => one.scheduledTime),
    ).toEqual([toIso(at(59 * MINUTE)), toIso(at(60 * MINUTE))]);
    expect(all.find(({ status }) => status === 'coalesced')).toMatchObject({
      reason: 'paused',
      coalesced: { count: 48, from: toIso(at(11 * MINUTE)) },
    });
  });
});
