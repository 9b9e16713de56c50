import { describe, expect, test } from 'vitest';
import { explainAt, type RecurrenceSpec } from '../../../lambdas/core/recurrence/index.ts';
import { at, CONTEXT, refused } from './support.ts';

const NEW_YORK = 'America/New_York';

function explained(expression: string, when: string, choice: Partial<RecurrenceSpec> = {}) {
  const context = {
    ...CONTEXT,
    calendars: new Map([['bank', { dates: ['2026-12-25'], closedWeekdays: ['SAT', 'SUN'] } as const]]),
  };
  return explainAt({ expression, timezone: 'UTC', ...choice }, context, when);
}

describe('an explanation', () => {
  test('of a fire says that it matches, and what is around it', () => {
    expect(explained('0 9 * * *', '2026-06-01T09:00:00Z')).toEqual({
      at: '2026-06-01T09:00:00.000Z',
      local: '2026-06-01T09:00:00+00:00',
      fires: true,
      rule: 'matches',
      message: 'It is a time of At 09:00, UTC.',
      notes: [],
      previous: '2026-05-31T09:00:00.000Z',
      next: '2026-06-02T09:00:00.000Z',
    });
  });

  test.each([
    ['0 9 * * MON', '2026-06-02T09:00:00Z', 'not a matching day: Monday'],
    ['0 9 * 5 *', '2026-06-02T09:00:00Z', 'June is not one of its months'],
    ['0 9-17 * * *', '2026-06-02T08:00:00Z', 'hour 8 is not in 9 to 17'],
    ['0,30 * * * *', '2026-06-02T08:15:00Z', 'minute 15 is not in 0 and 30'],
    ['0 9 * * *', '2026-06-02T09:00:01Z', 'second 1 is not in 0'],
    ['0 0 9 * * * 2027', '2026-06-02T09:00:00Z', 'year 2026 is not in 2027'],
    ['0 9 * * *', '2026-06-02T09:00:00.500Z', 'whole seconds'],
    ['every PT2H from 2026-01-01T00:00', '2026-06-02T09:00:00Z', 'not one of the times of the interval'],
    ['at(2026-12-01T09:00)', '2026-06-02T09:00:00Z', 'only once, at 2026-12-01T09:00:00.000Z'],
  ])('of %s at %s names what does not match', (text, when, why) => {
    const explanation = explained(text, when);
    expect(explanation).toMatchObject({ fires: false, rule: 'no-match' });
    expect(explanation.message).toContain(why);
  });

  test.each([
    ['before-start', { startAt: '2026-12-26' }, 'before startAt'],
    ['after-end', { endAt: '2026-12-24' }, 'after endAt'],
    ['excluded', { exclude: ['2026-12-24/2026-12-26'] }, 'exclude[0] (2026-12-24/2026-12-26)'],
    ['excluded', { calendars: ['bank'] }, 'calendar bank'],
    ['moved', { calendars: ['bank'], onExcluded: 'next-business-day' }, 'next-business-day'],
  ] as const)('names the rule %s that keeps a match from firing', (rule, choice, why) => {
    const explanation = explained('0 9 * * *', '2026-12-25T09:00:00Z', choice);
    expect(explanation).toMatchObject({ fires: false, rule });
    expect(explanation.message).toContain(why);
  });

  test.each([
    ['run-after', 'it runs at 2026-03-08T03:00:00 instead'],
    ['shift', 'it runs at 2026-03-08T03:30:00 instead'],
    ['skip', 'it does not run'],
  ] as const)('of a local time in a gap says what %s does with it', (gap, outcome) => {
    const explanation = explained('30 2 * * *', '2026-03-08T02:30', { timezone: NEW_YORK, dst: { gap } });
    expect(explanation).toMatchObject({ at: null, fires: false, rule: 'dst.gap' });
    expect(explanation.message).toContain(outcome);
    expect(explanation.previous).toBe('2026-03-07T07:30:00.000Z');
  });

  test('of a local time in a gap that no expression names says so', () => {
    const { message } = explained('30 4 * * *', '2026-03-08T02:30', { timezone: NEW_YORK });
    expect(message).toContain('no expression names it');
  });

  test('of the pass that does not run says that the other does', () => {
    const second = explained('30 1 * * *', '2026-11-01T06:30:00Z', { timezone: NEW_YORK });
    expect(second).toMatchObject({ fires: false, rule: 'dst.overlap' });
    expect(second.message).toContain('this is the second pass');
    const local = explained('30 1 * * *', '2026-11-01T01:30', { timezone: NEW_YORK });
    expect(local).toMatchObject({ fires: true, at: '2026-11-01T05:30:00.000Z' });
    expect(local.notes.map(({ code }) => code)).toEqual(['dst.overlap.first']);
  });

  test('of a local time that comes twice picks the pass that runs', () => {
    const choice = { timezone: NEW_YORK, dst: { overlap: 'second' } } as const;
    expect(explained('30 1 * * *', '2026-11-01T01:30', choice)).toMatchObject({
      fires: true,
      at: '2026-11-01T06:30:00.000Z',
    });
  });

  test('takes an instant as a number too', () => {
    const spec = { expression: '@daily', timezone: 'UTC' };
    expect(explainAt(spec, CONTEXT, at('2026-06-01T00:00:00Z')).fires).toBe(true);
  });

  test('of what is no time is refused', () => {
    expect(refused(() => explained('@daily', 'yesterday'))).toMatchObject({
      code: 'expression.invalid',
      field: 'at',
    });
  });
});
