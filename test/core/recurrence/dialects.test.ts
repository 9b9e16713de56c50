import { describe, expect, test } from 'vitest';
import { fires, recurrence, refused } from './support.ts';

const FROM = '2026-01-01T00:00:00Z';

describe('EventBridge text', () => {
  test('counts weekdays from Sunday, 1', () => {
    expect(fires('cron(0 9 ? * 2-6 *)', FROM, 3)).toEqual(fires('0 9 * * MON-FRI', FROM, 3));
    expect(fires('cron(0 9 ? * L *)', FROM, 2)).toEqual(fires('0 9 * * SAT', FROM, 2));
    expect(fires('cron(0 9 ? * 6L *)', FROM, 2)).toEqual(fires('0 9 * * 5L', FROM, 2));
  });

  test('skips a time in the gap, and runs once in the overlap, whatever its fields', () => {
    const choice = { timezone: 'America/New_York' };
    expect(fires('cron(0/30 2 * * ? *)', '2026-03-07T12:00:00Z', 1, choice)).toEqual([
      '2026-03-09T06:00:00Z',
    ]);
    expect(fires('cron(0/30 * * * ? *)', '2026-11-01T05:15:00Z', 2, choice)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T07:00:00Z',
    ]);
  });

  test('follows the schedule where that chooses otherwise', () => {
    const choice = { timezone: 'America/New_York', dst: { gap: 'run-after', overlap: 'both' } } as const;
    expect(fires('cron(30 2 * * ? *)', '2026-03-07T12:00:00Z', 1, choice)).toEqual(['2026-03-08T07:00:00Z']);
    expect(fires('cron(30 1 * * ? *)', '2026-11-01T04:00:00Z', 2, choice)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
    ]);
  });

  test.each([
    ['cron(0 9 * * *)', 'has 5 fields'],
    ['cron(0 9 * * * *)', 'exactly one'],
    ['cron(0 9 ? * ? *)', 'exactly one'],
    ['cron(0 9 ? * 0 *)', 'Sunday is 1'],
    ['cron(0 ? * * MON *)', 'only the two day fields'],
    ['cron(0 9 ? * MON 2200)', '1970 to 2199'],
    ['cron()', 'has 1 field'],
    ['rate(5 fortnights)', 'minutes, hours or days'],
    ['rate(-5 minutes)', 'positive'],
    ['rate(1.5 hours)', 'positive'],
    ['rate(99999999999 days)', 'out of range'],
    ['at(tomorrow)', 'not a date and time'],
    ['at(2026-02-30T09:00:00)', 'not a date and time'],
  ])('refuses %s', (text, why) => {
    expect(refused(() => recurrence(text)).message).toContain(why);
  });
});

describe('Quartz text', () => {
  test('has seconds first, an optional year, and weekdays from Sunday, 1', () => {
    expect(fires('quartz(15 0 12 ? * 6L 2027)', FROM, 2)).toEqual([
      '2027-01-29T12:00:15Z',
      '2027-02-26T12:00:15Z',
    ]);
  });

  test('needs a question mark', () => {
    expect(refused(() => recurrence('quartz(0 0 12 * * *)')).message).toContain('exactly one');
  });
});

describe('crontab text', () => {
  test.each([
    ['0 0 */2 * MON', 'a field that begins with * restricts nothing: both must match', '2026-01-05'],
    ['0 0 1-31/2 * MON', 'two restricted fields: either matches', '2026-01-03'],
    ['0 0 13 * *', 'only the day of the month', '2026-01-13'],
    ['0 0 * * MON', 'only the weekday', '2026-01-05'],
  ])('%s follows the rule: %s', (text, _, first) => {
    expect(fires(text, '2026-01-01T00:00:00Z', 1)).toEqual([`${first}T00:00:00Z`]);
  });

  test('is a fixed time unless its second, minute or hour begins with *', () => {
    const overlap = (text: string): number =>
      fires(text, '2026-11-01T04:59:59Z', 50, { timezone: 'America/New_York' }).filter(
        (time) => time < '2026-11-01T07:00:00Z',
      ).length;
    expect(overlap('0 0-23 * * *')).toBe(1);
    expect(overlap('0 * * * *')).toBe(2);
    expect(overlap('0,30 1 * * *')).toBe(2);
    expect(overlap('*/30 1 * * *')).toBe(4);
    expect(overlap('*/30 0 1 * * *')).toBe(4);
  });
});
