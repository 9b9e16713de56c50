import { describe, expect, test } from 'vitest';
import { type CalendarDefinition, checkCalendar } from '../../../lambdas/core/recurrence/index.ts';
import { at, type Choice, fires, recurrence, refused, short } from './support.ts';

const BANK: CalendarDefinition = {
  dates: ['2026-12-24/2026-12-25', '2027-01-01'],
  closedWeekdays: ['SAT', 'SUN'],
};

function bank(onExcluded: 'skip' | 'next-business-day' | 'previous-business-day', calendar = BANK): Choice {
  return { calendars: ['bank'], onExcluded, context: { calendars: new Map([['bank', calendar]]) } };
}

describe('a calendar', () => {
  // Thursday 24 and Friday 25 December are closed, and the weekend after them.
  test.each([
    ['skip', ['23', '28', '29']],
    ['next-business-day', ['23', '28', '29']],
    ['previous-business-day', ['23', '28', '29']],
  ] as const)('under %s leaves no daily fire on a closed day', (onExcluded, days) => {
    expect(fires('0 9 * * *', '2026-12-22T12:00:00Z', 3, bank(onExcluded))).toEqual(
      days.map((day) => `2026-12-${day}T09:00:00Z`),
    );
  });

  test.each([
    ['skip', ['2027-01-25T09:00:00Z', '2027-02-25T09:00:00Z']],
    ['next-business-day', ['2026-12-28T09:00:00Z', '2027-01-25T09:00:00Z']],
    ['previous-business-day', ['2026-12-23T09:00:00Z', '2027-01-25T09:00:00Z']],
  ] as const)('under %s drops or moves a monthly fire on a closed day', (onExcluded, expected) => {
    expect(fires('0 9 25 * *', '2026-12-01T00:00:00Z', 2, bank(onExcluded))).toEqual(expected);
  });

  test('moves fires so that previous is the inverse of next', () => {
    for (const onExcluded of ['next-business-day', 'previous-business-day'] as const) {
      const of = recurrence('0 9,17 24-27 * *', bank(onExcluded));
      const forwards: string[] = [];
      for (
        let fire = of.next(at('2026-12-01T00:00:00Z'));
        fire && forwards.length < 12;
        fire = of.next(fire.at)
      )
        forwards.push(short(fire.at));
      const backwards = [forwards.at(-1)];
      for (
        let fire = of.prev(at(forwards.at(-1) ?? ''));
        backwards.length < 12 && fire;
        fire = of.prev(fire.at)
      )
        backwards.unshift(short(fire.at));
      expect(backwards).toEqual(forwards);
    }
  });

  test('orders moved fires by where they went, not by where they came from', () => {
    // A Saturday at 09:00 and the Sunday after it at 08:00.
    const texts = ['0 9 26 12 *', '0 8 27 12 *'];
    const weekends: CalendarDefinition = { dates: [], closedWeekdays: ['SAT', 'SUN'] };
    const earlier = bank('previous-business-day', weekends);
    expect(fires(texts, '2026-12-01T00:00:00Z', 2, earlier)).toEqual([
      '2026-12-25T08:00:00Z',
      '2026-12-25T09:00:00Z',
    ]);
    const later = recurrence(texts, bank('next-business-day', weekends));
    const last = later.prev(at('2026-12-31T00:00:00Z'));
    expect(last?.at).toBe(at('2026-12-28T09:00:00Z'));
    expect(last && later.prev(last.at)?.at).toBe(at('2026-12-28T08:00:00Z'));
  });

  test('keeps the local time of a moved fire, and says why it moved', () => {
    const of = recurrence('30 9 31 10 *', {
      timezone: 'America/New_York',
      ...bank('next-business-day'),
    });
    // 31 October 2026 is a Saturday; clocks go back on the Sunday.
    const fire = of.next(at('2026-10-01T00:00:00Z'));
    expect(short(fire?.at ?? 0)).toBe('2026-11-02T14:30:00Z');
    expect(fire?.notes).toEqual([
      {
        code: 'calendar.moved-later',
        message: '2026-10-31T09:30:00 is closed by calendar bank; it runs on the next business day.',
      },
    ]);
  });

  test('has the days of its own zone', () => {
    const tokyo: CalendarDefinition = { dates: ['2026-12-25'], closedWeekdays: [], timezone: 'Asia/Tokyo' };
    // 20:00 UTC on the 24th is the 25th in Tokyo; on the 25th it is the 26th.
    expect(fires('0 20 * * *', '2026-12-23T21:00:00Z', 1, bank('skip', tokyo))).toEqual([
      '2026-12-25T20:00:00Z',
    ]);
  });

  test('does not move fires out of more than a month of closed days', () => {
    const shut: CalendarDefinition = { dates: ['2026-06-01/2026-08-31'], closedWeekdays: [] };
    expect(fires('0 9 1 * *', '2026-05-15T00:00:00Z', 1, bank('next-business-day', shut))).toEqual([
      '2026-09-01T09:00:00Z',
    ]);
    expect(fires('0 9 15 6,9 *', '2026-05-15T00:00:00Z', 1, bank('next-business-day', shut))).toEqual([
      '2026-09-15T09:00:00Z',
    ]);
  });

  test('that is not stored is refused, naming its place in the list', () => {
    expect(refused(() => recurrence('@daily', { calendars: ['bank'] }))).toMatchObject({
      code: 'calendar.not-found',
      field: 'calendars[0]',
    });
  });

  test('does not move what fires more than hourly', () => {
    const error = refused(() => recurrence('*/30 * * * *', bank('next-business-day')));
    expect(error).toMatchObject({ code: 'expression.invalid', field: 'onExcluded' });
    expect(refused(() => recurrence('0 9 1 * *', bank('later' as 'skip'))).field).toBe('onExcluded');
    const exclude = Array.from({ length: 31 }, (_, day) => `2026-12-${String(day + 1).padStart(2, '0')}`);
    const many = refused(() => recurrence('0 9 1 * *', { exclude, onExcluded: 'next-business-day' }));
    expect(many.message).toContain('a calendar holds more');
  });
});

describe('checking a calendar', () => {
  test('accepts a good one', () => {
    expect(() => checkCalendar(BANK)).not.toThrow();
  });

  test.each([
    [{ dates: ['2026-12-25', 'easter'], closedWeekdays: [] }, 'dates[1]'],
    [{ dates: ['2026-02-30'], closedWeekdays: [] }, 'dates[0]'],
    [{ dates: [], closedWeekdays: ['SATURDAY'] }, 'closedWeekdays[0]'],
    [{ dates: [], closedWeekdays: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] }, 'closedWeekdays'],
    [{ dates: [], closedWeekdays: [], timezone: 'Mars' }, 'timezone'],
    [{ dates: Array.from({ length: 1_001 }, () => '2026-12-25'), closedWeekdays: [] }, 'dates'],
  ])('names the field at fault (%#)', (calendar, field) => {
    expect(refused(() => checkCalendar(calendar as unknown as CalendarDefinition)).field).toBe(field);
  });
});
