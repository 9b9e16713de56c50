import { describe, expect, test } from 'vitest';
import { measureWork } from '../../../lambdas/core/recurrence/index.ts';
import { at, fires, recurrence, refused, take } from './support.ts';

const NEW_YORK = 'DTSTART;TZID=America/New_York:';

describe('an RRULE', () => {
  test('is read on one line or several, folded or not', () => {
    const expected = fires(
      'DTSTART:20260105T090000Z RRULE:FREQ=WEEKLY;BYDAY=MO,FR',
      '2026-01-01T00:00:00Z',
      4,
    );
    expect(expected[1]).toBe('2026-01-09T09:00:00Z');
    const lines = 'DTSTART:20260105T090000Z\r\nRRULE:FREQ=WEEKLY;BYD\r\n AY=MO,FR\r\n';
    expect(fires(lines, '2026-01-01T00:00:00Z', 4)).toEqual(expected);
    expect(fires('rrule:freq=weekly;byday=mo,fr;byhour=9', '2026-01-05T00:00:00Z', 4)).toEqual(expected);
  });

  test('without DTSTART starts at the creation, in the zone of the schedule', () => {
    const choice = { timezone: 'Europe/Berlin', context: { anchor: at('2026-03-01T08:00:00.250Z') } };
    expect(fires('FREQ=WEEKLY', '2026-03-20T00:00:00Z', 2, choice)).toEqual([
      '2026-03-22T08:00:00Z',
      '2026-03-29T07:00:00Z',
    ]);
  });

  test('takes a floating DTSTART in the zone of the schedule, and one with a zone in that', () => {
    const choice = { timezone: 'Asia/Tokyo' };
    expect(fires('DTSTART:20260101T090000 RRULE:FREQ=DAILY', '2026-01-01T00:00:00Z', 1, choice)).toEqual([
      '2026-01-02T00:00:00Z',
    ]);
    const own = recurrence(`${NEW_YORK}20260101T090000 RRULE:FREQ=DAILY`, choice);
    expect(own.next(at('2026-01-01T00:00:00Z'))?.at).toBe(at('2026-01-01T14:00:00Z'));
    expect(own.warnings(at('2026-01-01T00:00:00Z')).map(({ code }) => code)).toContain('zone-in-expression');
  });

  test('asked afresh in a gap answers as when asked before it', () => {
    const daily = recurrence(`${NEW_YORK}20260101T023000 RRULE:FREQ=DAILY`);
    const fire = daily.next(at('2026-03-08T06:50:00Z'));
    expect(fire?.at).toBe(at('2026-03-08T07:30:00Z'));
    expect(fire?.notes.map(({ code }) => code)).toEqual(['dst.gap.shift']);
  });

  test('that counts hours runs in the repeated hour too', () => {
    expect(fires(`${NEW_YORK}20261031T013000 RRULE:FREQ=HOURLY`, '2026-11-01T04:50:00Z', 3)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
      '2026-11-01T07:30:00Z',
    ]);
  });

  test('ends with COUNT, forwards and backwards', () => {
    const three = recurrence('DTSTART:20260101T000000Z RRULE:FREQ=DAILY;COUNT=3');
    expect(three.next(at('2026-01-03T00:00:00Z'))).toBeNull();
    expect(three.prev(at('2030-01-01T00:00:00Z'))?.at).toBe(at('2026-01-03T00:00:00Z'));
    expect(three.prev(at('2026-01-01T00:00:00Z'))).toBeNull();
  });

  test.each([
    ['UNTIL=20260103T090000Z', 3],
    ['UNTIL=20260103T085959Z', 2],
    ['UNTIL=20260103', 3],
    ['UNTIL=20260103T090000', 3],
  ])('ends with %s, included', (until, count) => {
    const text = `DTSTART:20260101T090000Z RRULE:FREQ=DAILY;${until}`;
    expect(fires(text, '2025-01-01T00:00:00Z', 9)).toHaveLength(count);
  });

  test('has nothing before DTSTART, even in the week of it', () => {
    const fromWednesday = recurrence('DTSTART:20260107T090000Z RRULE:FREQ=WEEKLY;BYDAY=MO,FR');
    expect(fromWednesday.prev(at('2026-01-09T00:00:00Z'))).toBeNull();
    expect(fromWednesday.prev(at('2026-01-10T00:00:00Z'))?.at).toBe(at('2026-01-09T09:00:00Z'));
  });

  test('leaves out an EXDATE in a gap, which names the time as it was moved', () => {
    const text = `${NEW_YORK}20260307T023000 RRULE:FREQ=DAILY EXDATE;TZID=America/New_York:20260308T023000`;
    expect(fires(text, '2026-03-07T12:00:00Z', 1)).toEqual(['2026-03-09T06:30:00Z']);
  });

  test('adds RDATE and leaves out EXDATE', () => {
    const text =
      'DTSTART:20260101T090000Z RRULE:FREQ=DAILY;COUNT=3 EXDATE:20260102T090000Z RDATE:20260102T100000Z,20260301T000000Z';
    expect(fires(text, '2025-01-01T00:00:00Z', 9)).toEqual([
      '2026-01-01T09:00:00Z',
      '2026-01-02T10:00:00Z',
      '2026-01-03T09:00:00Z',
      '2026-03-01T00:00:00Z',
    ]);
  });

  test('that fires at each minute of a year is searched in no more steps than there are fires', () => {
    const all = (count: number) => Array.from({ length: count }, (_, value) => value).join(',');
    const minutes = recurrence(
      `DTSTART:20260101T000000Z RRULE:FREQ=YEARLY;BYMONTH=1,6;BYDAY=MO;BYHOUR=${all(24)};BYMINUTE=${all(60)}`,
    );
    const from = at('2026-06-01T00:00:00Z');
    minutes.next(from);
    const steps = measureWork();
    expect(take(minutes, from, 1_000)).toHaveLength(1_000);
    expect(steps()).toBeLessThan(3_000);
  });

  test('of more than a century is counted to its end', () => {
    const yearly = recurrence('DTSTART:20260101T090000Z RRULE:FREQ=YEARLY;COUNT=300');
    expect(yearly.prev(at('9999-01-01T00:00:00Z'))?.at).toBe(at('2325-01-01T09:00:00Z'));
  });

  test('of dates alone fires at them, and at DTSTART', () => {
    const expected = ['2026-01-01T09:00:00Z', '2026-01-02T10:00:00Z', '2026-03-01T00:00:00Z'];
    const dates = 'RDATE:20260301T000000Z,20260102T100000Z';
    expect(fires(`DTSTART:20260101T090000Z ${dates}`, '2025-01-01T00:00:00Z', 9)).toEqual(expected);
    expect(fires(dates, '2025-01-01T00:00:00Z', 9)).toEqual(expected.slice(1));
    expect(recurrence(dates).description).toContain('At 2 dates');
    expect(fires(`${dates} EXDATE:20260301T000000Z`, '2025-01-01T00:00:00Z', 9)).toEqual([expected[1]]);
  });

  test('reads the leap second as the one before it', () => {
    expect(fires('RRULE:FREQ=DAILY;BYSECOND=60,59', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-01T00:00:59Z',
      '2026-01-02T00:00:59Z',
    ]);
  });

  test('takes seconds that it does not name from DTSTART, and as zero where it starts at the creation', () => {
    const context = { anchor: at('2026-01-01T08:17:37Z') };
    expect(fires('FREQ=DAILY;BYHOUR=9;BYMINUTE=0', '2026-01-01T08:17:37Z', 1, { context })).toEqual([
      '2026-01-01T09:00:00Z',
    ]);
    expect(fires('FREQ=HOURLY', '2026-01-01T08:17:37Z', 1, { context })).toEqual(['2026-01-01T09:17:00Z']);
    expect(fires('DTSTART:20260101T081737Z RRULE:FREQ=DAILY;BYHOUR=9', '2026-01-01T08:17:37Z', 1)).toEqual([
      '2026-01-01T09:17:37Z',
    ]);
  });

  // The examples of RFC 5545, 3.8.5.3, whose fires the RFC lists.
  test.each([
    ['19970105', 'FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;BYHOUR=8,9', ['1997-01-05T08', '1997-01-05T09']],
    ['19970922', 'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO', ['1997-09-22', '1997-10-20', '1997-11-17']],
    ['19970928', 'FREQ=MONTHLY;BYMONTHDAY=-3', ['1997-09-28', '1997-10-29', '1997-11-28']],
    ['19970101', 'FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200', ['1997-01-01', '1997-04-10', '1997-07-19']],
    ['19970519', 'FREQ=YEARLY;BYDAY=20MO', ['1997-05-19', '1998-05-18', '1999-05-17']],
    ['19970512', 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', ['1997-05-12', '1998-05-11', '1999-05-17']],
    ['19970902', 'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', ['1998-02-13', '1998-03-13', '1998-11-13']],
    [
      '19961105',
      'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
      ['1996-11-05', '2000-11-07', '2004-11-02'],
    ],
    [
      '19970904',
      'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
      ['1997-09-04', '1997-10-07', '1997-11-06'],
    ],
    [
      '19970805',
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
      ['1997-08-05', '1997-08-10', '1997-08-19'],
    ],
    [
      '19970805',
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
      ['1997-08-05', '1997-08-17', '1997-08-19'],
    ],
    [
      '20070115',
      'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5',
      ['2007-01-15', '2007-01-30', '2007-02-15', '2007-03-15'],
    ],
  ])('from %s, %s fires as the RFC says', (start, rule, expected) => {
    const text = `DTSTART:${start}T080000Z RRULE:${rule}`;
    const full = expected.map((time) => (time.includes('T') ? `${time}:00:00Z` : `${time}T08:00:00Z`));
    expect(fires(text, '1996-01-01T00:00:00Z', expected.length)).toEqual(full);
  });
});

