import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scheduleId } from '../../../lambdas/core/ids.ts';
import { isCatchUp } from '../../../lambdas/core/occurrence/notes.ts';
import {
  MAX_MISSED_PER_PLAN,
  type Plan,
  type PlanInput,
  plan,
} from '../../../lambdas/core/planning/planner.ts';
import { compile } from '../../../lambdas/core/recurrence/index.ts';
import { DEFAULT_CATCH_UP } from '../../../lambdas/core/schedule/defaults.ts';
import type { CatchUpPolicy } from '../../../lambdas/core/schedule/definition.ts';
import { planningPolicy } from '../../../lambdas/core/schedule/head.ts';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { at, definition, everyMs, NOON } from '../../support/fixtures.ts';

function input(changes: Partial<PlanInput> = {}, catchUp: Partial<CatchUpPolicy> = {}): PlanInput {
  return {
    schedule: scheduleId('g', 'n'),
    revision: 1,
    policy: { ...planningPolicy(definition()), catchUp: { ...DEFAULT_CATCH_UP, ...catchUp } },
    recurrence: everyMs(MINUTE),
    nextDueAt: NOON,
    now: NOON,
    limits: { planWindow: 10 * MINUTE, maxOccurrences: 90 },
    ...changes,
  };
}

const lateRuns = ({ occurrences }: Plan) =>
  occurrences.filter(isCatchUp).map(({ scheduledTime }) => scheduledTime);
const times = (planned: { occurrences: readonly { scheduledTime: EpochMs }[] }) =>
  planned.occurrences.map(({ scheduledTime }) => scheduledTime);

describe('plan', () => {
  it('creates every time up to the end of the plan window and points at the one after', () => {
    const planned = plan(input());
    expect(times(planned)).toEqual(Array.from({ length: 11 }, (_, i) => at(i * MINUTE)));
    expect(planned.nextDueAt).toBe(at(11 * MINUTE));
    expect(planned.records).toEqual([]);
  });

  it('stops at the most occurrences of one plan', () => {
    const planned = plan(input({ recurrence: everyMs(SECOND) }));
    expect(planned.occurrences).toHaveLength(90);
    expect(planned.nextDueAt).toBe(at(90 * SECOND));
  });

  it('creates nothing when the next time lies beyond the window', () => {
    const planned = plan(input({ nextDueAt: at(HOUR) }));
    expect(planned).toEqual({ occurrences: [], records: [], nextDueAt: at(HOUR) });
  });

  it('ends with a recurrence that ends', () => {
    const planned = plan(input({ recurrence: everyMs(MINUTE, NOON) }));
    expect(times(planned)).toEqual([NOON]);
    expect(planned.nextDueAt).toBeNull();
  });

  it('keeps a time that was promised although the recurrence no longer names it', () => {
    const promised = at(30 * SECOND);
    expect(times(plan(input({ nextDueAt: promised })))[0]).toBe(promised);
  });

  it('gives each occurrence the last moment at which it may start', () => {
    const policy = { ...input().policy, startDeadline: 'PT30S' };
    const [first] = plan(input({ policy })).occurrences;
    expect(first?.startBy).toBe(at(30 * SECOND));
  });
});

