import { describe, expect, it } from 'vitest';
import { declaredRate } from '../../../lambdas/core/schedule/declared-rate.ts';
import { planningPolicy } from '../../../lambdas/core/schedule/head.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { DAY, type EpochMs, epochMs } from '../../../lambdas/core/time.ts';
import { definition, freshId, NOON } from '../../support/fixtures.ts';

function rateOf(expression: string | string[]): number {
  const policy = planningPolicy(definition({ expression, timezone: 'Asia/Kolkata' }));
  return declaredRate(headRecurrence({ id: freshId(), policy, anchor: NOON }), NOON);
}

describe('the declared rate', () => {
  it.each<[string | string[], number]>([
    ['0 9 * * *', 1],
    ['* * * * *', 1],
    ['*/10 * * * * *', 6],
    ['* * * * * *', 60],
    // A burst once a day, which has no fire in the minutes around it.
    ['* 30 9 * * *', 60],
    [['0 9 * * *', '*/20 0 9 1 * *'], 3],
    ['every PT45S', 2],
    ['at(2030-01-01T00:00:00)', 1],
    ['at(2020-01-01T00:00:00)', 0],
  ])('of %j is %i', (expression, rate) => {
    expect(rateOf(expression)).toBe(rate);
  });

  it('looks no further than a few years ahead of the first time, however seldom it fires', () => {
    const asked: number[] = [];
    const next = (after: EpochMs) => {
      asked.push(after);
      return { at: epochMs(after + 365 * DAY), notes: [] };
    };
    expect(declaredRate({ next }, NOON)).toBe(1);
    expect(asked.length).toBeLessThan(10);
    // A burst that comes seldom is seen where it begins.
    expect(rateOf('* 0 9 29 2 *')).toBe(60);
  });
});
