import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOVED_NOTE } from '../../../lambdas/core/occurrence/notes.ts';
import type { AheadOfPlan } from '../../../lambdas/core/ports/occurrence-store.ts';
import type { Recurrence } from '../../../lambdas/core/recurrence/types.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { type TickDeps, tick } from '../../../lambdas/tick/tick.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { change, claimed, keyOf, planned, readPending, seedSchedule } from '../../support/seed.ts';
import { openStores, type Stores } from '../../support/stores.ts';

let stores: Stores;
beforeEach(async () => {
  stores = await openStores({ shardCount: 1 });
});
afterEach(() => stores.close());

/** Noon of each day by the old zone data; the new has it `ms` later. */
function noonEachDay(ms: number): Recurrence {
  const start = NOON + ms;
  const fire = (number: number) => ({ at: epochMs(start + number * DAY), notes: [] });
  return {
    next: (after) => fire(Math.floor((after - start) / DAY) + 1),
    prev: (before) => fire(Math.ceil((before - start) / DAY) - 1),
    description: 'Each noon',
    warnings: () => [],
  };
}

function tickAt(now: EpochMs, zoneData: string, shift: number, changes: Partial<TickDeps> = {}) {
  const { planning: store, occurrences } = stores;
  const deps: TickDeps = {
    store,
    occurrences,
    recurrenceOf: () => noonEachDay(shift),
    zoneData,
    lead: 2 * MINUTE,
    planWindow: 10 * MINUTE,
    holder: `tick-${now}`,
    stopAt: epochMs(now + HOUR),
    now: () => now,
    ...changes,
  };
  return tick(deps, [0]);
}

async function times(of: ScheduleHead): Promise<number[]> {
  const { items } = await stores.occurrences.listOccurrences({
    schedule: of.id,
    oldestFirst: true,
    limit: 100,
  });
  return items.map(({ scheduledTime }) => scheduledTime - NOON);
}

const headOf = async (of: ScheduleHead) => stores.schedules.readHead(of.id);

async function daily(): Promise<ScheduleHead> {
  const head = await seedSchedule(stores, [], {
    head: { nextDueAt: NOON, zoneData: 'a', updatedAt: at(-30 * DAY), createdAt: at(-30 * DAY) },
  });
  await tickAt(at(-MINUTE), 'a', 0);
  expect(await times(head)).toEqual([0]);
  return head;
}

