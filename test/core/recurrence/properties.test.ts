import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Compiled, compile } from '../../../lambdas/core/recurrence/index.ts';
import { type EpochMs, epochMs } from '../../../lambdas/core/time.ts';
import { DAYS, randomCron } from './arbitrary.ts';
import { CONTEXT, take } from './support.ts';

const HOUR = 3_600_000;

/** Texts of every kind; several do not fire often. */
const others = fc.constantFrom(
  'every PT7M from 2015-01-31T23:30:00Z',
  'every P1D from 2010-03-08T02:30:00',
  'every P1M from 2010-01-31T02:30:00',
  'every P1Y from 2008-02-29T00:00:00',
  'rate(90 minutes)',
  'cron(30 1-3 ? * SUN *)',
  'quartz(0 0/20 0-3 L * ?)',
  '0 0 29 2 *',
  '15,45 2 15W,LW * *',
  '30 1 * * 6#5,0L',
  'DTSTART:20100308T023000 RRULE:FREQ=DAILY;INTERVAL=3',
  'DTSTART:20100308T023000 RRULE:FREQ=MONTHLY;BYDAY=-1SU,2SU',
  'DTSTART:20100308T020500 RRULE:FREQ=MINUTELY;INTERVAL=25;BYHOUR=0,1,2,3',
  'DTSTART:20100308T023000 RRULE:FREQ=YEARLY;BYWEEKNO=10,44;BYDAY=SU;BYHOUR=0,1,2',
);

const policy = fc.record(
  {
    gap: fc.constantFrom('run-after' as const, 'shift' as const, 'skip' as const),
    overlap: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
  },
  { requiredKeys: [] },
);

const choice = fc.record(
  {
    exclude: fc.subarray(
      ['2026-03-08', '2026-10-24/2026-10-26', '* * * * 6', '0-29 2 * * *', '2026-11-01T05:30:00Z'],
      {
        minLength: 1,
      },
    ),
    startAt: fc.constantFrom('2016-02-21', '2025-04-12T00:30:00Z'),
    endAt: fc.constantFrom('2026-11-01T06:00:00Z', '2027-03-28'),
  },
  { requiredKeys: [] },
);

/** A recurrence, and an instant near a change of clocks. */
const scene = fc
  .record({
    text: fc.oneof(
      { weight: 3, arbitrary: fc.oneof(randomCron(false), randomCron(true)).map(({ text }) => text) },
      { weight: 1, arbitrary: others },
    ),
    day: fc.constantFrom(...DAYS),
    offset: fc.integer({ min: -30 * HOUR, max: 54 * HOUR }),
    dst: policy,
    choice,
  })
  .map(({ text, day: [timezone, day], offset, dst, choice: chosen }) => {
    const spec = { expression: text, timezone, dst, ...chosen };
    return { spec, from: epochMs(Date.parse(`${day}T00:00:00Z`) + offset) };
  });

/** Undefined for what is refused: random texts may match no day, or only excluded ones. */
function compiled(spec: Parameters<typeof compile>[0]): Compiled | undefined {
  try {
    return compile(spec, CONTEXT);
  } catch {
    return undefined;
  }
}

function holds(
  check: (recurrence: Compiled, from: EpochMs, spec: Parameters<typeof compile>[0]) => void,
): void {
  fc.assert(
    fc.property(scene, ({ spec, from }) => {
      const recurrence = compiled(spec);
      fc.pre(recurrence !== undefined);
      check(recurrence, from, spec);
    }),
    { numRuns: 600 },
  );
}

describe('every recurrence', () => {
  test('goes forwards, strictly', () => {
    holds((recurrence, from) => {
      let last: number = from;
      for (const fire of take(recurrence, from, 20)) {
        expect(fire).toBeGreaterThan(last);
        last = fire;
      }
    });
  });

  test('goes backwards over the fires that it went forwards over', () => {
    holds((recurrence, from) => {
      const forwards = take(recurrence, from, 10);
      const end = forwards.at(-1);
      if (end === undefined) return;
      const backwards = [end];
      for (let fire = recurrence.prev(end); fire && fire.at > from; fire = recurrence.prev(fire.at))
        backwards.unshift(fire.at);
      expect(backwards).toEqual(forwards);
    });
  });

  test('has nothing between a time and its next fire', () => {
    holds((recurrence, from) => {
      const next = recurrence.next(from);
      const before = next && recurrence.prev(next.at);
      if (before) expect(before.at).toBeLessThanOrEqual(from);
      const last = recurrence.prev(from);
      const after = last && recurrence.next(last.at);
      if (after) expect(after.at).toBeGreaterThanOrEqual(from);
    });
  });

  test('answers the same from any instant before a fire', () => {
    holds((recurrence, from) => {
      const next = recurrence.next(from);
      if (!next) return;
      for (const part of [0.25, 0.5, 0.999]) {
        const between = epochMs(Math.floor(from + (next.at - from - 1) * part));
        expect(recurrence.next(between)).toEqual(next);
      }
      expect(recurrence.next(epochMs(next.at - 1))).toEqual(next);
    });
  });

  test('answers the same again, and the same when compiled afresh', () => {
    holds((recurrence, from, spec) => {
      const first = take(recurrence, from, 5);
      expect(take(recurrence, from, 5)).toEqual(first);
      const pieces: EpochMs[] = [];
      let last = from;
      for (const _ of first) {
        const [fire] = take(compile(spec, CONTEXT), last, 1);
        if (fire === undefined) break;
        pieces.push(fire);
        last = fire;
      }
      expect(pieces).toEqual(first);
    });
  });

  test('has the same fires in one stretch as in its pieces', () => {
    holds((recurrence, from) => {
      const end = from + 48 * HOUR;
      const within = (start: number, stop: number): number[] =>
        take(recurrence, epochMs(start), 120).filter((fire) => fire <= stop);
      const cuts = [from, from + 7 * HOUR, from + 25 * HOUR + 1, end];
      const pieces = cuts.slice(1).flatMap((stop, index) => within(cuts[index] ?? 0, stop));
      if (pieces.length < 120) expect(pieces).toEqual(within(from, end));
    });
  });

  test('fires at whole seconds', () => {
    holds((recurrence, from) => {
      for (const fire of take(recurrence, from, 5)) expect(fire % 1_000).toBe(0);
    });
  });
});
