import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DstPolicy } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { DAYS } from './arbitrary.ts';
import { wallsOf } from './oracle.ts';
import { at, fires, recurrence, short, take } from './support.ts';

const NEW_YORK = 'DTSTART;TZID=America/New_York:';
const START = '2026-01-01T00:00:00Z';

describe('COUNT', () => {
  test.each([
    ['20261101T000000 RRULE:FREQ=HOURLY;COUNT=3', '04:00 05:00 06:00'],
    ['20260308T000000 RRULE:FREQ=HOURLY;COUNT=3', '05:00 06:00 07:00'],
    ['20261101T010000 RRULE:FREQ=MINUTELY;INTERVAL=45;COUNT=4', '05:00 05:45 06:30 07:15'],
    // Of three times of day on the day of the gap, two are one instant.
    ['20260308T010000 RRULE:FREQ=DAILY;BYHOUR=1,2,3;COUNT=3', '06:00 07:00 05:00'],
    ['20260307T023000 RRULE:FREQ=DAILY;COUNT=3', '07:30 07:30 06:30'],
    ['20261031T013000 RRULE:FREQ=DAILY;COUNT=3', '05:30 05:30 06:30'],
  ])('%s is of fires', (text, times) => {
    const found = fires(NEW_YORK + text, START, 9);
    expect(found.map((time) => time.slice(11, 16)).join(' ')).toBe(times);
    const backwards = recurrence(NEW_YORK + text).prev(at('2030-01-01T00:00:00Z'));
    expect(backwards && short(backwards.at)).toBe(found.at(-1));
  });

  test.each([
    ['20260307T023000 RRULE:FREQ=DAILY;COUNT=3', { gap: 'skip' }, '07:30 06:30 06:30'],
    ['20261031T013000 RRULE:FREQ=DAILY;COUNT=3', { overlap: 'both' }, '05:30 05:30 06:30'],
    ['20261101T000000 RRULE:FREQ=HOURLY;COUNT=3', { overlap: 'first' }, '04:00 05:00 07:00'],
    ['20261101T000000 RRULE:FREQ=HOURLY;COUNT=3', { overlap: 'second' }, '04:00 06:00 07:00'],
  ] as const)('%s is of fires under the choice %j', (text, dst, times) => {
    const found = fires(NEW_YORK + text, START, 9, { dst });
    expect(found.map((time) => time.slice(11, 16)).join(' ')).toBe(times);
  });

  test('of a repeating interval is of fires too', () => {
    const zone = { timezone: 'America/New_York' };
    const autumn = 'R3/2026-10-31T01:30:00/P1D';
    expect(fires(autumn, START, 9, { ...zone, dst: { overlap: 'both' } })).toEqual([
      '2026-10-31T05:30:00Z',
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
    ]);
    expect(fires('R3/2026-03-07T02:30:00/P1D', START, 9, { ...zone, dst: { gap: 'skip' } })).toEqual([
      '2026-03-07T07:30:00Z',
      '2026-03-09T06:30:00Z',
      '2026-03-10T06:30:00Z',
    ]);
  });
});

describe('a rule that counts hours, minutes or seconds', () => {
  test.each([
    ['20261031T200000 RRULE:FREQ=HOURLY;INTERVAL=5', '00:00 05:00 10:00 15:00'],
    ['20260307T220000 RRULE:FREQ=HOURLY;INTERVAL=2', '03:00 05:00 07:00 09:00'],
    ['20261101T003000 RRULE:FREQ=HOURLY;BYHOUR=1', '05:30 06:30 06:30 06:30'],
    ['20261101T005000 RRULE:FREQ=MINUTELY;INTERVAL=30', '04:50 05:20 05:50 06:20'],
  ])('%s keeps its steps apart', (text, times) => {
    const found = fires(NEW_YORK + text, START, 4);
    expect(found.map((time) => time.slice(11, 16)).join(' ')).toBe(times);
  });

  test('goes on at whole hours where clocks change by half of one', () => {
    expect(
      fires('DTSTART;TZID=Australia/Lord_Howe:20260404T220000 RRULE:FREQ=HOURLY;INTERVAL=2', START, 4),
    ).toEqual([
      '2026-04-04T11:00:00Z',
      '2026-04-04T13:00:00Z',
      '2026-04-04T15:30:00Z',
      '2026-04-04T17:30:00Z',
    ]);
  });
});

/** A span around a change of clocks: what they show, minute by minute. */
interface Span {
  readonly start: number;
  readonly walls: readonly number[];
}

function spanOf(zone: string, day: string): Span {
  const start = Date.parse(`${day}T00:00:00Z`) - 60 * HOUR;
  return { start, walls: wallsOf(zone, start, start + 120 * HOUR, MINUTE) };
}

