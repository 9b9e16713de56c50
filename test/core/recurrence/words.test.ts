import { describe, expect, test } from 'vitest';
import { at, type Choice, recurrence } from './support.ts';

const NOW = at('2026-01-15T12:00:00Z');

describe('a description', () => {
  test.each([
    ['0 9 * * MON-FRI', 'At 09:00, Monday to Friday'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['* * * * * *', 'Every second'],
    ['*/10 30 9 * * *', 'At 09:30, 09:30:10, 09:30:20, 09:30:30, 09:30:40 and 09:30:50'],
    ['0 * * * *', 'At minute 0 of every hour'],
    ['5,35 9-17 * * *', 'At minutes 5 and 35 from 09:00 to 17:59'],
    ['* 9 * * *', 'Every minute from 09:00 to 09:59'],
    ['0 9,18 1,15 * *', 'At 09:00 and 18:00, on days 1 and 15 of the month'],
    ['0 0 L * *', 'At 00:00, on the last day of the month'],
    ['0 0 LW,15W * *', 'At 00:00, on the weekday nearest to the 15th and the last weekday of the month'],
    ['0 0 13 * 5', 'At 00:00, on day 13 of the month or on Friday'],
    ['0 0 */2 * MON', /^At 00:00, on days 1, 3, .* when it is also Monday$/],
    ['0 0 * 1,6-8 5#3', 'At 00:00, the 3rd Friday of the month, in January and June to August'],
    ['0 0 * * FRI#-2,1L', 'At 00:00, the 2nd to last Friday of the month and the last Monday of the month'],
    ['0 0 * * FRI-MON', 'At 00:00, Monday and Friday to Sunday'],
    ['cron(0 9 ? * 2L 2027)', 'At 09:00, the last Monday of the month, in 2027'],
    ['every PT90M from 2026-01-01T00:00', 'Every 1 hour 30 minutes from 2026-01-01T00:00:00'],
    ['every P1M', 'Every month from its creation'],
    ['R5/2026-01-01T00:00:00Z/P1D', 'Every day from 2026-01-01T00:00:00, 5 times'],
    ['at(2026-12-01T09:00:00)', 'Once, at 2026-12-01T09:00:00'],
    ['DTSTART:20260101T090000Z RRULE:FREQ=DAILY', 'By the rule FREQ=DAILY from 2026-01-01T09:00:00'],
  ])('of %s says what it is', (text, words) => {
    const { description } = recurrence(text);
    expect(description.endsWith(', UTC')).toBe(true);
    expect(description.slice(0, -5)).toMatch(words instanceof RegExp ? words : new RegExp(`^${words}$`));
  });

  test('names the zone, the bounds, what is left out and the window', () => {
    const { description } = recurrence(['0 9 * * *', '0 18 * * *'], {
      timezone: 'America/New_York',
      startAt: '2026-01-01',
      endAt: '2026-12-31',
      exclude: ['2026-12-25'],
      window: 'PT5M',
    });
    expect(description).toBe(
      'At 09:00; and at 18:00, from 2026-01-01T00:00:00, until 2026-12-31T00:00:00, New York time, ' +
        'except exclude[0] (2026-12-25), started up to 5 minutes later',
    );
    expect(recurrence('@daily', { timezone: '+05:30' }).description).toBe('At 00:00, UTC+05:30');
  });
});

describe('a warning', () => {
  const codes = (text: string, choice: Choice = {}): string[] =>
    recurrence(text, choice)
      .warnings(NOW)
      .map(({ code }) => code);

  test.each([
    ['* 9 * * *', 'every-minute-of-hours'],
    ['* 5 9 * * *', 'every-second-of-minutes'],
    ['0 0 31 * *', 'not-every-month'],
    ['0 0 30 1,2 *', 'not-every-month'],
    ['0 0 29,30 * *', 'not-every-month'],
    ['0 0 13 * 5', 'both-day-fields'],
    ['0 0 */2 * MON', 'both-day-fields'],
    ['0 0 L * MON', 'both-day-fields'],
    ['0 0 12 ? * 2-6', 'weekday-numbering'],
    ['*/40 * * * *', 'uneven-step'],
    ['0 */5 * * *', 'uneven-step'],
    ['0 0 1 1 * * 2020', 'never-again'],
  ])('comes with %s: %s', (text, code) => {
    expect(codes(text.replace('0 0 1 1 * * 2020', '0 0 0 1 1 * 2020'))).toContain(code);
  });

  test.each([
    '0 9 * * MON-FRI',
    '* * * * *',
    '*/15 * * * *',
    '0 0 1 * *',
    '0 0 31 1,3 *',
    '0 0 29,L * *',
    'cron(0 9 ? * 2-6 *)',
    '0 0 12 ? * FRI',
    'every PT40M',
  ])('does not come with %s', (text) => {
    expect(codes(text)).toEqual([]);
  });

  test.each([
    ['run-after', 'it runs at 2026-03-08T03:00:00 instead'],
    ['shift', 'it runs at 2026-03-08T03:30:00 instead'],
    ['skip', 'it does not run that day'],
  ] as const)('of a time in the coming gap says what %s does with it', (gap, outcome) => {
    const choice = { timezone: 'America/New_York', dst: { gap } };
    const [warning] = recurrence('30 2 * * *', choice).warnings(NOW);
    expect(warning?.code).toBe('dst-gap');
    expect(warning?.message).toContain('2026-03-08T02:30:00 does not exist in America/New_York');
    expect(warning?.message).toContain(outcome);
  });

  test('of a gap comes only with texts that fall into it', () => {
    expect(codes('30 3 * * *', { timezone: 'America/New_York' })).toEqual([]);
    expect(codes('30 2 * * MON', { timezone: 'America/New_York' })).toEqual([]);
    expect(codes('*/30 * * * *', { timezone: 'America/New_York' })).toEqual([]);
  });

  test('comes with a window longer than the interval', () => {
    expect(codes('*/5 * * * *', { window: 'PT10M' })).toEqual(['window-longer-than-interval']);
    expect(codes('*/5 * * * *', { window: 'PT5M' })).toEqual([]);
  });
});
