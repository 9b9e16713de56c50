import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scheduleId } from '../../lambdas/core/ids.ts';
import { MAX_MISSED_PER_PLAN, type PlanInput, plan } from '../../lambdas/core/planner.ts';
import { type CatchUpPolicy, DEFAULT_CATCH_UP, planningPolicy } from '../../lambdas/core/schedule.ts';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, definition, everyMs, NOON } from '../support/fixtures.ts';

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

  it('runs the latest missed time by default and records the others as one', () => {
    const planned = outage({}, {});
    const caughtUp = planned.occurrences.filter((one) => one.notes.some(({ code }) => code === 'catch-up'));
    expect(times({ occurrences: caughtUp })).toEqual([NOON]);
    expect(planned.records.map(({ coalesced }) => coalesced)).toEqual([
      { count: 360, from: at(-6 * HOUR), to: at(-MINUTE) },
    ]);
  });

  it('runs none with skip, and says how many there were', () => {
    const planned = outage({}, { mode: 'skip' });
    expect(times(planned)[0]).toBe(at(MINUTE));
    expect(planned.records[0]?.coalesced.count).toBe(361);
  });

  it('runs at most maxRuns with all, the latest ones, spread over the time given, oldest first', () => {
    const planned = outage({}, { mode: 'all', maxRuns: 20, spreadOver: 'PT10M' });
    const caughtUp = planned.occurrences.filter((one) => one.notes.some(({ code }) => code === 'catch-up'));
    expect(times({ occurrences: caughtUp })).toEqual(
      Array.from({ length: 20 }, (_, i) => at((i - 19) * MINUTE)),
    );
    expect(caughtUp.map(({ dueAt }) => dueAt)).toEqual(
      Array.from({ length: 20 }, (_, i) => at(i * 30 * SECOND)),
    );
    expect(planned.records[0]?.coalesced.count).toBe(341);
  });

  it('runs nothing older than maxAge', () => {
    const planned = outage({}, { mode: 'all', maxRuns: 90, maxAge: 'PT10M' });
    expect(times(planned)[0]).toBe(at(-10 * MINUTE));
  });

  it('counts a backlog that is too long for one plan in pieces, and runs only what comes last', () => {
    let nextDueAt: EpochMs | null = at(-2 * DAY);
    let recorded = 0;
    let caughtUp: readonly EpochMs[] = [];
    for (let rounds = 0; nextDueAt !== null && nextDueAt <= NOON; rounds += 1) {
      expect(rounds).toBeLessThan(10);
      const planned = plan(input({ recurrence: everyMs(SECOND), nextDueAt }));
      recorded += planned.records.reduce((sum, { coalesced }) => sum + coalesced.count, 0);
      caughtUp = times(planned).filter((time) => time <= NOON);
      nextDueAt = planned.nextDueAt;
    }
    expect(recorded).toBeGreaterThan(MAX_MISSED_PER_PLAN);
    expect(recorded + caughtUp.length).toBe((2 * DAY) / SECOND + 1);
    expect(caughtUp).toEqual([NOON]);
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
