import { describe, expect, test } from 'vitest';
import { at, type Choice, fires, recurrence } from './support.ts';

const NEW_YORK = { timezone: 'America/New_York' } as const;
const APIA = { timezone: 'Pacific/Apia' } as const;
const CASEY = { timezone: 'Antarctica/Casey' } as const;

/** The note codes of the first fire after `from`. */
function notes(text: string, from: string, choice: Choice = NEW_YORK): string[] {
  return (recurrence(text, choice).next(at(from))?.notes ?? []).map(({ code }) => code);
}

describe('a gap', () => {
  test.each([
    ['run-after', ['2026-03-08T07:00:00Z', '2026-03-09T06:15:00Z']],
    ['shift', ['2026-03-08T07:15:00Z', '2026-03-08T07:45:00Z']],
    ['skip', ['2026-03-09T06:15:00Z', '2026-03-09T06:45:00Z']],
  ] as const)('under %s moves or drops the times that it skips', (gap, expected) => {
    expect(fires('15,45 2 * * *', '2026-03-08T05:00:00Z', 2, { ...NEW_YORK, dst: { gap } })).toEqual(
      expected,
    );
  });

  test('under a chosen policy treats wildcard texts like any other', () => {
    const choice = { ...NEW_YORK, dst: { gap: 'run-after' } } as const;
    expect(fires('0 */2 * * *', '2026-03-08T05:30:00Z', 2, choice)).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-08T08:00:00Z',
    ]);
  });

  test('says on the fire that it moved it, and to where', () => {
    const fire = recurrence('30 2 * * *', NEW_YORK).next(at('2026-03-08T05:00:00Z'));
    expect(fire?.notes).toEqual([
      {
        code: 'dst.gap.run-after',
        message:
          '2026-03-08T02:30:00 is skipped when clocks go forward; it runs at the first instant after the gap, ' +
          '2026-03-08T03:00:00.',
      },
    ]);
    expect(notes('30 2 * * *', '2026-03-08T05:00:00Z', { ...NEW_YORK, dst: { gap: 'shift' } })).toEqual([
      'dst.gap.shift',
    ]);
  });

  test('leaves no note on times that it does not touch', () => {
    expect(notes('0 3 * * *', '2026-03-08T05:00:00Z')).toEqual([]);
    expect(notes('30 3 * * *', '2026-03-08T05:00:00Z', { ...NEW_YORK, dst: { gap: 'shift' } })).toEqual([]);
    expect(notes('*/30 * * * *', '2026-03-08T06:45:00Z')).toEqual([]);
  });

  test('of a day is not made up for, unless that was chosen', () => {
    expect(fires('0 9 30 12 *', '2011-12-01T00:00:00Z', 1, APIA)).toEqual(['2012-12-29T19:00:00Z']);
    expect(fires('0 9 30 12 *', '2011-12-01T00:00:00Z', 1, { ...APIA, dst: { gap: 'run-after' } })).toEqual([
      '2011-12-30T10:00:00Z',
    ]);
    expect(fires('0 9 30 12 *', '2011-12-01T00:00:00Z', 1, { ...APIA, dst: { gap: 'shift' } })).toEqual([
      '2011-12-30T19:00:00Z',
    ]);
  });
});

describe('an overlap', () => {
  test.each([
    ['first', ['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z']],
    ['second', ['2026-11-01T06:30:00Z', '2026-11-02T06:30:00Z']],
    ['both', ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z']],
  ] as const)('under %s runs in the passes that it names', (overlap, expected) => {
    const choice = { ...NEW_YORK, dst: { overlap } };
    expect(fires('30 1 * * *', '2026-11-01T04:00:00Z', 2, choice)).toEqual(expected);
  });

  test('of a yearly time is not passed over from between its passes', () => {
    const of = recurrence('15 1 1 11 *', NEW_YORK);
    expect(of.prev(at('2026-11-01T06:10:00Z'))?.at).toBe(at('2026-11-01T05:15:00Z'));
    const second = recurrence('15 1 1 11 *', { ...NEW_YORK, dst: { overlap: 'second' } });
    expect(second.next(at('2026-11-01T05:40:00Z'))?.at).toBe(at('2026-11-01T06:15:00Z'));
  });

  test('says on the fire which pass it is', () => {
    const [first, second] = ['2026-11-01T04:00:00Z', '2026-11-01T05:45:00Z'];
    expect(notes('30 1 * * *', first)).toEqual(['dst.overlap.first']);
    expect(notes('30 1 * * *', second, { ...NEW_YORK, dst: { overlap: 'second' } })).toEqual([
      'dst.overlap.second',
    ]);
    expect(notes('30 1 * * *', second, { ...NEW_YORK, dst: { overlap: 'both' } })).toEqual([
      'dst.overlap.both',
    ]);
  });

  test('leaves no note on texts that follow real time anyway', () => {
    expect(notes('*/15 * * * *', '2026-11-01T05:20:00Z')).toEqual([]);
    expect(notes('0 0 * * *', '2026-11-01T05:20:00Z')).toEqual([]);
  });

  test('of three hours is a correction of the clock: both passes run, unless one was chosen', () => {
    // Casey went from +11 to +08 at 2018-03-10T17:00Z, 04:00 local.
    expect(fires('30 2 11 3 *', '2018-03-10T00:00:00Z', 2, CASEY)).toEqual([
      '2018-03-10T15:30:00Z',
      '2018-03-10T18:30:00Z',
    ]);
    expect(fires('30 2 11 3 *', '2018-03-10T00:00:00Z', 1, { ...CASEY, dst: { overlap: 'second' } })).toEqual(
      ['2018-03-10T18:30:00Z'],
    );
  });
});

describe('a zone', () => {
  test('may be an offset, or a name in any case', () => {
    expect(fires('0 9 * * *', '2026-01-01T00:00:00Z', 1, { timezone: '-03:30' })).toEqual([
      '2026-01-01T12:30:00Z',
    ]);
    expect(fires('0 9 * * *', '2026-07-01T00:00:00Z', 1, { timezone: 'EUROPE/paris' })).toEqual([
      '2026-07-01T07:00:00Z',
    ]);
  });

  test('that changes twice in a week is followed through both changes', () => {
    // Recife had summer time from 8 to 15 October 2000.
    expect(fires('0 12 7,9,16 10 *', '2000-10-01T00:00:00Z', 3, { timezone: 'America/Recife' })).toEqual([
      '2000-10-07T15:00:00Z',
      '2000-10-09T14:00:00Z',
      '2000-10-16T15:00:00Z',
    ]);
  });

  test('has offsets with seconds in the past', () => {
    const [first] = fires('0 12 * * *', '1930-01-01T00:00:00Z', 1, { timezone: 'Africa/Monrovia' });
    // Monrovia was 44 min 30 s behind until 1972.
    expect(first).toBe('1930-01-01T12:44:30Z');
  });
});