describe('other zone data', () => {
  it('is kept on the head with what it planned', async () => {
    const head = await daily();
    expect(await headOf(head)).toMatchObject({ zoneData: 'a', nextDueAt: at(DAY) });
    await tickAt(at(DAY - MINUTE), 'b', 0);
    expect(await headOf(head)).toMatchObject({ zoneData: 'b', nextDueAt: at(2 * DAY) });
  });

  it.each([-HOUR, HOUR])('moves a fire by %i in time, and plans each day once', async (shift) => {
    const head = await daily();
    // Long before anything is due: the walk finds what the index would give too late.
    const first = await tickAt(at(HOUR), 'b', shift);
    expect(first).toMatchObject({ rezoned: 1, materialised: 0, failures: [] });
    expect(await headOf(head)).toMatchObject({
      nextDueAt: at(DAY + shift),
      zoneData: 'b',
      zoneMove: { from: at(DAY), to: at(DAY + shift), zoneData: 'a' },
    });
    for (let minute = 0; minute < 3 * 24 * 60; minute += 1) {
      const now = at(HOUR + minute * MINUTE);
      if (minute % 60 === 59) await tickAt(now, 'b', shift);
    }
    expect(await times(head)).toEqual([0, DAY + shift, 2 * DAY + shift, 3 * DAY + shift]);
    expect((await headOf(head))?.zoneMove).toBeUndefined();
  });

  it('is looked at once for each version, and a schedule that it does not move is not written', async () => {
    const head = await daily();
    let walks = 0;
    const store: TickDeps['store'] = {
      ...stores.planning,
      dueHeads(shard, until, from) {
        if (until > at(DAY)) walks += 1;
        return stores.planning.dueHeads(shard, until, from);
      },
    };
    await tickAt(at(HOUR), 'b', 0, { store });
    await tickAt(at(2 * HOUR), 'b', 0, { store });
    await tickAt(at(3 * HOUR), 'c', 0, { store });
    expect(walks).toBe(2);
    expect((await headOf(head))?.zoneData).toBe('a');
  });

  it('is walked in pieces when there are many schedules, the soonest first', async () => {
    const heads: ScheduleHead[] = [];
    for (let n = 1; n <= 150; n += 1) {
      const nextDueAt = at(n * DAY);
      heads.push(await seedSchedule(stores, [], { head: { nextDueAt, zoneData: 'a', updatedAt: at(-DAY) } }));
    }
    let now: number = at(SECOND);
    const slow = () => {
      now += 20 * SECOND;
      return epochMs(now);
    };
    const first = await tickAt(at(SECOND), 'b', HOUR, { now: slow });
    expect(first.rezoned).toBe(100);
    expect(await stores.planning.shardZones(0)).toEqual({ walking: 'b', walkedTo: at(100 * DAY) });
    const second = await tickAt(epochMs(now), 'b', HOUR);
    expect(second.rezoned).toBe(50);
    expect(await stores.planning.shardZones(0)).toEqual({ zoneData: 'b' });
    const moved = await Promise.all(heads.map(headOf));
    expect(moved.map((head) => head?.nextDueAt)).toEqual(
      heads.map((_, index) => at((index + 1) * DAY + HOUR)),
    );
  });

  it('that a change was made with is looked at when the schedule is due', async () => {
    const head = await daily();
    await stores.planning.saveShardZones(0, { zoneData: 'b' });
    const result = await tickAt(at(DAY - MINUTE), 'b', HOUR);
    expect(result).toMatchObject({ materialised: 0, failures: [] });
    expect((await headOf(head))?.nextDueAt).toBe(at(DAY + HOUR));
    await tickAt(at(DAY + HOUR - MINUTE), 'b', HOUR);
    expect(await times(head)).toEqual([0, DAY + HOUR]);
  });

  it('loses to an edit that comes between, and reports what it cannot read', async () => {
    const [edited, bad] = [await daily(), await daily()];
    const store: TickDeps['store'] = {
      ...stores.planning,
      async materialise(batch, now) {
        const head = await headOf(edited);
        if (!head) throw new Error('gone');
        await stores.planning.materialise([{ head, create: [], records: [], nextDueAt: at(5 * DAY) }], now);
        return stores.planning.materialise(batch, now);
      },
    };
    const recurrenceOf = ({ id }: ScheduleHead) => {
      if (id === bad.id) throw new Error('unreadable');
      return noonEachDay(HOUR);
    };
    const result = await tickAt(at(HOUR), 'b', HOUR, { store, recurrenceOf });
    expect(result.rezoned).toBe(0);
    expect(result.failures.map(({ schedule }) => schedule)).toEqual([bad.id]);
    expect((await headOf(edited))?.nextDueAt).toBe(at(5 * DAY));
  });

  it('only goes forward while old and new runtimes take turns, and is settled when the old ones are gone', async () => {
    const [head, late] = [await daily(), await daily()];
    let walks = 0;
    const store: TickDeps['store'] = {
      ...stores.planning,
      dueHeads(shard, until, from) {
        if (until > at(3 * DAY)) walks += 1;
        return stores.planning.dueHeads(shard, until, from);
      },
    };
    const [old, fresh] = [
      (now: number) => tickAt(at(now), '2025z', 0, { store }),
      (now: number) => tickAt(at(now), '2026a', -HOUR, { store }),
    ];
    for (let minute = 0; minute < 20; minute += 2) {
      await fresh(HOUR + minute * MINUTE);
      await old(HOUR + (minute + 1) * MINUTE);
    }
    expect(walks).toBe(1);
    expect(await headOf(head)).toMatchObject({ zoneData: '2026a', nextDueAt: at(DAY - HOUR) });

    // One that the old one plans after the walk stands where old data has it.
    await old(DAY - HOUR - MINUTE);
    expect(await headOf(late)).toMatchObject({ zoneData: '2025z', nextDueAt: at(DAY) });
    await fresh(DAY - HOUR + 8 * MINUTE);
    expect(walks).toBe(1);
    await fresh(DAY - HOUR + 10 * MINUTE);
    expect(await headOf(late)).toMatchObject({ zoneData: '2026a', nextDueAt: at(2 * DAY - HOUR) });
    await fresh(DAY);
    expect(walks).toBe(2);
    expect(await times(late)).toEqual([0, DAY - HOUR]);
  });
});