describe('plan after an outage', () => {
  const outage = (changes: Partial<PlanInput>, catchUp: Partial<CatchUpPolicy>) =>
    plan(input({ nextDueAt: at(-6 * HOUR), ...changes }, catchUp));

  it('runs what is merely late as if nothing had happened', () => {
    const planned = plan(input({ nextDueAt: at(-MINUTE) }));
    expect(times(planned).slice(0, 2)).toEqual([at(-MINUTE), NOON]);
    expect(planned.records).toEqual([]);
  });

  it('runs what is merely late although older times are not, and with the default no late one beside it', () => {
    const planned = outage({}, {});
    expect(times(planned).slice(0, 2)).toEqual([at(-MINUTE), NOON]);
    expect(lateRuns(planned)).toEqual([]);
    expect(planned.records.map(({ coalesced }) => coalesced)).toEqual([
      { count: 359, from: at(-6 * HOUR), to: at(-2 * MINUTE) },
    ]);
  });

  it('runs the latest late time by default where none is on time, and records the others as one', () => {
    const planned = outage({ recurrence: everyMs(10 * MINUTE), now: at(5 * MINUTE) }, {});
    expect(lateRuns(planned)).toEqual([NOON]);
    expect(planned.records.map(({ coalesced }) => coalesced)).toEqual([
      { count: 36, from: at(-6 * HOUR), to: at(-10 * MINUTE) },
    ]);
  });

  it('runs no late one with skip, and says how many there were', () => {
    const planned = outage({}, { mode: 'skip' });
    expect(times(planned)[0]).toBe(at(-MINUTE));
    expect(planned.records[0]?.coalesced.count).toBe(359);
  });

  it('runs at most maxRuns with all, the latest ones, spread over the time given, oldest first', () => {
    const changes = { recurrence: everyMs(2 * MINUTE), nextDueAt: at(-6 * HOUR), now: at(90 * SECOND) };
    const planned = outage(changes, { mode: 'all', maxRuns: 20, spreadOver: 'PT10M' });
    expect(lateRuns(planned)).toEqual(Array.from({ length: 20 }, (_, i) => at(2 * (i - 19) * MINUTE)));
    const dues = planned.occurrences.filter(isCatchUp).map(({ dueAt }) => dueAt - changes.now);
    const [first = 0] = dues;
    expect(first).toBeLessThan(30 * SECOND);
    expect(dues.map((due) => Math.round((due - first) / SECOND))).toEqual(
      Array.from({ length: 20 }, (_, i) => i * 30),
    );
    expect(planned.records[0]?.coalesced.count).toBe(161);
  });

  it('spreads late runs of many schedules that have one each', () => {
    const places = Array.from({ length: 200 }, (_, i) => {
      const changes = { recurrence: everyMs(HOUR), now: at(10 * MINUTE), schedule: scheduleId('g', `n${i}`) };
      const [late] = outage(changes, { spreadOver: 'PT1M' }).occurrences;
      return (late?.dueAt ?? 0) - changes.now;
    });
    const perSecond = Map.groupBy(places, (place) => Math.floor(place / SECOND));
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...places)).toBeLessThan(MINUTE);
    expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThan(15);
  });

  it('runs nothing older than maxAge', () => {
    const planned = outage({}, { mode: 'all', maxRuns: 90, maxAge: 'PT10M' });
    expect(times(planned)[0]).toBe(at(-10 * MINUTE));
  });

  it('leaves what runs already out of the budget', () => {
    const changes = { recurrence: everyMs(10 * MINUTE), now: at(5 * MINUTE), spent: 3 };
    expect(lateRuns(outage(changes, { mode: 'all', maxRuns: 5 }))).toEqual([at(-10 * MINUTE), NOON]);
    expect(lateRuns(outage({ ...changes, spent: 7 }, { mode: 'all', maxRuns: 5 }))).toEqual([]);
  });

  it('runs a one-shot however late it is, and whatever its policy', () => {
    const policy = { ...input().policy, expression: 'at(2026-02-01T12:00:00)' };
    const recurrence = everyMs(HOUR, at(-28 * DAY));
    const planned = plan(
      input({
        policy: { ...policy, catchUp: { ...DEFAULT_CATCH_UP, mode: 'skip' } },
        recurrence,
        nextDueAt: at(-28 * DAY),
      }),
    );
    expect(lateRuns(planned)).toEqual([at(-28 * DAY)]);
    expect(planned.records).toEqual([]);
  });

  it.each([1, 90])(
    'counts a backlog that is too long for one plan in pieces, and runs the newest %i',
    (maxRuns) => {
      const from = at(-(2 * MAX_MISSED_PER_PLAN + 3) * SECOND);
      let nextDueAt: EpochMs | null = from;
      let recorded = 0;
      let ran: readonly EpochMs[] = [];
      const catchUp = { mode: 'all', maxRuns, maxAge: 'P7D' } as const;
      for (let rounds = 0; nextDueAt !== null && nextDueAt <= NOON; rounds += 1) {
        expect(rounds).toBeLessThan(10);
        const planned = plan(input({ recurrence: everyMs(SECOND), nextDueAt }, catchUp));
        recorded += planned.records.reduce((sum, { coalesced }) => sum + coalesced.count, 0);
        ran = [...ran, ...times(planned).filter((time) => time <= NOON)];
        nextDueAt = planned.nextDueAt;
      }
      // The last six are on time.
      const newest = Math.max(6, maxRuns);
      expect(ran).toEqual(Array.from({ length: newest }, (_, i) => at((i - newest + 1) * SECOND)));
      expect(recorded + ran.length).toBe((NOON - from) / SECOND + 1);
    },
  );
});