describe('RRULE text', () => {
  test.each([
    ['RRULE:FREQ=FORTNIGHTLY', 'FREQ'],
    ['RRULE:INTERVAL=2', 'FREQ'],
    ['RRULE:FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
    ['RRULE:FREQ=DAILY;COUNT=2;UNTIL=20300101T000000Z', 'both COUNT and UNTIL'],
    ['RRULE:FREQ=DAILY;COUNT=10001', 'UNTIL=20530518T000000Z instead of COUNT=10001'],
    ['RRULE:FREQ=YEARLY;COUNT=3000', 'UNTIL=24270101T000000Z instead of COUNT=3000'],
    ['RRULE:FREQ=DAILY;BYSECOND=61', '0 to 60'],
    ['RRULE:FREQ=DAILY;BYHOUR=24', '0 to 23'],
    ['RRULE:FREQ=DAILY;BYDAY=2MO', 'MONTHLY or YEARLY'],
    ['RRULE:FREQ=MONTHLY;BYDAY=0MO', 'BYDAY'],
    ['RRULE:FREQ=WEEKLY;BYMONTHDAY=3', 'WEEKLY'],
    ['RRULE:FREQ=MONTHLY;BYWEEKNO=3', 'YEARLY'],
    ['RRULE:FREQ=DAILY;BYSETPOS=1', 'BYSETPOS'],
    ['RRULE:FREQ=DAILY;BYEASTER=1', 'BYEASTER'],
    ['RRULE:FREQ=DAILY;FREQ=DAILY', 'is repeated'],
    [
      'DTSTART:20260101T000000Z',
      'no RRULE:FREQ=… part and no RDATE; a single time is at(2026-12-01T09:00:00)',
    ],
    ['DTSTART:20260101T000000Z DTSTART:20260101T000000Z RRULE:FREQ=DAILY', 'twice'],
    ['DTSTART;TZID=Mars/X:20260101T000000 RRULE:FREQ=DAILY', 'not a time zone'],
    ['DTSTART:20260230T000000Z RRULE:FREQ=DAILY', 'not an iCalendar date-time'],
    ['RRULE:FREQ=DAILY EXRULE:FREQ=WEEKLY', 'cannot be read'],
    ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'never fires'],
    ['RRULE:FREQ=WEEKLY;BYDAY=MO;BYSETPOS=-99', 'never fires'],
    ['RRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30', 'never fires'],
    ['RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=5;BYMINUTE=0', 'never fires'],
  ])('%s is refused', (text, why) => {
    const error = refused(() => recurrence(text));
    expect(error.field).toBe('expression');
    expect(error.message).toContain(why);
  });
});
