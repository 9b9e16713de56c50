import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { at, fires, recurrence, take } from './support.ts';

describe('BYWEEKNO', () => {
  test.each([
    // Week 1 of 2002 begins in 2001, and that of 2004 in 2003.
    [
      'DTSTART:20000103T000000Z RRULE:FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO',
      ['2000-01-03', '2001-12-31', '2003-12-29', '2006-01-02'],
    ],
    [
      'DTSTART:19980101T000000Z RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU;BYSETPOS=1',
      ['1999-01-04', '2000-01-03', '2001-01-01', '2001-12-31'],
    ],
    [
      'DTSTART:19980101T000000Z RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU;BYSETPOS=-1',
      ['1998-01-04', '1999-01-10', '2000-01-09', '2001-01-07'],
    ],
    [
      'DTSTART:19970101T000000Z RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR',
      ['1999-01-01', '2004-12-31', '2010-01-01', '2016-01-01'],
    ],
    [
      'DTSTART:20201231T000000Z RRULE:FREQ=YEARLY;INTERVAL=3;BYWEEKNO=-1,1;BYDAY=TH',
      ['2020-12-31', '2023-01-05', '2023-12-28', '2026-01-01'],
    ],
    // 1 January 2021 is in the last week of 2020, so that the years are 2020, 2026, 2032.
    [
      'DTSTART:20210101T000000Z RRULE:FREQ=YEARLY;INTERVAL=6;BYWEEKNO=53;BYDAY=FR',
      ['2021-01-01', '2027-01-01', '2032-12-31'],
    ],
  ])('%s takes the weeks of the year', (text, days) => {
    expect(fires(text, '1990-01-01T00:00:00Z', days.length)).toEqual(days.map((day) => `${day}T00:00:00Z`));
  });

  test('goes by the weeks that luxon counts, whatever the years between', () => {
    const numbers = fc.uniqueArray(
      fc.integer({ min: -53, max: 53 }).filter((number) => number !== 0),
      { minLength: 1, maxLength: 3 },
    );
    const days = fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], { minLength: 1 });
    const position = fc.option(fc.constantFrom(1, -1, 2));
    const start = fc.integer({ min: 0, max: 12_000 });
    fc.assert(
      fc.property(
        numbers,
        days,
        position,
        fc.integer({ min: 1, max: 4 }),
        start,
        (weeks, names, position, interval, day) => {
          const dtstart = DateTime.fromMillis(Date.UTC(1995, 0, 1), { zone: 'utc' }).plus({ days: day });
          const matches = (one: DateTime): boolean =>
            (one.weekYear - dtstart.weekYear) % interval === 0 &&
            (weeks.includes(one.weekNumber) || weeks.includes(one.weekNumber - one.weeksInWeekYear - 1)) &&
            names.includes(one.toFormat('ccc').slice(0, 2).toUpperCase());
          const byYear = new Map<number, number[]>();
          const first = DateTime.fromObject(
            { weekYear: dtstart.weekYear, weekNumber: 1, weekday: 1 },
            { zone: 'utc' },
          );
          for (let one = first; one.weekYear < dtstart.weekYear + 9; one = one.plus({ days: 1 }))
            if (matches(one)) byYear.set(one.weekYear, [...(byYear.get(one.weekYear) ?? []), one.toMillis()]);
          const expected = [...byYear.values()]
            .flatMap((year) =>
              position === null ? year : year.slice(position < 0 ? -1 : position - 1).slice(0, 1),
            )
            .filter((one) => one >= dtstart.toMillis());
          fc.pre(expected.length > 0);
          const rule = `FREQ=YEARLY;INTERVAL=${interval};BYWEEKNO=${weeks};BYDAY=${names}`;
          const text = `DTSTART:${dtstart.toFormat('yyyyMMdd')}T000000Z RRULE:${rule}${position === null ? '' : `;BYSETPOS=${position}`}`;
          const found = recurrence(text);
          expect(take(found, at('1990-01-01T00:00:00Z'), expected.length), text).toEqual(expected);
          const last = expected.at(-1) ?? 0;
          expect(found.prev(at(new Date(last + 1).toISOString()))?.at).toBe(last);
        },
      ),
      { numRuns: 150 },
    );
  });
});
