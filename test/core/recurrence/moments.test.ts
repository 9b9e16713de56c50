import { describe, expect, test } from 'vitest';
import { explainAt } from '../../../lambdas/core/recurrence/index.ts';
import { toIso } from '../../../lambdas/core/time.ts';
import { at, type Choice, CONTEXT, recurrence, take } from './support.ts';

const FROM = at('2026-01-01T00:00:00Z');
const NEW_YORK = { timezone: 'America/New_York' };

function times(expression: string, count: number, choice: Choice = {}): string[] {
  return take(recurrence(expression, choice), FROM, count).map(toIso);
}

describe('milliseconds', () => {
  test.each([
    ['at(2026-12-01T09:00:00.900Z)', ['2026-12-01T09:00:00.900Z']],
    ['at(2026-12-01T09:00:00.9Z)', ['2026-12-01T09:00:00.900Z']],
    ['at(2026-12-01T09:00:00.228+01:00)', ['2026-12-01T08:00:00.228Z']],
    ['at(2026-12-01T09:00:00.001)', ['2026-12-01T14:00:00.001Z']],
    // Finer than milliseconds, as Python writes them: never before it.
    ['at(2026-12-01T09:00:00.123456Z)', ['2026-12-01T09:00:00.124Z']],
    ['at(2026-12-01T09:00:00.999999Z)', ['2026-12-01T09:00:01.000Z']],
    ['at(2026-12-31T23:59:59.999999999Z)', ['2027-01-01T00:00:00.000Z']],
    ['every PT20S from 2026-12-01T09:00:00.555Z', ['2026-12-01T09:00:00.555Z', '2026-12-01T09:00:20.555Z']],
    ['R2/2026-12-01T09:00:00.555Z/PT1H', ['2026-12-01T09:00:00.555Z', '2026-12-01T10:00:00.555Z']],
    [
      'every P1D from 2026-10-31T01:30:00.250',
      ['2026-10-31T05:30:00.250Z', '2026-11-01T05:30:00.250Z', '2026-11-02T06:30:00.250Z'],
    ],
  ])('of %s are kept', (expression, expected) => {
    const found = recurrence(expression, NEW_YORK);
    expect(take(found, FROM, expected.length).map(toIso)).toEqual(expected);
    const backwards = expected.map((time) => found.prev(at(toIso(at(time) + 1)))?.at);
    expect(backwards.map((time) => toIso(time ?? 0))).toEqual(expected);
    expect(found.next(at(toIso(at(expected[0] ?? '') - 1)))?.at).toBe(at(expected[0] ?? ''));
  });

  test('of startAt and endAt are bounds: nothing fires before the one or after the other', () => {
    const bounds = { startAt: '2026-12-01T09:00:00.900Z', endAt: '2026-12-01T09:00:03.100Z' };
    expect(times('* * * * * *', 9, bounds)).toEqual([
      '2026-12-01T09:00:01.000Z',
      '2026-12-01T09:00:02.000Z',
      '2026-12-01T09:00:03.000Z',
    ]);
    const exact = { startAt: '2026-12-01T09:00:01Z', endAt: '2026-12-01T09:00:01.000Z' };
    expect(times('* * * * * *', 9, exact)).toEqual(['2026-12-01T09:00:01.000Z']);
  });

  test('are said by descriptions and explanations', () => {
    const text = 'at(2026-12-01T09:00:00.900Z)';
    expect(recurrence(text).description).toBe('Once, at 2026-12-01T09:00:00.900, UTC');
    const spec = { expression: text, timezone: 'UTC' };
    expect(explainAt(spec, CONTEXT, '2026-12-01T09:00:00.900Z').fires).toBe(true);
    const early = explainAt(spec, CONTEXT, '2026-12-01T09:00:00Z');
    expect(early).toMatchObject({ fires: false, next: '2026-12-01T09:00:00.900Z' });
    expect(early.message).toContain('2026-12-01T09:00:00.900Z');
  });

  test('of an exclusion exclude that time alone, a whole second all of it', () => {
    const every = 'every PT0.5S';
    expect(() => recurrence(every)).toThrow('whole numbers');
    const half = 'every PT1S from 2026-12-01T09:00:00.500Z';
    const next = (exclude: string) =>
      toIso(recurrence(half, { exclude: [exclude] }).next(at('2026-12-01T09:00:00Z'))?.at ?? 0);
    expect(next('2026-12-01T09:00:00Z')).toBe('2026-12-01T09:00:01.500Z');
    expect(next('2026-12-01T09:00:00.500Z')).toBe('2026-12-01T09:00:01.500Z');
    expect(next('2026-12-01T09:00:00.501Z')).toBe('2026-12-01T09:00:00.500Z');
  });
});

describe('startAt', () => {
  const start = { startAt: '2026-06-01T09:30:00', ...NEW_YORK };

  test.each(['every PT1H', 'rate(1 hour)', '@every 1h'])(
    'is where %s counts from, and its first time',
    (text) => {
      expect(times(text, 3, start)).toEqual([
        '2026-06-01T13:30:00.000Z',
        '2026-06-01T14:30:00.000Z',
        '2026-06-01T15:30:00.000Z',
      ]);
    },
  );

  test('is so to the millisecond, and through changes of clocks', () => {
    expect(times('every PT1H', 2, { startAt: '2026-06-01T09:30:00.250Z' })).toEqual([
      '2026-06-01T09:30:00.250Z',
      '2026-06-01T10:30:00.250Z',
    ]);
    const daily = take(recurrence('every P1D', start), at('2026-11-01T00:00:00Z'), 2).map(toIso);
    expect(daily).toEqual(['2026-11-01T14:30:00.000Z', '2026-11-02T14:30:00.000Z']);
  });

  test('is where a rule without DTSTART starts and counts', () => {
    expect(times('RRULE:FREQ=DAILY;COUNT=2', 9, start)).toEqual([
      '2026-06-01T13:30:00.000Z',
      '2026-06-02T13:30:00.000Z',
    ]);
    expect(times('RRULE:FREQ=DAILY;COUNT=2', 9, { startAt: '2026-06-01T09:30:00.001Z' })).toEqual([
      '2026-06-01T09:30:01.000Z',
      '2026-06-02T09:30:01.000Z',
    ]);
  });

  test('only bounds what has an anchor of its own', () => {
    expect(times('every PT1H from 2026-01-01T00:10:00Z', 1, start)).toEqual(['2026-06-01T14:10:00.000Z']);
    expect(times('0 * * * *', 1, start)).toEqual(['2026-06-01T14:00:00.000Z']);
    expect(times('DTSTART:20260101T001000Z RRULE:FREQ=HOURLY', 1, start)).toEqual([
      '2026-06-01T14:10:00.000Z',
    ]);
  });

  test('moved, moves the times; taken away, leaves those from the creation', () => {
    const context = { anchor: at('2026-01-01T00:17:00Z') };
    const hourly = (startAt?: string) => times('every PT1H', 1, { context, ...(startAt && { startAt }) })[0];
    expect(hourly('2026-06-01T09:30:00Z')).toBe('2026-06-01T09:30:00.000Z');
    expect(hourly('2026-06-01T09:45:00Z')).toBe('2026-06-01T09:45:00.000Z');
    expect(hourly()).toBe('2026-01-01T01:17:00.000Z');
  });

  test('is said once', () => {
    expect(recurrence('rate(1 hour)', start).description).toBe(
      'Every hour from 2026-06-01T09:30:00, New York time',
    );
    expect(recurrence('0 * * * *', start).description).toContain('from 2026-06-01T09:30:00');
  });
});
