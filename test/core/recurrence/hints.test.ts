import { describe, expect, test } from 'vitest';
import { at, recurrence, refused } from './support.ts';

describe('text that people bring along', () => {
  test.each([
    ['every 90 minutes', 'every PT90M'],
    ['every 1 day', 'every P1D'],
    ['every 5m', 'every PT5M'],
    ['every hour', 'every PT1H'],
    ['every 2 weeks', 'every P2W'],
    ['@every 1d', 'every P1D'],
    ['@every 2w', 'every P2W'],
    ['rate(30 seconds)', 'every PT30S'],
    ['rate(2 weeks)', 'every P2W'],
    ['2026-12-01T09:00:00Z', 'at(2026-12-01T09:00:00Z)'],
    ['2026-12-01T09:00:00.900+01:00', 'at(2026-12-01T09:00:00.900+01:00)'],
    ['2026-12-01 09:00', 'at(2026-12-01 09:00)'],
  ])('%s is refused with the line to paste, which is accepted', (text, line) => {
    const error = refused(() => recurrence(text));
    expect(error).toMatchObject({ code: 'expression.invalid', field: 'expression' });
    expect(error.message).toContain(line);
    expect(recurrence(line).next(at('2026-01-01T00:00:00Z'))).not.toBeNull();
  });
});

describe('a warning', () => {
  const codes = (expression: string, timezone = 'UTC') =>
    recurrence(expression, { timezone })
      .warnings(at('2026-01-01T00:00:00Z'))
      .map(({ code }) => code);

  test.each([
    ['*/60 * * * *', 'whole-field-step'],
    ['0 */24 * * *', 'whole-field-step'],
    ['0 0 1 */12 *', 'whole-field-step'],
    ['0 0 */14 * *', 'uneven-step'],
    ['0 0 */2 * *', 'uneven-step'],
    ['0 0 1/14 * *', 'uneven-step'],
    ['0 0 1 */5 *', 'uneven-step'],
    ['0 0 * * */2', 'uneven-step'],
    ['cron(0 0 */14 * ? *)', 'uneven-step'],
    ['RRULE:FREQ=DAILY;BYHOUR=9', 'time-from-creation'],
  ])('of %s says %s', (text, code) => {
    expect(codes(text)).toContain(code);
  });

  test.each([
    '*/15 */6 * * *',
    '0 0 1,15 * *',
    '0 0 2-20/3 * *',
    '0 0 1 */3 *',
    '0 0 * * */7',
    'RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
    'DTSTART:20260101T090000Z RRULE:FREQ=DAILY;BYHOUR=9',
  ])('is not given of %s', (text) => {
    expect(codes(text).filter((code) => /step|creation/.test(code))).toEqual([]);
  });

  test.each(['*/30 2 * * *', '30 * 2 * * *', 'cron(*/30 2 * * ? *)', '*/20 2 * * SUN'])(
    'says that %s loses all its runs on the day of the gap',
    (text) => {
      const [warning] = recurrence(text, { timezone: 'America/New_York' })
        .warnings(at('2026-01-01T00:00:00Z'))
        .filter(({ code }) => code === 'dst-gap');
      expect(warning?.message).toContain('2026-03-08');
      expect(warning?.message).toContain('it does not run that day');
      expect(codes(text, 'Asia/Tokyo')).not.toContain('dst-gap');
    },
  );

  test.each(['*/30 * * * *', '0 */2 * * *', '*/30 2,14 * * *', '*/30 1-3 * * *'])(
    'of the gap is not given of %s, which runs at other times of that day',
    (text) => {
      expect(codes(text, 'America/New_York')).not.toContain('dst-gap');
    },
  );
});

describe('dayRule', () => {
  const next = (expression: string, dayRule?: 'or' | 'and') =>
    recurrence(expression, dayRule && { dayRule }).next(at('2026-01-01T00:00:00Z'))?.at;

  test('"and" fires when both day fields match, "or" and none when either does', () => {
    expect(next('0 9 13 * FRI', 'and')).toBe(at('2026-02-13T09:00:00Z'));
    expect(next('0 9 13 * FRI', 'or')).toBe(at('2026-01-02T09:00:00Z'));
    expect(next('0 9 13 * FRI')).toBe(at('2026-01-02T09:00:00Z'));
    expect(next('0 9 1-7 * MON', 'and')).toBe(at('2026-01-05T09:00:00Z'));
    expect(next('0 9 L * FRI#5,MON', 'and')).toBe(at('2026-07-31T09:00:00Z'));
  });

  test('"and" is what the sentence says, and no longer warned of', () => {
    const both = recurrence('0 9 13 * FRI', { dayRule: 'and' });
    expect(both.description).toContain('on day 13 of the month when it is also Friday');
    expect(both.warnings(at('2026-01-01T00:00:00Z')).map(({ code }) => code)).toEqual([]);
    const [warning] = recurrence('0 9 13 * FRI').warnings(at('2026-01-01T00:00:00Z'));
    expect(warning?.message).toContain('dayRule "and"');
  });

  test('is asked of exclusions too, and of what never fires', () => {
    const daily = (dayRule: 'or' | 'and') =>
      recurrence('0 9 * * *', { dayRule, exclude: ['* * 13 * FRI'] }).next(at('2026-02-12T12:00:00Z'))?.at;
    expect(daily('or')).toBe(at('2026-02-14T09:00:00Z'));
    expect(daily('and')).toBe(at('2026-02-14T09:00:00Z'));
    const friday = (dayRule: 'or' | 'and') =>
      recurrence('0 9 * * *', { dayRule, exclude: ['* * 13 * FRI'] }).next(at('2026-02-19T12:00:00Z'))?.at;
    expect(friday('or')).toBe(at('2026-02-21T09:00:00Z'));
    expect(friday('and')).toBe(at('2026-02-20T09:00:00Z'));
    expect(refused(() => recurrence('0 0 31 2 MON', { dayRule: 'and' })).code).toBe('expression.never-fires');
    expect(refused(() => recurrence('@daily', { dayRule: 'xor' as 'and' })).field).toBe('dayRule');
  });
});
