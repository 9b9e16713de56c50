import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calendarWalls } from '../../../lambdas/core/recurrence/interval.ts';
import { at, fires, recurrence, refused, short } from './support.ts';

const NEW_YORK = { timezone: 'America/New_York' };

describe('elapsed intervals', () => {
  test('keep their length through changes of clocks', () => {
    expect(fires('every PT12H from 2026-03-07T09:00:00', '2026-03-07T00:00:00Z', 4, NEW_YORK)).toEqual([
      '2026-03-07T14:00:00Z',
      '2026-03-08T02:00:00Z',
      '2026-03-08T14:00:00Z',
      '2026-03-09T02:00:00Z',
    ]);
  });

  test('without an anchor count from the creation, in whole seconds, and fire one period after it', () => {
    const choice = { context: { anchor: at('2026-01-01T10:00:00.750Z') } };
    expect(fires('every PT90S', '2026-01-01T00:00:00Z', 2, choice)).toEqual([
      '2026-01-01T10:01:30Z',
      '2026-01-01T10:03:00Z',
    ]);
    expect(recurrence('rate(1 day)', choice).prev(at('2026-01-01T12:00:00Z'))).toBeNull();
  });

  test('mean the same in every notation', () => {
    const from = '2026-01-01T00:00:00Z';
    const expected = fires('every PT90M', from, 5);
    expect(fires('@every 1h30m', from, 5)).toEqual(expected);
    expect(fires('@every 1.5h', from, 5)).toEqual(expected);
    expect(fires('@every PT1H30M', from, 5)).toEqual(expected);
    expect(fires('rate(90 minutes)', from, 5)).toEqual(expected);
    expect(fires('R/2026-01-01T01:30:00Z/PT90M', from, 5)).toEqual(expected);
  });

  test('end after the repetitions that the text names', () => {
    const five = recurrence('R5/2026-11-01T00:30:00Z/PT1H');
    expect(fires('R5/2026-11-01T00:30:00Z/PT1H', '2026-01-01T00:00:00Z', 9)).toHaveLength(5);
    expect(five.prev(at('2030-01-01T00:00:00Z'))?.at).toBe(at('2026-11-01T04:30:00Z'));
  });
});

describe('calendar intervals', () => {
  test('keep the local time through changes of clocks', () => {
    expect(fires('every P1D from 2026-03-07T09:00:00', '2026-03-07T00:00:00Z', 3, NEW_YORK)).toEqual([
      '2026-03-07T14:00:00Z',
      '2026-03-08T13:00:00Z',
      '2026-03-09T13:00:00Z',
    ]);
  });

  test('run after a gap and once in an overlap, as fixed times do', () => {
    expect(fires('every P1D from 2026-03-07T02:30:00', '2026-03-07T08:00:00Z', 2, NEW_YORK)).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:30:00Z',
    ]);
  });

  test('count from the anchor, so that short months do not move the ones after them', () => {
    expect(fires('every P1M from 2026-01-31T09:00:00', '2026-01-01T00:00:00Z', 4)).toEqual([
      '2026-01-31T09:00:00Z',
      '2026-02-28T09:00:00Z',
      '2026-03-31T09:00:00Z',
      '2026-04-30T09:00:00Z',
    ]);
    expect(fires('every P1Y from 2024-02-29', '2026-06-01T00:00:00Z', 2)).toEqual([
      '2027-02-28T00:00:00Z',
      '2028-02-29T00:00:00Z',
    ]);
  });

  test('are found as by counting up from the anchor', () => {
    const step = fc.record({
      months: fc.integer({ min: 0, max: 40 }),
      days: fc.integer({ min: 0, max: 400 }),
    });
    fc.assert(
      fc.property(
        step.filter(({ months, days }) => months + days > 0),
        fc.integer({ min: Date.UTC(1990, 0, 1) / 1_000, max: Date.UTC(2030, 0, 1) / 1_000 }),
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: -100_000, max: 100_000 }),
        (period, anchor, term, near) => {
          const walls = calendarWalls(anchor, period, { first: 0, last: Infinity });
          const terms = [anchor];
          for (let last = anchor; terms.length <= term + 2; ) {
            last = walls.next(last + 1);
            terms.push(last);
          }
          const asked = (terms[term] ?? 0) + near;
          expect(walls.next(asked)).toBe(terms.find((wall) => wall >= asked) ?? walls.next(asked));
          const before = terms.findLast((wall) => wall <= asked);
          expect(walls.prev(asked)).toBe(before ?? -Infinity);
          // And the terms are those of the calendar.
          const date = new Date(anchor * 1_000);
          const first = new Date(
            Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + term * period.months, 1),
          );
          const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
          const day = Math.min(date.getUTCDate(), length) - 1 + term * period.days;
          expect(terms[term]).toBe(
            first.getTime() / 1_000 + day * 86_400 + (((anchor % 86_400) + 86_400) % 86_400),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('one shots', () => {
  test('fire once, at a local time or an instant', () => {
    expect(fires('at(2026-07-01T09:00)', '2026-01-01T00:00:00Z', 3, NEW_YORK)).toEqual([
      '2026-07-01T13:00:00Z',
    ]);
    expect(fires('at(2026-07-01T09:00:00+02:00)', '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-07-01T07:00:00Z',
    ]);
  });

  test('with an offset may be in the second pass of an overlap', () => {
    expect(fires('at(2026-11-01T01:30:00-05:00)', '2026-01-01T00:00:00Z', 1, NEW_YORK)).toEqual([
      '2026-11-01T06:30:00Z',
    ]);
  });
});

describe('interval texts', () => {
  test.each([
    ['every PT0S', 'expression.out-of-range'],
    ['every PT0.5S', 'expression.invalid'],
    ['every P1DT12H', 'expression.invalid'],
    ['every P200Y', 'expression.out-of-range'],
    ['every PT999999999H', 'expression.out-of-range'],
    ['every -PT5M', 'expression.invalid'],
    ['every 5 minutes', 'expression.invalid'],
    ['every P', 'expression.invalid'],
    ['every PT', 'expression.invalid'],
    ['every P1D from 2026-03-08T02:30:00', 'expression.local-time-missing'],
    ['every P1D from 0026-01-01', 'expression.out-of-range'],
    ['@every 10ms', 'expression.invalid'],
    ['@every 0.3s', 'expression.out-of-range'],
    ['R0/2026-01-01T00:00:00Z/P1D', 'expression.never-fires'],
    ['R/P1D/2026-01-01T00:00:00Z', 'expression.invalid'],
    ['R/2026-01-01T00:00:00Z/2026-01-02T00:00:00Z', 'expression.invalid'],
  ])('%s is refused as %s', (text, code) => {
    expect(refused(() => recurrence(text, NEW_YORK)).code).toBe(code);
  });

  test('end with the year 9999', () => {
    const monthly = recurrence('every P1M from 2026-01-31T09:00:00');
    const last = monthly.next(at('9999-12-01T00:00:00Z'));
    expect(last && short(last.at)).toBe('9999-12-31T09:00:00Z');
    expect(last && monthly.next(last.at)).toBeNull();
  });
});
