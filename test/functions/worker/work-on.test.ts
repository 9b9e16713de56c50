import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OccurrenceId, type OccurrenceKey, occurrenceId } from '../../../lambdas/core/ids.ts';
import type { CallResult, Invocation } from '../../../lambdas/core/ports/target-caller.ts';
import { type EpochMs, epochMs, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { sweepSlots } from '../../../lambdas/sweep/slots.ts';
import { sweep } from '../../../lambdas/sweep/sweep.ts';
import type { WorkEnd } from '../../../lambdas/worker/work.ts';
import { workOn } from '../../../lambdas/worker/work-on.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { messageOf } from '../../support/seed.ts';
import { sharing, slotWorker } from '../../support/slots.ts';
import { openStores, type Stores } from '../../support/stores.ts';
import { sweepDeps } from '../../support/sweep.ts';
import { testWorker } from '../../support/worker.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const ok: CallResult = { kind: 'succeeded', detail: 'HTTP 200' };
const read = (key: OccurrenceKey) => stores.occurrences.readOccurrence(key);
const idsOf = (calls: readonly Invocation[]) => calls.map(({ id }) => id);

/** Works on the message of the first of some jobs that share a key; while it runs the others come, and wait. */
async function workOnLine(
  count: number,
  changes: (keys: readonly OccurrenceKey[]) => Partial<Parameters<typeof workOn>[0]> = () => ({}),
  until?: EpochMs,
) {
  const terms = sharing(1);
  const slots = slotWorker(stores);
  const keys = (await slots.jobs(count, terms)) as [OccurrenceKey, OccurrenceKey, ...OccurrenceKey[]];
  const [first, ...others] = keys;
  const worker = testWorker(stores, async ({ id }) => {
    if (id !== occurrenceId(first)) return ok;
    for (const key of others) expect((await slots.begin(key, terms)).kind).toBe('waiting');
    return ok;
  });
  const ends: WorkEnd[] = [];
  const faults: string[] = [];
  const deps = {
    ...worker.deps,
    onEnd: (end: WorkEnd) => void ends.push(end),
    onFault: (id: string) => void faults.push(id),
    ...changes(keys),
  };
  const message = { ...(await messageOf(stores, occurrenceId(first), NOON)), dueAt: NOON };
  await workOn(deps, message, 'w', ...(until === undefined ? [] : [until]));
  return { ...worker, terms, slots, keys, ends, faults };
}

describe('a worker whose end lets in one that waits', () => {
  it('starts it by itself, and the next, without a message', async () => {
    const { calls, ends, sentOn, keys, slots, terms } = await workOnLine(4);
    expect(idsOf(calls)).toEqual(keys.map(occurrenceId));
    expect(ends.map(({ kind }) => kind)).toEqual(Array(4).fill('succeeded'));
    expect(sentOn).toEqual([]);
    for (const key of keys) expect((await read(key))?.status).toBe('succeeded');
    expect((await slots.entries(terms.slot)).size).toBe(0);
  });

  it('leaves the line to the work queue after a while, so that others come to their turn', async () => {
    const { calls, keys } = await workOnLine(3, undefined, NOON);
    expect(calls.length).toBe(1);
    // Woken as ever: its stream record has it sent.
    const woken = await read(keys[1]);
    expect(woken).toMatchObject({ status: 'pending' });
    expect(woken).not.toHaveProperty('waitingFor');
    expect(woken).not.toHaveProperty('isDirect');
  });

  it('sends one that it cannot start', async () => {
    const { sentOn, faults, keys } = await workOnLine(2, ([, second]) => ({
      revisionOf: async (key) => {
        if (second && 'scheduledTime' in key && key.scheduledTime === second.scheduledTime)
          throw new Error('The store is busy.');
        return stores.schedules.readRevision(key.schedule, key.revision);
      },
    }));
    const second = occurrenceId(keys[1]);
    expect(faults).toEqual([second]);
    expect(sentOn.map(({ id }) => id)).toEqual([second]);
    expect(await read(keys[1])).toMatchObject({ status: 'pending', isDirect: true });
  });
});

describe('one whose worker died before it was started', () => {
  it('is sent by the sweep although it has no place yet, and although the queue is full', async () => {
    const { keys, terms, slots } = await workOnLine(2, ([, second]) => ({
      queue: { send: async () => [{ index: 0, reason: 'Busy' }] },
      revisionOf: async (key) => {
        if (second && 'scheduledTime' in key && key.scheduledTime === second.scheduledTime)
          throw new Error('It died.');
        return stores.schedules.readRevision(key.schedule, key.revision);
      },
    }));
    const [[id, seq]] = [...(await slots.entries(terms.slot))] as [[OccurrenceId, number]];
    await stores.occurrences.slots.remove({ slot: terms.slot, stripe: 0 }, { id, seq }, { now: NOON });
    const deps = sweepDeps(stores, () => at(20 * SECOND), {
      messages: { counts: async () => ({ visible: 50_000, inFlight: 800 }) },
    });
    await sweep(deps, { shards: [0, 1, 2, 3], reissue: false });
    expect(await read(keys[1])).toMatchObject({ sends: 1, redispatches: 1 });
  });

  it('is sent by the sweep, whatever the queue holds', async () => {
    const died = async () => {
      throw new Error('It died.');
    };
    const { keys, terms } = await workOnLine(2, ([, second]) => ({
      queue: { send: died },
      revisionOf: async (key) =>
        second && 'scheduledTime' in key && key.scheduledTime === second.scheduledTime
          ? died()
          : stores.schedules.readRevision(key.schedule, key.revision),
    }));
    expect(await read(keys[1])).toMatchObject({ status: 'pending', isDirect: true, sends: 0 });

    const asked: string[] = [];
    const waitedFor = async function* (shard: number) {
      if (shard === 0) yield terms.slot;
    };
    const occurrences = { ...stores.occurrences, slots: { ...stores.occurrences.slots, waitedFor } };
    const sweepAt = (now: EpochMs) =>
      sweepSlots({
        occurrences,
        expireLease: async () => {},
        mayBeLost: (promised) => void asked.push(occurrenceId(promised)),
        stopAt: epochMs(now + MINUTE),
        now: () => now,
      });
    await sweepAt(at(10 * SECOND));
    expect(await read(keys[1])).toMatchObject({ sends: 0 });
    await sweepAt(at(20 * SECOND));
    expect(await read(keys[1])).toMatchObject({ sends: 1, redispatches: 1 });
    // From then on the queue may hold a message, and is asked.
    await sweepAt(at(5 * MINUTE));
    expect(await read(keys[1])).toMatchObject({ sends: 1 });
    expect(asked).toEqual([occurrenceId(keys[1])]);
  });
});
