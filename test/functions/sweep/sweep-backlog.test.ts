import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSchedulerEvents } from '../../../lambdas/adapters/scheduler-events.ts';
import { count } from '../../../lambdas/adapters/telemetry.ts';
import { type OccurrenceKey, occurrenceId } from '../../../lambdas/core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../../lambdas/core/occurrence/occurrence.ts';
import {
  type OpenPosition,
  partName,
  type SweepMemory,
  type SweepPart,
  type SweepStore,
} from '../../../lambdas/core/ports/sweep-store.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { type SweepDeps, sweep } from '../../../lambdas/sweep/sweep.ts';
import { startWalk } from '../../../lambdas/sweep/walk.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { pending, running } from '../../support/occurrences.ts';
import { EMPTY_QUEUE, NO_SLOTS } from '../../support/sweep.ts';

type Open = PendingOccurrence | RunningOccurrence;
const PAGE = 100;
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);
/** Of the store's time, for the keys of a page and what stands under them. */
const MS_A_PAGE = 15;

/** A backlog in memory, read a page at a time while the clock goes on. */
function backlog(parts: Readonly<Record<string, readonly Open[]>>) {
  let now = NOON;
  let memory: SweepMemory | undefined;
  const reads = new Map<string, number>();
  const all = new Map([...new Set(Object.values(parts))].flat().map((one) => [one.scheduledTime, one]));
  const expired: string[] = [];
  const faults = { query: new Set<string>(), read: new Set<EpochMs>() };
  const open: SweepStore = {
    async openPage(part, _, after) {
      const name = partName(part);
      if (faults.query.has(name)) throw new Error('The index does not answer.');
      now = epochMs(now + MS_A_PAGE / 4);
      reads.set(name, (reads.get(name) ?? 0) + 1);
      const from = Number(after?.key ?? 0);
      const keys = (parts[name] ?? []).slice(from, from + PAGE);
      const last = keys.at(-1);
      const hasMore = last !== undefined && from + PAGE < (parts[name]?.length ?? 0);
      return hasMore ? { keys, next: { key: String(from + PAGE), at: last.dueAt } } : { keys };
    },
    async readOpen(keys) {
      if (keys.some(({ scheduledTime }) => faults.read.has(scheduledTime)))
        throw new Error('A page does not answer.');
      return keys.flatMap(({ scheduledTime }) => all.get(scheduledTime) ?? []);
    },
    readMemory: async () => memory,
    async writeMemory(_, next) {
      memory = JSON.parse(JSON.stringify(next));
    },
  };
  const expire = async (one: OccurrenceKey) => {
    expired.push(occurrenceId(one));
    all.delete(one.scheduledTime);
    return { kind: 'done' };
  };
  async function pass(minute: number) {
    const start = at(minute * MINUTE);
    now = start;
    reads.clear();
    const deps = {
      occurrences: { expire, readOccurrence: async () => undefined, slots: NO_SLOTS },
      open,
      messages: EMPTY_QUEUE,
      schedules: { readHead: async () => undefined },
      revisionOf: async () => undefined,
      events: createSchedulerEvents(count, () => {}),
      redispatchMs: HOUR,
      stopAt: epochMs(start + 45 * SECOND),
      now: () => now,
    };
    return sweep(deps as unknown as SweepDeps, { shards: SHARDS, reissue: false });
  }
  return { pass, reads, expired, faults, memory: () => memory };
}

const unclaimed = (count: number, queue?: string) =>
  Array.from({ length: count }, (_, index) =>
    pending({
      scheduledTime: epochMs(NOON - HOUR + index),
      dueAt: at(-HOUR + index),
      ...(queue !== undefined && { pullQueue: queue }),
    }),
  );
const dead = (): RunningOccurrence => ({
  ...running({ expiresAt: at(-MINUTE) }),
  scheduledTime: at(1),
  dueAt: at(-10 * MINUTE),
});

