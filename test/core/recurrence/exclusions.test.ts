import { describe, expect, test } from 'vitest';
import { measureWork } from '../../../lambdas/core/recurrence/index.ts';
import { at, fires, recurrence, refused, short, take } from './support.ts';

const FROM = '2026-12-23T12:00:00Z';
const NEW_YORK = { timezone: 'America/New_York' };

describe('an exclusion', () => {
  test.each([
    ['a date', '2026-12-25', ['24', '26', '27']],
    ['a range of dates, both ends', '2026-12-24/2026-12-26', ['27', '28', '29']],
    ['a time', '2026-12-24T09:00:00', ['25', '26', '27']],
    ['an instant', '2026-12-24T09:00:00Z', ['25', '26', '27']],
    ['a range of times', '2026-12-24T08:00/2026-12-25T10:00', ['26', '27', '28']],
    ['a range of times, its end not', '2026-12-24T08:00/2026-12-25T09:00', ['25', '26', '27']],
    ['whole days by expression', '* * 25 12 *', ['24', '26', '27']],
    ['hours by expression', '* 8-9 * * FRI', ['24', '26', '27']],
    ['exact times by expression', '0 9 24,25 * *', ['26', '27', '28']],
    ['a rule', 'DTSTART:20261201T090000Z RRULE:FREQ=DAILY;INTERVAL=2', ['24', '26', '28']],
    ['an interval', 'every P2D from 2026-12-01T09:00:00', ['24', '26', '28']],
    ['nothing that fires at another time', '30 9 * * *', ['24', '25', '26']],
  ])('excludes %s', (_, exclude, days) => {
    expect(fires('0 9 * * *', FROM, 3, { exclude: [exclude] })).toEqual(
      days.map((day) => `2026-12-${day}T09:00:00Z`),
    );
  });

  test('without seconds excludes the whole minute', () => {
    const choice = { exclude: ['0 9 * * *'] };
    expect(fires('*/20 * * * * *', '2026-12-24T08:59:30Z', 2, choice)).toEqual([
      '2026-12-24T08:59:40Z',
      '2026-12-24T09:01:00Z',
    ]);
  });

  test('of a date is that of the schedule zone, changes of clocks included', () => {
    const times = fires('0 * * * *', '2026-10-31T22:00:00Z', 40, { ...NEW_YORK, exclude: ['2026-11-01'] });
    expect(times).toContain('2026-11-01T03:00:00Z');
    expect(times.filter((time) => time > '2026-11-01T03:00:00Z' && time < '2026-11-02T05:00:00Z')).toEqual(
      [],
    );
    expect(times).toContain('2026-11-02T05:00:00Z');
  });

  test('is passed in one step however often the schedule fires', () => {
    const seconds = recurrence('* * * * * *', { exclude: ['2026-01-01/2027-12-31', '* * * * 0-5'] });
    expect(short(seconds.next(at('2026-06-01T00:00:00Z'))?.at ?? 0)).toBe('2028-01-01T00:00:00Z');
    expect(short(seconds.prev(at('2027-06-01T00:00:00Z'))?.at ?? 0)).toBe('2025-12-27T23:59:59Z');
  });

  test('that leaves nothing is found out soon, however it is written', () => {
    const holes = [...Array.from({ length: 98 }, () => '0 8 * * *'), '*/2 9 * * *', '1-59/2 9 * * *'];
    const leapMondays = Array.from({ length: 10 }, () => 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO');
    const scenes = [
      { expression: '* 9 * * *', exclude: holes },
      { expression: '0 9 * * *', exclude: holes, onExcluded: 'next-business-day' },
      { expression: leapMondays, exclude: ['* * 29 2 *'] },
    ] as const;
    for (const { expression, ...choice } of scenes) {
      const steps = measureWork();
      expect(refused(() => recurrence(expression, choice)).code).toBe('expression.never-fires');
      // Some ten milliseconds, on a machine that does nothing else.
      expect(steps()).toBeLessThan(300_000);
    }
  });

  const rare = Array.from(
    { length: 100 },
    (_, i) =>
      `DTSTART:20000101T000000Z RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYMINUTE=${i % 60}`,
  );
  test.each([
    ['rules', rare],
    ['cron texts', Array.from({ length: 100 }, (_, i) => `${i % 60} ${i % 60} 3 1 1 *`)],
    ['intervals', Array.from({ length: 100 }, (_, i) => `every P1Y from 2020-01-01T00:00:${10 + (i % 50)}Z`)],
    ['dates', Array.from({ length: 100 }, (_, i) => `2030-01-01T00:00:${10 + (i % 50)}Z`)],
  ])('of a hundred rare %s costs a fire no more than none', (_, exclude) => {
    const free = recurrence('* * * * * *', { timezone: 'Europe/Berlin' });
    const excluded = recurrence('* * * * * *', { timezone: 'Europe/Berlin', exclude });
    const from = at('2026-06-01T00:00:00Z');
    const cost = (of: typeof free, count: number) => {
      const steps = measureWork();
      const found = take(of, from, count);
      return { steps: steps(), found };
    };
    cost(excluded, 1);
    const [with100, without] = [cost(excluded, 3_000), cost(free, 3_000)];
    expect(with100.found).toEqual(without.found);
    expect(with100.steps).toBeLessThan(1.1 * without.steps);
  });

  test('of everything is refused', () => {
    const error = refused(() => recurrence('0 9 * * *', { exclude: ['* 9 * * *'] }));
    expect(error).toMatchObject({ code: 'expression.never-fires', field: 'exclude' });
    expect(refused(() => recurrence('* * * * * *', { exclude: ['* * * * *'] })).code).toBe(
      'expression.never-fires',
    );
  });

  test.each([
    ['2026-02-30', 'not a calendar date'],
    ['2026-12-26/2026-12-24', 'ends before it begins'],
    ['2026-12-25T10:00/2026-12-25T09:00', 'earlier'],
    ['christmas', 'has 1 field'],
    ['', 'empty'],
  ])('%j is refused, naming its place in the list', (text, why) => {
    const error = refused(() => recurrence('@daily', { exclude: ['2026-12-24', text] }));
    expect(error.field).toBe('exclude[1]');
    expect(error.message).toContain(why);
  });
});

describe('bounds', () => {
  const bounds = { startAt: '2026-12-24T09:00:00', endAt: '2026-12-26T09:00:00Z' };

  test('include the times that they name', () => {
    expect(fires('0 9 * * *', '2026-01-01T00:00:00Z', 9, bounds)).toEqual([
      '2026-12-24T09:00:00Z',
      '2026-12-25T09:00:00Z',
      '2026-12-26T09:00:00Z',
    ]);
    const backwards = recurrence('0 9 * * *', bounds);
    expect(backwards.prev(at('2030-01-01T00:00:00Z'))?.at).toBe(at('2026-12-26T09:00:00Z'));
    expect(backwards.prev(at('2026-12-24T09:00:00Z'))).toBeNull();
  });

  test('that hold no time are refused', () => {
    const swapped = { startAt: bounds.endAt, endAt: bounds.startAt };
    expect(refused(() => recurrence('0 9 * * *', swapped)).field).toBe('endAt');
    expect(refused(() => recurrence('0 0 29 2 *', bounds)).code).toBe('expression.never-fires');
    expect(refused(() => recurrence('@daily', { startAt: 'soon' })).field).toBe('startAt');
  });
});

describe('several expressions', () => {
  test('fire when any does, once when several do', () => {
    expect(fires(['0 9 * * *', '0 9,18 * * MON', 'at(2026-12-28T10:00)'], '2026-12-27T12:00:00Z', 4)).toEqual(
      ['2026-12-28T09:00:00Z', '2026-12-28T10:00:00Z', '2026-12-28T18:00:00Z', '2026-12-29T09:00:00Z'],
    );
  });

  test('are each asked only when its turn comes', () => {
    const every = (step: number) => `*/${step} * * * * *`;
    const ten = recurrence(Array.from({ length: 10 }, (_, index) => every(index + 1)));
    const from = at('2026-06-01T00:00:00Z');
    const steps = measureWork();
    expect(take(ten, from, 2_520)).toEqual(take(recurrence(every(1)), from, 2_520));
    // A tenth, a ninth … of the seconds, and all of them once more for the comparison.
    expect(steps()).toBeLessThan(5 * 2_520);
    expect(ten.prev(at('2026-06-01T00:00:07Z'))?.at).toBe(at('2026-06-01T00:00:06Z'));
  });
});