/** Decides about coming times of a head as it is, and answers what a person then sees of its records. */
async function decided(of: ScheduleHead, ...all: ((now: ScheduleHead) => AheadOfPlan)[]): Promise<void> {
  for (const decision of all) {
    const seen = await headOf(of);
    if (!seen) throw new Error('gone');
    expect(await stores.occurrences.createAhead(decision(seen), seen, at(MINUTE))).toEqual({ kind: 'done' });
  }
}
const skipped = (time: EpochMs) => (of: ScheduleHead) => ({ kind: 'skip', key: keyOf(of, time) }) as const;
const moved = (time: EpochMs, to: EpochMs) => (of: ScheduleHead) => {
  const notes = [{ code: MOVED_NOTE, message: 'A person moved it.' }];
  return { kind: 'create', occurrence: planned(of, time, { dueAt: to, notes }) } as const;
};

/** What of each day is to run, and when; in hours since its noon. */
async function plannedOn(of: ScheduleHead, day: number): Promise<string[]> {
  const { items } = await stores.occurrences.listOccurrences({
    schedule: of.id,
    kind: 'scheduled',
    oldestFirst: true,
    limit: 500,
  });
  const hours = (time: number) => (time - at(day * DAY)) / HOUR;
  return items
    .filter(({ scheduledTime }) => Math.abs(hours(scheduledTime)) < 12)
    .map((one) => `${hours(one.scheduledTime)}: ${one.status} at ${hours(one.dueAt)}`);
}

async function throughDays(count: number, shift: number, zoneData = 'b'): Promise<void> {
  for (let hour = 1; hour <= count * 24; hour += 1) await tickAt(at(hour * HOUR - MINUTE), zoneData, shift);
}