describe('times that a person asks to make up for', () => {
  const asked = {
    catchUp: { ...DEFAULT_CATCH_UP, mode: 'all', maxRuns: 10, spreadOver: 'PT10S' },
    from: at(-9 * MINUTE),
    asOf: NOON,
  } as const;

  it('are spread and flagged also where the oldest is seconds old', () => {
    const from = at(-4 * SECOND);
    const planned = plan(
      input({ recurrence: everyMs(SECOND), nextDueAt: from, makingUp: { ...asked, from } }),
    );
    expect(lateRuns(planned)).toEqual([0, 1, 2, 3, 4].map((i) => at((i - 4) * SECOND)));
    const dues = planned.occurrences.filter(isCatchUp).map(({ dueAt }) => dueAt);
    expect(dues.slice(1).map((due, i) => due - (dues[i] ?? 0))).toEqual([2_000, 2_000, 2_000, 2_000]);
    expect(planned.occurrences.filter((one) => !isCatchUp(one))[0]?.scheduledTime).toBe(at(SECOND));
  });

  it('are all created, however little room each plan has, and at the places of one spread', () => {
    const all = { makingUp: asked, recurrence: everyMs(MINUTE) };
    const whole = plan(input({ ...all, nextDueAt: at(-9 * MINUTE) }));
    let nextDueAt: EpochMs | null = at(-9 * MINUTE);
    const parts: (readonly [EpochMs, EpochMs])[] = [];
    for (let now = 0; nextDueAt !== null && nextDueAt <= NOON; now += 1) {
      const limits = { planWindow: 0, maxOccurrences: now % 3 };
      const part = plan(input({ ...all, nextDueAt, limits, now: at(now * 10) }));
      parts.push(...part.occurrences.filter(isCatchUp).map((one) => [one.scheduledTime, one.dueAt] as const));
      expect(part.records).toEqual([]);
      nextDueAt = part.nextDueAt;
    }
    expect(parts).toEqual(whole.occurrences.filter(isCatchUp).map((one) => [one.scheduledTime, one.dueAt]));
  });
});