const spans = new Map(DAYS.map(([zone, day]) => [`${zone} ${day}`, [zone, spanOf(zone, day)] as const]));

/** The instants at which clocks show `wall`; of a skipped one as much after the gap as it is into it. */
function instants({ start, walls }: Span, wall: number, dst: DstPolicy): number[] {
  const shown = walls.flatMap((one, index) => (one === wall ? [start + index * MINUTE] : []));
  if (shown.length > 1 && dst.overlap !== 'both') return [shown.at(dst.overlap === 'first' ? 0 : -1) ?? 0];
  if (shown.length > 0 || dst.gap === 'skip') return shown;
  const after = walls.findIndex((one, index) => one > wall && (walls[index - 1] ?? one) < wall);
  if (after < 0) return [];
  const jump = start + after * MINUTE;
  return [dst.gap === 'shift' ? jump + wall - (walls[after - 1] ?? 0) - MINUTE : jump];
}

const some = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 3 });
const stamp = (wall: number) => new Date(wall).toISOString().replace(/[-:]|\.000Z/g, '');
const chosen = fc.record(
  {
    gap: fc.constantFrom('run-after' as const, 'shift' as const, 'skip' as const),
    overlap: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
  },
  { requiredKeys: [] },
);
const scenes = fc.record({
  span: fc.constantFrom(...spans.keys()),
  from: fc.integer({ min: 24, max: 60 }),
  interval: fc.integer({ min: 1, max: 7 }),
  hours: some(23),
  minutes: fc.constantFrom([0], [30], [0, 15, 45]),
  count: fc.integer({ min: 1, max: 9 }),
  dst: chosen,
});

describe('over changes of clocks', () => {
  test('daily rules fire as a walk through the days does', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(scenes, ({ span: key, from, interval, hours, minutes, count, dst }) => {
        const [zone, span] = spans.get(key) ?? ['UTC', { start: 0, walls: [] }];
        const first = (span.walls[from * 60] ?? 0) - ((span.walls[from * 60] ?? 0) % (24 * HOUR));
        const policy = { gap: dst.gap ?? 'shift', overlap: dst.overlap ?? 'first' } as const;
        const expected = new Set<number>();
        const end = span.walls.at(-1) ?? 0;
        for (let day = first; day < end - 24 * HOUR; day += interval * 24 * HOUR)
          for (const hour of hours)
            for (const minute of minutes)
              for (const one of instants(span, day + hour * HOUR + minute * MINUTE, policy))
                expected.add(one);
        const text =
          `DTSTART;TZID=${zone}:${stamp(first)} RRULE:FREQ=DAILY;INTERVAL=${interval};` +
          `BYHOUR=${hours};BYMINUTE=${minutes};BYSECOND=0;COUNT=${count}`;
        const wanted = [...expected].sort((a, b) => a - b).slice(0, count);
        const found = take(recurrence(text, { dst }), epochMs(0), wanted.length + 1);
        expect(found.slice(0, wanted.length), text).toEqual(wanted);
        if (wanted.length === count) expect(found, text).toHaveLength(count);
      }),
      { numRuns: 400 },
    );
  });

  test('rules of hours and minutes fire as counting elapsed time does', { timeout: 120_000 }, () => {
    const units = fc.constantFrom(
      ['HOURLY', 60] as const,
      ['MINUTELY', 7] as const,
      ['MINUTELY', 1] as const,
    );
    fc.assert(
      fc.property(scenes, units, fc.boolean(), (scene, [frequency, step], limited) => {
        const { span: key, from, interval, hours, count } = scene;
        const [zone, span] = spans.get(key) ?? ['UTC', { start: 0, walls: [] }];
        // Of a change by half an hour there is no such count of hours.
        fc.pre(!zone.endsWith('Lord_Howe') && !zone.endsWith('Caracas') && !zone.endsWith('Pyongyang'));
        const dtstart = span.walls[from * 60] ?? 0;
        // A DTSTART that comes twice is the first of the two.
        const begin = span.walls.indexOf(dtstart);
        const every = frequency === 'HOURLY' ? 60 * interval : step * interval;
        const expected: number[] = [];
        for (let index = begin; index < span.walls.length; index += every) {
          const wall = new Date(span.walls[index] ?? 0);
          if (!limited || hours.includes(wall.getUTCHours())) expected.push(span.start + index * MINUTE);
        }
        const text =
          `DTSTART;TZID=${zone}:${stamp(dtstart)} RRULE:FREQ=${frequency};` +
          `INTERVAL=${frequency === 'HOURLY' ? interval : every}${limited ? `;BYHOUR=${hours}` : ''};COUNT=${count}`;
        const wanted = expected.slice(0, count);
        fc.pre(wanted.length === count);
        expect(take(recurrence(text), epochMs(0), count + 1), text).toEqual(wanted);
      }),
      { numRuns: 400 },
    );
  });
});