describe('what a person decided about a coming time', () => {
  it.each([-HOUR, HOUR])('holds when zone data moves it by %i', async (shift) => {
    const head = await daily();
    await decided(head, skipped(at(2 * DAY)), moved(at(3 * DAY), at(3 * DAY + 6 * HOUR)));
    await throughDays(4, shift);
    const by = shift / HOUR;
    expect(await plannedOn(head, 1)).toEqual([`${by}: pending at ${by}`]);
    const skip = ['0: skipped at 0', `${by}: skipped at ${by}`];
    expect(await plannedOn(head, 2)).toEqual(shift < 0 ? skip.toReversed() : skip);
    const move = ['0: cancelled at 6', `${by}: pending at 6`];
    expect(await plannedOn(head, 3)).toEqual(shift < 0 ? move.toReversed() : move);
  });

  it('holds when zone data moves later times and not the next', async () => {
    const head = await daily();
    await decided(head, skipped(at(3 * DAY)));
    const summer = noonEachDay(HOUR);
    const from = at(2 * DAY);
    const recurrenceOf = (): Recurrence => ({
      ...summer,
      next: (after) => {
        const winter = noonEachDay(0).next(after);
        return winter && winter.at < from ? winter : summer.next(epochMs(Math.max(after, from - 1)));
      },
      prev: (before) =>
        before > from + HOUR ? summer.prev(before) : noonEachDay(0).prev(epochMs(Math.min(before, from))),
    });
    const result = await tickAt(at(HOUR), 'b', 0, { recurrenceOf });
    expect(result).toMatchObject({ rezoned: 0, failures: [] });
    expect(await headOf(head)).toMatchObject({ nextDueAt: at(DAY), zoneData: 'b' });
    for (let hour = 2; hour < 4 * 24; hour += 1)
      await tickAt(at(hour * HOUR - MINUTE), 'b', 0, { recurrenceOf });
    expect(await plannedOn(head, 3)).toEqual(['0: skipped at 0', '1: skipped at 1']);
  });

  it('does not run again where it ran before its time, and goes on where it is running', async () => {
    const head = await daily();
    await decided(head, moved(at(2 * DAY), at(2 * MINUTE)));
    await claimed(stores, keyOf(head, at(2 * DAY)), at(2 * MINUTE));
    await throughDays(3, HOUR);
    expect(await plannedOn(head, 2)).toEqual([`0: running at ${-48 + 2 / 60}`, '1: skipped at 1']);
  });

  it('holds however many there are', async () => {
    const head = await daily();
    const days = Array.from({ length: 60 }, (_, day) => day + 2);
    await decided(
      head,
      ...days.map((day) =>
        day % 2 ? skipped(at(day * DAY)) : moved(at(day * DAY), at(day * DAY + 5 * HOUR)),
      ),
    );
    await tickAt(at(HOUR), 'b', HOUR);
    for (const day of days) {
      const lines =
        day % 2 ? ['0: skipped at 0', '1: skipped at 1'] : ['0: cancelled at 5', '1: pending at 5'];
      expect(await plannedOn(head, day)).toEqual(lines);
    }
  });

  it('holds when zone data is taken back', async () => {
    const head = await daily();
    await decided(head, skipped(at(2 * DAY)), moved(at(3 * DAY), at(3 * DAY + 6 * HOUR)));
    await tickAt(at(HOUR), 'b', HOUR);
    await tickAt(at(2 * HOUR), 'c', 0);
    for (let hour = 3; hour <= 4 * 24; hour += 1) await tickAt(at(hour * HOUR - MINUTE), 'c', 0);
    expect(await plannedOn(head, 2)).toEqual(['0: skipped at 0', '1: skipped at 1']);
    expect(await plannedOn(head, 3)).toEqual(['0: pending at 6', '1: cancelled at 6']);
  });

  it('is neither lost nor doubled when it is made while the tick moves it', async () => {
    const head = await daily();
    await decided(head, skipped(at(2 * DAY)));
    let raced = false;
    const store: TickDeps['store'] = {
      ...stores.planning,
      async materialise(batch, now) {
        if (!raced) await decided(head, skipped(at(3 * DAY)));
        raced = true;
        return stores.planning.materialise(batch, now);
      },
    };
    await tickAt(at(HOUR), 'b', HOUR, { store });
    await throughDays(4, HOUR);
    expect(await plannedOn(head, 2)).toEqual(['0: skipped at 0', '1: skipped at 1']);
    expect(await plannedOn(head, 3)).toEqual(['0: skipped at 0', '1: skipped at 1']);
  });

  it('holds when the pause that it was made before ends by itself', async () => {
    const head = await daily();
    await decided(head, skipped(at(2 * DAY)), moved(at(3 * DAY), at(3 * DAY + 6 * HOUR)));
    const before = await headOf(head);
    if (!before) throw new Error('gone');
    const until = at(2 * DAY - HOUR);
    const pause = { since: at(MINUTE), by: 'p', until, from: at(MINUTE), unrecorded: at(DAY) };
    const cancel = [await readPending(stores, keyOf(head, at(3 * DAY)))];
    const next: ScheduleHead = {
      ...before,
      state: 'paused',
      version: before.version + 1,
      nextDueAt: until,
      pause,
    };
    const paused = change(next, { expected: before, cancel, cancelReason: 'paused' });
    expect(await stores.schedules.applyChange(paused)).toEqual({ kind: 'applied' });
    await throughDays(4, HOUR);
    expect(await plannedOn(head, 2)).toEqual(['0: skipped at 0', '1: skipped at 1']);
    expect(await plannedOn(head, 3)).toEqual(['0: cancelled at 6', '1: pending at 6']);
  });
});
