import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { createScheduleStore } from '../../lambdas/adapters/dynamodb/schedules/schedule-store.ts';
import type { PendingOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import { DAY, epochMs, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, definition, freshId, head, NOON, revision } from '../support/fixtures.ts';
import { change, claimed, keyOf, planned, readPending, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const expectedOf = (of: { version: number; nextDueAt: ReturnType<typeof at> | null }) => ({
  version: of.version,
  nextDueAt: of.nextDueAt,
});

describe('creating a schedule', () => {
  it('stores head, revision and first occurrences together', async () => {
    const made = await seedSchedule(stores, [NOON, at(MINUTE)]);
    expect(await stores.schedules.readSchedule(made.id)).toEqual({ head: made, revision: revision(made) });
    expect((await stores.occurrences.openOf(made.id)).map(({ scheduledTime }) => scheduledTime)).toEqual([
      NOON,
      at(MINUTE),
    ]);
  });

  it('is done once for two at the same time', async () => {
    const one = head();
    const changes = [1, 2].map(() => stores.schedules.applyChange(change(one, { revision: revision(one) })));
    expect((await Promise.all(changes)).map(({ kind }) => kind).sort()).toEqual(['applied', 'conflict']);
  });

  it('refuses an Idempotency-Key that is in use, and takes it again after a day', async () => {
    const idempotency = { key: freshId(), requestHash: 'h', result: 'r' };
    const [a, b, c] = [head(), head(), head()];
    const made = (of: typeof a, now: typeof NOON) =>
      stores.schedules.applyChange(change(of, { revision: revision(of), idempotency, now }));
    expect((await made(a, NOON)).kind).toBe('applied');
    expect((await made(b, at(DAY - SECOND))).kind).toBe('conflict');
    expect(await stores.schedules.readHead(b.id)).toBeUndefined();
    expect(await stores.schedules.readIdempotency(idempotency.key, NOON)).toEqual(idempotency);
    expect(await stores.schedules.readIdempotency(idempotency.key, at(DAY + SECOND))).toBeUndefined();
    expect((await made(c, at(DAY + 2 * SECOND))).kind).toBe('applied');
  });

  it('keeps the head under 1 KB with the longest names and a long expression', async () => {
    const of = definition({
      expression: `0 9 * * ${'1,'.repeat(100)}1`,
      timezone: 'America/Argentina/ComodRivadavia',
    });
    const made = head(
      {
        id: freshId('g'.repeat(64)),
        pause: { since: NOON, from: NOON, unrecorded: NOON, by: 'a'.repeat(100), note: 'n'.repeat(100) },
      },
      of,
    );
    await stores.schedules.applyChange(change(made, { revision: revision(made, of) }));
    const { Item } = await stores.client.send(
      new GetCommand({ TableName: stores.schedulesTable, Key: headKey(made.id) }),
    );
    expect(JSON.stringify(Item).length).toBeLessThan(1_024);
  });
});

describe('changing a schedule', () => {
  it('cancels what is pending, puts the new revision and its occurrences, and keeps the old revision', async () => {
    const made = await seedSchedule(stores, [NOON, at(MINUTE)]);
    const next = { ...made, revision: 2, version: 2 };
    const cancel = (await stores.occurrences.openOf(made.id)) as PendingOccurrence[];
    const result = await stores.schedules.applyChange(
      change(next, {
        expected: expectedOf(made),
        revision: revision(next, definition({ expression: '*/2 * * * *' })),
        cancel,
        create: [planned(next, at(2 * MINUTE))],
      }),
    );
    expect(result).toEqual({ kind: 'applied' });
    const listed = await stores.occurrences.listOccurrences({ schedule: made.id, limit: 10 });
    expect(listed.items.map((one) => [one.scheduledTime, one.revision, one.status])).toEqual([
      [at(2 * MINUTE), 2, 'pending'],
      [at(MINUTE), 1, 'cancelled'],
      [NOON, 1, 'cancelled'],
    ]);
    expect((await stores.schedules.readRevision(made.id, 1))?.definition.expression).toBe('* * * * *');
  });

  it.each([
    ['another change came first', { version: 2 }],
    ['a tick advanced it', { nextDueAt: at(61 * MINUTE) }],
  ])('is refused whole when %s', async (_, seen) => {
    const made = await seedSchedule(stores, [NOON]);
    const cancel = [await readPending(stores, keyOf(made, NOON))];
    const next = { ...made, revision: 2, version: 2 };
    const expected = { ...expectedOf(made), ...seen };
    const result = await stores.schedules.applyChange(
      change(next, { expected, revision: revision(next), cancel }),
    );
    expect(result).toEqual({ kind: 'conflict' });
    expect(await stores.schedules.readHead(made.id)).toEqual(made);
    expect(await stores.schedules.readRevision(made.id, 2)).toBeUndefined();
    expect((await readPending(stores, keyOf(made, NOON))).status).toBe('pending');
  });

  it('is refused whole when an occurrence that it cancels has started meanwhile', async () => {
    const made = await seedSchedule(stores, [NOON]);
    const cancel = [await readPending(stores, keyOf(made, NOON))];
    await claimed(stores, keyOf(made, NOON), NOON);
    const next = { ...made, version: 2, state: 'paused' as const, nextDueAt: null };
    const result = await stores.schedules.applyChange(change(next, { expected: expectedOf(made), cancel }));
    expect(result).toEqual({ kind: 'conflict' });
    expect(await stores.schedules.readHead(made.id)).toEqual(made);
  });

  it('cancels more than fit into one transaction before it returns', async () => {
    const times = Array.from({ length: 90 }, (_, i) => epochMs(NOON + i * SECOND));
    const made = await seedSchedule(stores, times);
    const more = times.map((time) => planned(made, epochMs(time + 500)));
    await stores.planning.materialise(
      [{ head: made, create: more, records: [], nextDueAt: at(61 * MINUTE) }],
      NOON,
    );
    const cancel = (await stores.occurrences.openOf(made.id)) as PendingOccurrence[];
    expect(cancel).toHaveLength(180);
    const paused = { ...made, version: 2, state: 'paused' as const, nextDueAt: null };
    const expected = { version: 1, nextDueAt: at(61 * MINUTE) };
    await stores.schedules.applyChange(change(paused, { expected, cancel, cancelReason: 'paused' }));
    expect(await stores.occurrences.openOf(made.id)).toEqual([]);
  });

  it('cancels in the transaction itself what it makes anew while the old revision stays in force', async () => {
    const times = Array.from({ length: 40 }, (_, index) => at((index + 1) * MINUTE));
    const made = await seedSchedule(stores, times);
    const next = { ...made, revision: 2, version: 2, oldestRevision: 1 };
    const key = (minute: number) => ({ ...keyOf(next, at(minute * MINUTE)), revision: 2 });
    const dying = createScheduleStore({
      ...stores.context,
      client: {
        send: (command: never) =>
          (command as unknown) instanceof UpdateCommand
            ? Promise.reject(new Error('died'))
            : stores.client.send(command),
      } as unknown as Stores['client'],
    });
    await dying.applyChange(
      change(next, {
        expected: expectedOf(made),
        revision: revision(next),
        cancel: (await stores.occurrences.openOf(made.id)) as PendingOccurrence[],
        create: times.map((time) => planned(next, time)),
        skipped: Array.from({ length: 15 }, (_, index) => key(100 + index)),
      }),
    );
    const open = await stores.occurrences.openOf(made.id);
    expect(open.map((one) => one.revision)).toEqual(Array(40).fill(2));
  });

  it('makes an occurrence again that a pause had cancelled before it started', async () => {
    const made = await seedSchedule(stores, [NOON]);
    const cancel = [await readPending(stores, keyOf(made, NOON))];
    const paused = { ...made, version: 2, state: 'paused' as const, nextDueAt: null };
    await stores.schedules.applyChange(
      change(paused, { expected: expectedOf(made), cancel, cancelReason: 'paused' }),
    );
    const resumed = { ...made, version: 3 };
    await stores.schedules.applyChange(
      change(resumed, { expected: expectedOf(paused), create: [planned(made, NOON)] }),
    );
    expect((await readPending(stores, keyOf(made, NOON))).status).toBe('pending');
  });

  it('lets the tokens of what is made again go on, so that a late end of the old claim does not fit a new one', async () => {
    const made = await seedSchedule(stores, [NOON]);
    const givenUp = await claimed(stores, keyOf(made, NOON), NOON);
    const end = { kind: 'cancelled', reason: 'paused' } as const;
    await stores.occurrences.settle(givenUp, end, NOON);
    await stores.schedules.applyChange(
      change({ ...made, version: 2 }, { expected: expectedOf(made), create: [planned(made, NOON)] }),
    );
    expect(await readPending(stores, keyOf(made, NOON))).toMatchObject({ attempt: 0, dispatchSeq: 3 });
    const again = await claimed(stores, keyOf(made, NOON), NOON);
    expect(again).toMatchObject({ attempt: 1, fencingToken: 2 });
    expect((await stores.occurrences.settle(givenUp, end, NOON)).kind).toBe('lost-lease');
    expect(await stores.occurrences.readOccurrence(keyOf(made, NOON))).toEqual(again);
  });

  it('goes on without an occurrence that exists already, so that nothing can wedge it', async () => {
    const made = await seedSchedule(stores, [NOON]);
    const running = await claimed(stores, keyOf(made, NOON), NOON);
    const resumed = { ...made, version: 2 };
    const create = [planned(made, NOON), planned(made, at(MINUTE))];
    const result = await stores.schedules.applyChange(
      change(resumed, { expected: expectedOf(made), create }),
    );
    expect(result).toEqual({ kind: 'applied' });
    expect(await stores.occurrences.readOccurrence(keyOf(made, NOON))).toEqual(running);
    expect((await readPending(stores, keyOf(made, at(MINUTE)))).status).toBe('pending');
  });
});

describe('deleting a schedule', () => {
  it('leaves a tombstone that is neither listed nor planned and keeps the revision number', async () => {
    const made = await seedSchedule(stores, [], { head: { id: freshId('graveyard') } });
    const gone = { ...made, state: 'deleted' as const, version: 2, nextDueAt: null };
    await stores.schedules.applyChange(change(gone, { expected: expectedOf(made), cancelReason: 'deleted' }));
    expect(await stores.schedules.readSchedule(made.id)).toBeUndefined();
    expect(await stores.schedules.readHead(made.id)).toEqual(gone);
    expect((await stores.schedules.listSchedules({ group: 'graveyard', limit: 10 })).items).toEqual([]);
  });
});
