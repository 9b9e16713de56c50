import { describe, expect, it } from 'vitest';
import { planningPolicy, type ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { countsAsSuccess, successExpectedBy } from '../../../lambdas/core/schedule/watch.ts';
import { DAY, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { at, definition, head, NOON } from '../../support/fixtures.ts';

/** NOON is a Sunday. */
function watched(
  changes: Partial<ScheduleHead> = {},
  from: Parameters<typeof definition>[0] = {},
): ScheduleHead {
  const own = definition({ expression: '0 9 * * *', expectSuccessWithin: 'PT26H', ...from });
  return head({ policy: planningPolicy(own), ...changes });
}

describe('the time by which a success is expected', () => {
  it('is counted from the last success', () => {
    const last = at(21 * HOUR);
    expect(successExpectedBy(watched(), last)).toBe(last + 26 * HOUR);
  });

  it('is counted from the last change of the schedule when there was no success since', () => {
    expect(successExpectedBy(watched(), undefined)).toBe(at(26 * HOUR));
    expect(successExpectedBy(watched({ updatedAt: at(5 * HOUR) }), at(2 * HOUR))).toBe(at(31 * HOUR));
  });

  it('is null for a schedule that does not ask, is deleted, or is paused until somebody resumes it', () => {
    expect(successExpectedBy(head(), undefined)).toBeNull();
    expect(successExpectedBy(watched({ state: 'deleted' }), undefined)).toBeNull();
    const pause = { since: NOON, by: 'me', from: NOON, unrecorded: null };
    expect(successExpectedBy(watched({ state: 'paused', pause }), undefined)).toBeNull();
  });

  it('looks past a pause that ends by itself, whose tick may be dead', () => {
    const pause = { since: NOON, by: 'me', from: NOON, unrecorded: null, until: at(DAY) };
    expect(successExpectedBy(watched({ state: 'paused', pause }), NOON)).toBe(at(DAY + 26 * HOUR));
  });

  it('waits for the next time where nothing is to run before it: a weekend is no failure', () => {
    const weekdays = watched({}, { expression: '0 9 * * MON-FRI' });
    const friday = epochMs(Date.UTC(2026, 2, 6, 9));
    expect(successExpectedBy(weekdays, friday)).toBe(Date.UTC(2026, 2, 9, 9) + 26 * HOUR);
    const monday = epochMs(Date.UTC(2026, 2, 9, 9));
    expect(successExpectedBy(weekdays, monday)).toBe(monday + 26 * HOUR);
    const summer = watched({}, { startAt: '2026-06-01T00:00:00' });
    expect(successExpectedBy(summer, undefined)).toBe(Date.UTC(2026, 5, 1, 9) + 26 * HOUR);
  });

  it('of a one-shot is counted from its time, and is null once that has been taken care of', () => {
    const once = watched(
      { state: 'completed', nextDueAt: null },
      { expression: 'at(2026-03-01T12:30:00)', expectSuccessWithin: 'PT1H' },
    );
    expect(successExpectedBy(once, undefined)).toBe(at(90 * MINUTE));
    expect(successExpectedBy(once, at(31 * MINUTE))).toBeNull();
  });

  it('of a schedule that ran out of runs is null once the last has succeeded, and not before', () => {
    const done = { state: 'completed', nextDueAt: null, remainingRuns: 0, lastRunAt: at(21 * HOUR) } as const;
    const thrice = watched(done, { maxRuns: 3 });
    expect(successExpectedBy(thrice, at(21 * HOUR + 1))).toBeNull();
    expect(successExpectedBy(thrice, at(HOUR))).toBe(at(47 * HOUR));
  });
});

describe('a success counts', () => {
  it('whether it was on time or asked for by a person, and not from a backfill', () => {
    const kinds = (['scheduled', 'manual', 'backfill'] as const).filter((kind) => countsAsSuccess({ kind }));
    expect(kinds).toEqual(['scheduled', 'manual']);
  });
});
