import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../lambdas/core/time.ts';
import { fires, recurrence, short } from './support.ts';

const DAY = 86_400_000;
const YEAR_START = Date.UTC(2023, 0, 1);
const YEARS_END = Date.UTC(2029, 0, 1);

interface DayItem {
  readonly text: string;
  readonly has: (date: Date) => boolean;
}

const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const lastDate = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
const isWorkday = (date: Date): boolean => date.getUTCDay() !== 0 && date.getUTCDay() !== 6;

/** The working day of the month nearest to a date, found by looking further and further away. */
function isNearestTo(date: Date, target: number): boolean {
  const length = lastDate(date);
  if (target < 1 || target > length || !isWorkday(date)) return false;
  const at = (day: number): Date => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day));
  for (let distance = 0; ; distance += 1) {
    const near = [target - distance, target + distance].filter((day) => day >= 1 && day <= length);
    const found = near.find((day) => isWorkday(at(day)));
    if (found !== undefined) return found === date.getUTCDate();
  }
}

const dateItem: fc.Arbitrary<DayItem> = fc.oneof(
  fc.integer({ min: 1, max: 31 }).map((day) => ({
    text: `${day}`,
    has: (date: Date) => date.getUTCDate() === day,
  })),
  fc.constant({ text: 'L', has: (date: Date) => date.getUTCDate() === lastDate(date) }),
  fc.integer({ min: 1, max: 30 }).map((back) => ({
    text: `L-${back}`,
    has: (date: Date) => date.getUTCDate() === lastDate(date) - back,
  })),
  fc.constant({ text: 'LW', has: (date: Date) => isNearestTo(date, lastDate(date)) }),
  fc.integer({ min: 1, max: 31 }).map((day) => ({
    text: `${day}W`,
    has: (date: Date) => isNearestTo(date, day),
  })),
);

const weekdayItem: fc.Arbitrary<DayItem> = fc.integer({ min: 0, max: 6 }).chain((weekday) =>
  fc.oneof(
    fc.constantFrom(`${weekday}`, `${weekdayNames[weekday]}`).map((text) => ({
      text,
      has: (date: Date) => date.getUTCDay() === weekday,
    })),
    fc.integer({ min: 1, max: 5 }).map((nth) => ({
      text: `${weekday}#${nth}`,
      has: (date: Date) => date.getUTCDay() === weekday && Math.ceil(date.getUTCDate() / 7) === nth,
    })),
    fc.constantFrom(`${weekday}L`, `${weekdayNames[weekday]}L`.toLowerCase()).map((text) => ({
      text,
      has: (date: Date) => date.getUTCDay() === weekday && date.getUTCDate() + 7 > lastDate(date),
    })),
  ),
);

function list(item: fc.Arbitrary<DayItem>): fc.Arbitrary<DayItem> {
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    has: (date) => items.some(({ has }) => has(date)),
  }));
}

describe('days', () => {
  test('are those that a look at each day of six years finds', () => {
    const any = fc.constant<DayItem>({ text: '*', has: () => true });
    const everySecond = fc.constant<DayItem>({ text: '*/2', has: (date) => date.getUTCDate() % 2 === 1 });
    fc.assert(
      fc.property(
        fc.oneof(list(dateItem), any, everySecond),
        fc.oneof(list(weekdayItem), any),
        (date, weekday) => {
          const either = !date.text.startsWith('*') && !weekday.text.startsWith('*');
          const expected: string[] = [];
          for (let day = YEAR_START; day < YEARS_END; day += DAY) {
            const asked = new Date(day);
            const [byDate, byWeekday] = [date.has(asked), weekday.has(asked)];
            if (either ? byDate || byWeekday : byDate && byWeekday) expected.push(short(day));
          }
          const found: string[] = [];
          const of = recurrence(`0 0 ${date.text} * ${weekday.text}`);
          for (
            let fire = of.next(epochMs(YEAR_START - 1));
            fire && fire.at < YEARS_END;
            fire = of.next(fire.at)
          )
            found.push(short(fire.at));
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each([1, 2, 3, 4, 5])('are counted from the end of the month, #-%i as an RRULE counts them', (nth) => {
    for (const weekday of ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']) {
      const rule = `DTSTART:20270101T000000Z\nRRULE:FREQ=MONTHLY;BYDAY=-${nth}${weekday.slice(0, 2)}`;
      const found = fires(`0 0 * * ${weekday}#-${nth}`, '2026-12-31T12:00:00Z', 40);
      expect(found).toEqual(fires(rule, '2026-12-31T12:00:00Z', 40));
    }
  });

  test('are found over the eight years around 2100, which is no leap year', () => {
    expect(fires('0 0 29 2 *', '2095-01-01T00:00:00Z', 2)).toEqual([
      '2096-02-29T00:00:00Z',
      '2104-02-29T00:00:00Z',
    ]);
  });

  test('are found over the longest wait that the calendar has', () => {
    // Leap days on a Monday: 2072, and then, across 2100, 2112.
    expect(fires('0 0 * 2 1#5', '2072-03-01T00:00:00Z', 1)).toEqual(['2112-02-29T00:00:00Z']);
  });

  test('end with the years that the text names', () => {
    expect(fires('0 0 0 1 1 * 2027,2029', '2026-06-01T00:00:00Z', 5)).toEqual([
      '2027-01-01T00:00:00Z',
      '2029-01-01T00:00:00Z',
    ]);
  });

  test('end with the year 9999', () => {
    const last = recurrence('0 0 1 1 *').next(epochMs(Date.UTC(9998, 11, 31)));
    expect(last && short(last.at)).toBe('9999-01-01T00:00:00Z');
    expect(recurrence('0 0 1 1 *').next(epochMs(Date.UTC(9999, 0, 1)))).toBeNull();
  });
});
