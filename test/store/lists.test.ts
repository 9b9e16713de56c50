import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduleId } from '../../lambdas/core/ids.ts';
import { epochMs, MINUTE } from '../../lambdas/core/time.ts';
import { at, definition, freshId, NOON, revision } from '../support/fixtures.ts';
import { change, claimed, keyOf, planned, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

/** Follows cursors to the end; how a caller reads a list. */
async function allPages<Item>(
  read: (cursor?: string) => Promise<{ items: readonly Item[]; cursor?: string }>,
) {
  const pages: (readonly Item[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    pages.push(page.items);
    cursor = page.cursor;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}

describe('listSchedules', () => {
  it('pages through a group by name, each schedule once', async () => {
    const names = ['delta', 'alpha', 'charlie', 'bravo', 'echo'];
    for (const name of names) await seedSchedule(stores, [], { head: { id: scheduleId('phonetic', name) } });
    const pages = await allPages((cursor) =>
      stores.schedules.listSchedules({ group: 'phonetic', limit: 2, ...(cursor && { cursor }) }),
    );
    expect(pages.flat().map(({ head }) => head.id)).toEqual(
      [...names].sort().map((name) => `phonetic/${name}`),
    );
    expect(Math.max(...pages.map((page) => page.length))).toBe(2);
  });

  it('lists all groups when none is named, and filters by state', async () => {
    const own = await openStores();
    try {
      const made = [];
      for (let i = 0; i < 12; i += 1) {
        const state = i % 3 === 0 ? ('paused' as const) : ('enabled' as const);
        const head = { id: freshId(`g${i % 4}`), state, nextDueAt: state === 'paused' ? null : at(MINUTE) };
        made.push(await seedSchedule(own, [], { head }));
      }
      const ids = async (state?: 'paused') =>
        (
          await allPages((cursor) =>
            own.schedules.listSchedules({
              limit: 3,
              ...(state && { state }),
              ...(cursor && { cursor }),
            }),
          )
        )
          .flat()
          .map(({ head }) => head.id)
          .sort();
      expect(await ids()).toEqual(made.map(({ id }) => id).sort());
      expect(await ids('paused')).toEqual(
        made
          .filter(({ state }) => state === 'paused')
          .map(({ id }) => id)
          .sort(),
      );
    } finally {
      await own.close();
    }
  });

  it('gives the definition in force', async () => {
    const made = await seedSchedule(stores, [], { head: { id: freshId('edited') } });
    const next = { ...made, revision: 2, version: 2 };
    await stores.schedules.applyChange(
      change(next, {
        expected: { version: 1, nextDueAt: made.nextDueAt },
        revision: revision(next, definition({ description: 'second' })),
      }),
    );
    const { items } = await stores.schedules.listSchedules({ group: 'edited', limit: 5 });
    expect(items.map((one) => one.revision.definition.description)).toEqual(['second']);
  });
});

describe('listOccurrences', () => {
  it('pages newest first within a range, both ends included', async () => {
    const times = Array.from({ length: 20 }, (_, i) => epochMs(NOON + i * MINUTE));
    const made = await seedSchedule(stores, times);
    const pages = await allPages((cursor) =>
      stores.occurrences.listOccurrences({
        schedule: made.id,
        from: at(3 * MINUTE),
        to: at(12 * MINUTE),
        limit: 4,
        ...(cursor && { cursor }),
      }),
    );
    expect(pages.map((page) => page.length)).toEqual([4, 4, 2]);
    expect(pages.flat().map(({ scheduledTime }) => scheduledTime)).toEqual(times.slice(3, 13).reverse());
  });

  it('filters by status over pages', async () => {
    const times = Array.from({ length: 12 }, (_, i) => epochMs(NOON + i * MINUTE));
    const made = await seedSchedule(stores, times);
    for (const time of times.filter((_, i) => i % 2 === 0)) await claimed(stores, keyOf(made, time), time);
    const pages = await allPages((cursor) =>
      stores.occurrences.listOccurrences({
        schedule: made.id,
        status: 'running',
        limit: 4,
        ...(cursor && { cursor }),
      }),
    );
    expect(pages.flat().map(({ scheduledTime }) => scheduledTime)).toEqual(
      times.filter((_, i) => i % 2 === 0).reverse(),
    );
  });

  it('puts manual occurrences among the others by time', async () => {
    const made = await seedSchedule(stores, [NOON, at(2 * MINUTE)]);
    const manual = { ...planned(made, at(MINUTE)), kind: 'manual' as const, token: 'abc' };
    expect(await stores.occurrences.createManual({ occurrence: manual, now: NOON })).toEqual({
      kind: 'created',
    });
    expect(await stores.occurrences.createManual({ occurrence: manual, now: NOON })).toEqual({
      kind: 'conflict',
    });
    const { items } = await stores.occurrences.listOccurrences({ schedule: made.id, limit: 10 });
    expect(items.map(({ kind, scheduledTime }) => [kind, scheduledTime])).toEqual([
      ['scheduled', at(2 * MINUTE)],
      ['manual', at(MINUTE)],
      ['scheduled', NOON],
    ]);
  });

  it('makes no manual occurrence of a schedule that is not there', async () => {
    const manual = {
      ...planned(await seedSchedule(stores), NOON),
      schedule: freshId(),
      kind: 'manual' as const,
      token: 'a',
    };
    expect(await stores.occurrences.createManual({ occurrence: manual, now: NOON })).toEqual({
      kind: 'no-schedule',
    });
  });
});

describe('a cursor that a list did not give out', () => {
  const forged = (scope: string, key: unknown) =>
    Buffer.from(JSON.stringify([scope, key])).toString('base64url');
  it.each([
    ['text', 'nonsense'],
    ['of another list', forged('occurrences:x', { pk: 'a', sk: 'b' })],
    ['with a key that the table does not have', forged('schedules::', { nope: 'a' })],
  ])('is refused: %s', async (_, cursor) => {
    await expect(stores.schedules.listSchedules({ limit: 5, cursor })).rejects.toMatchObject({
      code: 'cursor.invalid',
      field: 'cursor',
    });
  });
});

describe('openOf', () => {
  it('finds an old occurrence that waits for a retry besides the recent ones', async () => {
    const made = await seedSchedule(stores, [at(-90 * MINUTE), NOON, at(MINUTE)]);
    await claimed(stores, keyOf(made, NOON), NOON);
    const open = await stores.occurrences.openOf(made.id);
    expect(open.map(({ scheduledTime, status }) => [scheduledTime, status])).toEqual([
      [at(-90 * MINUTE), 'pending'],
      [NOON, 'running'],
      [at(MINUTE), 'pending'],
    ]);
  });
});