describe('an expired lease', () => {
  it.each([
    ['in the same shard, behind 300,000 that no outside worker claims', { 'pull-5': 300_000 }, 'work-5', 1],
    ['in another shard than four with backlogs', backlogOf([0, 1, 2, 3], 100_000), 'work-9', 1],
    ['in the last shard, when all the others have one', backlogOf(SHARDS.slice(0, 15), 20_000), 'work-15', 1],
    ['of an outside worker, behind 100,000 that none claims', { 'pull-5': 100_000 }, 'pull-5', 6],
    ['behind 100,000 that wait for our workers', { 'work-5': 100_000 }, 'work-5', 6],
  ])('is found %s', async (_, sizes, place, within) => {
    const size = Math.max(...Object.values(sizes));
    const same = unclaimed(size, 'pull-5' in sizes ? 'nobody' : undefined);
    const parts: Record<string, readonly Open[]> = Object.fromEntries(
      Object.keys(sizes).map((name) => [name, same]),
    );
    const lost = dead();
    const world = backlog({ ...parts, [place]: [...(parts[place] ?? []), lost] });
    for (let minute = 0; minute < within; minute += 1) {
      const { unfinished } = await world.pass(minute);
      const pages = [...world.reads.values()].reduce((sum, count) => sum + count, 0);
      // However long the backlog is; and no part takes the time of another.
      expect(pages).toBeLessThanOrEqual(200 + 2 * SHARDS.length);
      if (minute < within - 1) expect(unfinished).toBeGreaterThan(0);
    }
    expect(world.expired).toEqual([occurrenceId(lost)]);
  });

  it('is found when pages before it, and the indexes of other shards, cannot be read', async () => {
    const before = unclaimed(250);
    const lost = dead();
    const world = backlog({ 'work-0': before, 'work-3': [...before, lost] });
    world.faults.query.add('work-0');
    world.faults.read.add((before[120] as Open).scheduledTime);
    const { failures } = await world.pass(0);
    expect(failures.map(({ id }) => id).toSorted()).toEqual(['work-0', 'work-3']);
    expect(world.expired).toEqual([occurrenceId(lost)]);
  });
});

function backlogOf(shards: readonly number[], size: number): Record<string, number> {
  return Object.fromEntries(shards.map((shard) => [`work-${shard}`, size]));
}

describe('a backlog that one pass cannot look through', () => {
  it('is counted as at least so many, and the oldest is seen in every pass', async () => {
    const world = backlog({ 'work-5': unclaimed(50_000) });
    for (let minute = 0; minute < 5; minute += 1) {
      const { overdue, oldestOverdueSeconds, unfinished } = await world.pass(minute);
      expect(unfinished).toBe(1);
      expect(overdue).toBeGreaterThanOrEqual(10_000);
      expect(overdue).toBeLessThanOrEqual(50_000);
      expect(Math.floor(oldestOverdueSeconds)).toBe(3_600 + minute * 60);
    }
  });

  it('leaves nothing to remember once it is gone', async () => {
    const parts: Record<string, Open[]> = { 'work-5': unclaimed(50_000) };
    const world = backlog(parts);
    await world.pass(0);
    expect(Object.keys(world.memory()?.positions ?? {})).toEqual(['work-5']);
    parts['work-5'] = [];
    await world.pass(1);
    await world.pass(2);
    expect(world.memory()?.positions).toEqual({});
  });
});

describe('a walk', () => {
  const part: SweepPart = { kind: 'work', shard: 0 };

  it('that stops anywhere and goes on sees each key once in a pass, and all of them in as few as that takes', async () => {
    await fc.assert(
      fc.asyncProperty(
        // Due times, of which many are equal.
        fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 2, max: 6 }),
        async (dueTimes, pageSize, pagesAPass) => {
          const keys = dueTimes
            .toSorted((a, b) => a - b)
            .map((due, index) => pending({ scheduledTime: at(index), dueAt: at(due) }));
          const store = {
            async openPage(_: SweepPart, __: EpochMs, after?: OpenPosition) {
              const from = Number(after?.key ?? 0);
              const page = keys.slice(from, from + pageSize);
              const last = page.at(-1);
              return last && from + pageSize < keys.length
                ? { keys: page, next: { key: String(from + pageSize), at: last.dueAt } }
                : { keys: page };
            },
          };
          const seen = new Set<string>();
          let stoppedAt: OpenPosition | undefined;
          const pages = Math.ceil(keys.length / pageSize);
          for (let pass = 0; pass < Math.ceil(pages / (pagesAPass - 1)) + 1; pass += 1) {
            const walk = startWalk(store, part, NOON, stoppedAt);
            const inPass: string[] = [];
            for (let page = 0; page < pagesAPass && !walk.isThrough(); page += 1)
              inPass.push(...(await walk.read()).map(occurrenceId));
            expect(new Set(inPass).size).toBe(inPass.length);
            for (const id of inPass) seen.add(id);
            if (walk.isThrough() && stoppedAt === undefined) expect(inPass.length).toBe(keys.length);
            stoppedAt = walk.position();
          }
          expect(seen.size).toBe(keys.length);
        },
      ),
    );
  });
});