describe('plan, whatever the backlog and policy', () => {
  it('accounts for each nominal time once: as an occurrence, in a record, or as still to come', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7_200 }),
        fc.integer({ min: -3 * 86_400, max: 1_200 }),
        fc.record({
          mode: fc.constantFrom('skip', 'latest', 'all') as fc.Arbitrary<CatchUpPolicy['mode']>,
          maxRuns: fc.integer({ min: 1, max: 200 }),
          maxAge: fc.constantFrom('PT1M', 'PT1H', 'PT24H'),
        }),
        (stepSeconds, offsetSeconds, catchUp) => {
          const recurrence = everyMs(stepSeconds * SECOND);
          const start = recurrence.next(at(offsetSeconds * SECOND))?.at ?? NOON;
          const planned = plan(input({ recurrence, nextDueAt: start }, catchUp));
          const counted = planned.records.reduce((sum, { coalesced }) => sum + coalesced.count, 0);
          const end = planned.nextDueAt ?? NOON;
          const expected = Math.round((end - start) / (stepSeconds * SECOND));
          expect(counted + planned.occurrences.length).toBe(expected);
          expect(new Set(times(planned)).size).toBe(planned.occurrences.length);
          expect(planned.occurrences.length).toBeLessThanOrEqual(90);
          for (const one of planned.occurrences) expect(one.dueAt).toBeGreaterThanOrEqual(one.scheduledTime);
        },
      ),
    );
  });

  it('gives the same in one go as in pieces when nothing was missed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 45 }), fc.integer({ min: 1, max: 30 }), (stepSeconds, pieces) => {
        const recurrence = everyMs(stepSeconds * SECOND);
        const whole = plan(input({ recurrence, limits: { planWindow: 20 * SECOND, maxOccurrences: 90 } }));
        const parts: EpochMs[] = [];
        let nextDueAt: EpochMs = NOON;
        for (let piece = 0; piece < 100 && nextDueAt <= at(20 * SECOND); piece += 1) {
          const limits = { planWindow: 20 * SECOND, maxOccurrences: pieces };
          const part = plan(input({ recurrence, nextDueAt, limits }));
          parts.push(...times(part));
          nextDueAt = epochMs(part.nextDueAt ?? Number.MAX_SAFE_INTEGER);
        }
        expect(parts).toEqual(times(whole));
      }),
    );
  });
});

describe('plan of times that take long to find', () => {
  // Each second but for all of them between the full hours: most of the work is to cross what is excluded.
  const spec = { expression: '* * * * * *', timezone: 'UTC', exclude: ['1-59 * * * * *', '0 1-59 * * * *'] };
  const recurrence = compile(spec, { seed: 'g/n', anchor: epochMs(0) });
  const nextDueAt = epochMs(NOON - 20 * HOUR);
  const limits = (maxSteps?: number) => ({
    planWindow: 10 * MINUTE,
    maxOccurrences: 90,
    ...(maxSteps !== undefined && { maxSteps }),
  });
  const counted = ({ records }: Plan) => records.reduce((sum, { coalesced }) => sum + coalesced.count, 0);

  it('ends when its steps are spent, says so, and the next one goes on from there', () => {
    const whole = plan(input({ recurrence, nextDueAt, limits: limits() }));
    expect(whole.costly).toBeUndefined();
    expect(counted(whole)).toBe(20);
    let [from, count, pieces]: [EpochMs | null, number, number] = [nextDueAt, 0, 0];
    const made: EpochMs[] = [];
    for (; made.length === 0 && from !== null && pieces < 100; pieces += 1) {
      const part = plan(input({ recurrence, nextDueAt: from, limits: limits(20_000) }));
      expect(part.nextDueAt ?? 0).toBeGreaterThan(from);
      count += counted(part);
      made.push(...times(part));
      from = part.nextDueAt;
    }
    expect(pieces).toBeGreaterThan(3);
    expect(count).toBe(20);
    expect(made).toEqual(times(whole));
    expect(from).toBe(whole.nextDueAt);
  });

  it('counts at least one time, however little it may cost', () => {
    const least = plan(input({ recurrence, nextDueAt, limits: limits(0) }));
    expect(least.costly).toBe(true);
    expect(counted(least)).toBe(1);
    expect(least.nextDueAt).toBe(nextDueAt + HOUR);
  });

  it('of ninety times ends within its steps too', () => {
    const ahead = { planWindow: 90 * HOUR, maxOccurrences: 90, maxSteps: 20_000 };
    const part = plan(input({ recurrence, nextDueAt: epochMs(NOON + HOUR), limits: ahead }));
    expect(part.costly).toBe(true);
    expect(part.occurrences.length).toBeGreaterThan(0);
    expect(part.occurrences.length).toBeLessThan(20);
    expect(part.nextDueAt).toBe(NOON + HOUR + part.occurrences.length * HOUR);
  });
});
