import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OccurrenceKey, occurrenceId } from '../../lambdas/core/ids.ts';
import type { CallResult } from '../../lambdas/core/ports/target-caller.ts';
import type { Definition } from '../../lambdas/core/schedule/definition.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { epochMs, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { work } from '../../lambdas/worker/work.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { at, definition, NOON, revision } from '../support/fixtures.ts';
import { change, keyOf, messageOf, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';
import { testWorker } from '../support/worker.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

let keys = 0;
let key: string;
let clock: TestClock;
beforeEach(() => {
  keys += 1;
  key = `edited-${keys}`;
  clock = testClock(NOON);
});

const ok: CallResult = { kind: 'succeeded' };
const down: CallResult = { kind: 'failed', retryable: true, detail: 'status 503' };
const sharing = (limit: number, name = key) => ({ concurrency: { key: name, limit } });
const read = (of: OccurrenceKey) => stores.occurrences.readOccurrence(of);

/** Takes over all of the past, as an edit does that keeps what is pending. */
async function edit(before: ScheduleHead, changes: Partial<Definition>): Promise<ScheduleHead> {
  const next = { ...before, revision: before.revision + 1, version: before.version + 1 };
  const adopting = { ...next, oldestRevision: next.revision, adoptedThrough: clock.now() };
  const stored = { revision: revision(adopting, definition(changes)), expected: before };
  const result = await stores.schedules.applyChange(change(adopting, { ...stored, now: clock.now() }));
  expect(result.kind).toBe('applied');
  return adopting;
}

async function run(of: OccurrenceKey, answer: () => Promise<CallResult> = async () => ok, deps = {}) {
  const worker = testWorker(stores, answer, clock);
  const message = await messageOf(stores, occurrenceId(of), clock.now());
  const end = await work({ ...worker.deps, ...deps }, message, `w-${clock.now()}`);
  return { kind: end.kind, calls: worker.calls.length };
}

/** Keeps the only place of the key until it is let go. */
async function holding<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  const other = await seedSchedule(stores, [NOON], { definition: sharing(1) });
  let answer: Answer | undefined;
  const { kind } = await run(keyOf(other, NOON), async () => {
    answer = await act();
    return ok;
  });
  expect(kind).toBe('succeeded');
  return answer as Answer;
}

describe('an occurrence that an edit took over', () => {
  it('takes the slots of the edit for its retry', async () => {
    const head = await seedSchedule(stores, [NOON]);
    const own = keyOf(head, NOON);
    expect((await run(own, async () => down)).kind).toBe('retry');
    await edit(head, sharing(1));
    clock.advance(2 * MINUTE);
    expect(await holding(() => run(own))).toEqual({ kind: 'waiting', calls: 0 });
    expect(await run(own)).toEqual({ kind: 'succeeded', calls: 1 });
  });

  it('waits no more for a slot that the edit took away', async () => {
    const head = await seedSchedule(stores, [NOON], { definition: sharing(1) });
    const own = keyOf(head, NOON);
    await holding(async () => {
      expect((await run(own)).kind).toBe('waiting');
      await edit(head, {});
    });
    // Woken by the end of the other.
    expect(await run(own)).toEqual({ kind: 'succeeded', calls: 1 });
    const [stripe] = await stores.occurrences.slots.readStripes(`key:${key}`, [0]);
    expect([...(stripe?.entries ?? [])]).toEqual([]);
  });

  it('keeps nothing of its own slot when the edit lets runs overlap', async () => {
    const head = await seedSchedule(stores, [NOON], { definition: { overlap: 'buffer-all' } });
    const own = keyOf(head, NOON);
    expect((await run(own, async () => down)).kind).toBe('retry');
    await edit(head, { overlap: 'allow' });
    clock.advance(2 * MINUTE);
    const ended = await run(own, async () => {
      const [stripe] = await stores.occurrences.slots.readStripes(`schedule:${head.id}`, [0]);
      expect([...(stripe?.entries ?? [])]).toEqual([]);
      return ok;
    });
    expect(ended).toEqual({ kind: 'succeeded', calls: 1 });
  });

  it('that comes for the first time, late, takes the slots of the edit', async () => {
    const head = await seedSchedule(stores, [NOON]);
    clock.advance(3 * SECOND);
    await edit(head, sharing(1));
    expect(await holding(() => run(keyOf(head, NOON)))).toEqual({ kind: 'waiting', calls: 0 });
  });

  it('is put back when the edit comes between its look and its claim, and counts no attempt', async () => {
    const head = await seedSchedule(stores, [NOON]);
    const own = keyOf(head, NOON);
    const { occurrences } = stores;
    const claim: typeof occurrences.claim = async (...args) => {
      const claimed = await occurrences.claim(...args);
      await edit(head, sharing(1));
      return claimed;
    };
    const first = await holding(() => run(own, undefined, { occurrences: { ...occurrences, claim } }));
    expect(first).toEqual({ kind: 'put-back', calls: 0 });
    const back = await read(own);
    expect(back).toMatchObject({ status: 'pending', attempt: 0, dispatchSeq: 2, dueAt: NOON, attempts: [] });
    expect(back).not.toHaveProperty('startedAt');
    expect(await holding(() => run(own))).toEqual({ kind: 'waiting', calls: 0 });
    clock.advance(SECOND);
    expect(await run(own)).toEqual({ kind: 'succeeded', calls: 1 });
    expect(await read(own)).toMatchObject({ attempt: 1, startedAt: epochMs(at(SECOND)) });
  });

  it('is not put back for an edit that asks for the same slots', async () => {
    const head = await seedSchedule(stores, [NOON], { definition: sharing(1) });
    const { occurrences } = stores;
    const claim: typeof occurrences.claim = async (...args) => {
      const claimed = await occurrences.claim(...args);
      await edit(head, { ...sharing(1), timeout: 'PT30S' });
      return claimed;
    };
    const end = await run(keyOf(head, NOON), undefined, { occurrences: { ...occurrences, claim } });
    expect(end).toEqual({ kind: 'succeeded', calls: 1 });
  });
});
