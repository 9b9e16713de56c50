import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXTENDED } from '../../../lambdas/core/recurrence/cron/dialect.ts';
import { bitList } from '../../../lambdas/core/recurrence/cron/fields.ts';
import { readCron } from '../../../lambdas/core/recurrence/cron/reader.ts';
import { fires, recurrence, refused } from './support.ts';

describe('the reader', () => {
  const value = (min: number, max: number): fc.Arbitrary<string> =>
    fc.oneof(
      fc.integer({ min, max }).map(String),
      fc
        .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      fc.integer({ min: 1, max: max - min }).map((step) => `*/${step}`),
      fc.constant('*'),
    );
  const plain = fc.tuple(value(0, 59), value(0, 59), value(0, 23), value(1, 28), value(1, 12), value(0, 6));

  test('reads plain text as cron-parser does', () => {
    fc.assert(
      fc.property(plain, (fields) => {
        const text = fields.join(' ');
        const ours = readCron({ field: 'expression', text }, text, EXTENDED, 'seed');
        const theirs = CronExpressionParser.parse(text, { tz: 'UTC' }).fields;
        expect(ours.seconds).toEqual(theirs.second.values);
        expect(ours.minutes).toEqual(theirs.minute.values);
        expect(ours.hours).toEqual(theirs.hour.values);
        // cron-parser leaves out the days that none of the months has.
        const longest = Math.max(...theirs.dayOfMonth.values.map(Number));
        const dates = bitList(ours.days.daysOfMonth).filter((date) => date <= longest);
        expect(dates).toEqual(theirs.dayOfMonth.values);
        expect(bitList(ours.days.months)).toEqual(theirs.month.values);
        const weekdays = theirs.dayOfWeek.values.map((weekday) => Number(weekday) % 7);
        expect(bitList(ours.days.weekdays)).toEqual([...new Set(weekdays)].sort());
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['0 9 * * MON-FRI', '0 9 * * 1-5'],
    ['0 9 * * mon,Wed,FRI', '0 9 * * 1,3,5'],
    ['0 9 * * FRI-MON', '0 9 * * 5,6,0,1'],
    ['0 9 * * 5-7', '0 9 * * 5,6,0'],
    ['0 9 * * 7-2', '0 9 * * 0,1,2'],
    ['0 9 * * 7-7', '0 9 * * SUN'],
    ['0 22-2/2 * * *', '0 22,0,2 * * *'],
    ['0 0 1 nov-feb *', '0 0 1 11,12,1,2 *'],
    ['0 0 1 JAN-DEC/3 *', '0 0 1 1,4,7,10 *'],
    ['10/20 * * * *', '10,30,50 * * * *'],
    ['1-5,3,3 * * * *', '1,2,3,4,5 * * * *'],
    ['*/60 * * * *', '0 * * * *'],
    ['0 */24 * * *', '0 0 * * *'],
    ['0 0 1 */12 *', '0 0 1 1 *'],
    ['0 0 */31 * *', '0 0 1 * *'],
    ['0 0 * * FRI#L', '0 0 * * FRIL'],
    ['0 0 * * 5#-1,2', '0 0 * * 5L,2'],
    ['@hourly', '0 * * * *'],
    ['@ANNUALLY', '0 0 1 1 *'],
    ['@weekly', '0 0 * * SUN'],
    ['0 0 ? * MON', '0 0 * * 1'],
    ['0 0 9 * * *', '0 9 * * *'],
    ['0 0 0 1 1 * *', '0 0 1 1 *'],
  ])('reads %s as %s', (text, plainly) => {
    expect(fires(text, '2026-01-01T00:00:00Z', 12)).toEqual(fires(plainly, '2026-01-01T00:00:00Z', 12));
  });

  test.each([
    ['60 * * * *', 'minute', '0 to 59'],
    ['* 24 * * *', 'hour', '0 to 23'],
    ['* * 0 * *', 'day-of-month', '1 to 31'],
    ['* * 32W * *', 'day-of-month', '1 to 31'],
    ['* * * 13 *', 'month', '1 to 12'],
    ['* * * * 8', 'day-of-week', 'Sunday is 0 or 7'],
    ['* * * * * * 1969', 'year', '1970 to 2199'],
    ['*/61 * * * *', 'minute', '1 to 60'],
    ['* * * * mon#6', 'day-of-week', '1 to 5'],
    ['* * * * mon#0', 'day-of-week', '1 to 5'],
    ['* * * * mon#-6', 'day-of-week', '-1 to -5'],
    ['* * L-31 * *', 'day-of-month', '0 to 30'],
    ['H(50-70) * * * *', 'minute', '0 to 59'],
    ['* * * * MONDAY', 'day-of-week', 'write MON.'],
    ['* * * * Thurs-saturday/2', 'day-of-week', 'write THU-SAT/2'],
    ['* * * January,Sept *', 'month', 'write JAN.'],
    ['* * * 1,Sept *', 'month', 'write SEP.'],
    ['* * 29-L * *', 'day-of-month', 'write 29-31'],
    ['* * * * 1,,2', 'day-of-week', 'empty item'],
    ['1-2-3 * * * *', 'minute', '0 to 59'],
    ['*-5 * * * *', 'minute', '0 to 59'],
    ['*/90 * * * *', 'minute', 'every PT90M'],
    ['*/75 * * * * *', 'second', 'every PT75S'],
    ['0 */36 * * *', 'hour', 'every PT36H'],
    ['0 0 */45 * *', 'day-of-month', 'every P45D'],
    ['0 0 1 */18 *', 'month', 'every P18M'],
    ['0 0 * * */14', 'day-of-week', 'every P14D'],
    ['0 0 * * MON-FRI#1', 'day-of-week', 'MON#1,TUE#1,WED#1,THU#1,FRI#1'],
    ['0 0 * * MON-WED#-2', 'day-of-week', 'MON#-2,TUE#-2,WED#-2'],
    ['0 0 * * MON-FRIL', 'day-of-week', 'MONL,TUEL,WEDL,THUL,FRIL'],
    ['0 0 * * Mondy', 'day-of-week', 'SUN to SAT'],
    ['0 0 1 Janf *', 'month', 'JAN to DEC'],
  ])('refuses %s, naming the %s field and what is allowed', (text, field, allowed) => {
    const error = refused(() => recurrence(text));
    expect(error.code).toMatch(/^expression\.(invalid|out-of-range)$/);
    expect(error.field).toBe('expression');
    expect(error.message).toContain(field);
    expect(error.message).toContain(allowed);
  });

  test.each([
    ['', 'expression.empty'],
    [' \t ', 'expression.empty'],
    ['x'.repeat(4_097), 'expression.too-long'],
    ['0 12 ? * 2 *', 'expression.ambiguous-dialect'],
    ['30 2 * * ? *', 'expression.ambiguous-dialect'],
    ['15 10 ? * 6L 2022-2027', 'expression.ambiguous-dialect'],
    ['* * *', 'expression.invalid'],
    ['* * * * * * * *', 'expression.invalid'],
    ['@reboot', 'expression.invalid'],
    ['TZ=UTC 0 9 * * *', 'expression.invalid'],
    ['0 0 31 2,4,6,9,11 *', 'expression.never-fires'],
    ['0 0 L-30 2 *', 'expression.never-fires'],
    ['0 0 0 29 2 * 2026,2027', 'expression.never-fires'],
  ])('refuses %j as %s', (text, code) => {
    expect(refused(() => recurrence(text)).code).toBe(code);
  });

  test('names the entry of a list that is at fault', () => {
    expect(refused(() => recurrence(['@daily', '61 * * * *'])).field).toBe('expression[1]');
    expect(refused(() => recurrence([])).field).toBe('expression');
  });
});

describe('H', () => {
  const minutes = (text: string, seed: string): number[] =>
    fires(text, '2025-12-31T23:59:59Z', 24, { context: { seed } }).map((time) =>
      new Date(time).getUTCMinutes(),
    );

  test('stays inside its range and step', () => {
    for (let index = 0; index < 50; index += 1) {
      const [first, second] = minutes('H(0-29)/10 * * * *', `group/${index}`);
      expect(first).toBeLessThan(10);
      expect(second).toBe((first ?? 0) + 10);
      expect(minutes('H(40-49) 0 * * *', `group/${index}`)[0]).toBeGreaterThanOrEqual(40);
    }
  });

  test('spreads schedules over the hour', () => {
    const first = Array.from({ length: 600 }, (_, index) => minutes('H 0 * * *', `group/${index}`)[0]);
    expect(new Set(first).size).toBeGreaterThan(55);
  });

  test('never picks a day that some months lack', () => {
    for (let index = 0; index < 60; index += 1) {
      const [day] = fires('0 0 H * *', '2026-01-01T00:00:00Z', 1, { context: { seed: `group/${index}` } });
      expect(new Date(day ?? 0).getUTCDate()).toBeLessThanOrEqual(28);
    }
  });

  test('is not known to EventBridge and Quartz texts', () => {
    expect(refused(() => recurrence('cron(H 9 ? * MON *)')).code).toBe('expression.invalid');
    expect(refused(() => recurrence('quartz(0 H 9 ? * MON)')).code).toBe('expression.invalid');
  });
});
