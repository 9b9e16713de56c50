import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile, compileCached, dueAt, tzdataVersion } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import { at } from './support.ts';

const spec = { expression: '0 9 * * *', timezone: 'Europe/Berlin' };
const context = (seed: string, anchor = 0) => ({ seed, anchor: epochMs(anchor) });

describe('compiling from memory', () => {
  test('shares one recurrence between schedules with one spec', () => {
    expect(compileCached({ ...spec }, context('g/a'))).toBe(compileCached({ ...spec }, context('g/b', 5)));
  });

  test.each([
    { ...spec, timezone: 'Europe/Paris' },
    { ...spec, dst: { gap: 'skip' } as const },
    { ...spec, dst: { overlap: 'second' } as const },
    { ...spec, dayRule: 'and' as const },
    { ...spec, exclude: ['2026-12-25'] },
    { ...spec, startAt: '2026-01-01' },
    { ...spec, endAt: '2030-01-01' },
    { ...spec, window: 'PT5M' },
    { ...spec, expression: ['0 9 * * *', '0 10 * * *'] },
  ])('tells specs apart (%#)', (other) => {
    expect(compileCached(other, context('g/a'))).not.toBe(compileCached(spec, context('g/a')));
    expect(compileCached(other, context('g/a')).spec).toEqual(other);
  });

  test('keeps hashed expressions apart by schedule, and unanchored intervals by creation', () => {
    const hashed = { ...spec, expression: 'H * * * *' };
    const [a, b] = [compileCached(hashed, context('g/a')), compileCached(hashed, context('g/b'))];
    const from = at('2026-01-01T00:00:00Z');
    expect(a.next(from)).toEqual(compile(hashed, context('g/a')).next(from));
    expect(b.next(from)).toEqual(compile(hashed, context('g/b')).next(from));
    expect(a.next(from)).not.toEqual(b.next(from));
    expect(compileCached(hashed, context('g/a'))).toBe(a);
    const every = { ...spec, expression: 'every PT1H' };
    expect(compileCached(every, context('g/a', 1_000)).next(from)?.at).not.toBe(
      compileCached(every, context('g/a', 2_000)).next(from)?.at,
    );
  });

  test('sees a calendar that was stored anew', () => {
    const named = { ...spec, timezone: 'UTC', calendars: ['bank'] };
    const from = at('2026-12-24T12:00:00Z');
    const firstWith = (dates: string[]): number | undefined =>
      compileCached(named, {
        ...context('g/a'),
        calendars: new Map([['bank', { dates, closedWeekdays: [] }]]),
      }).next(from)?.at;
    expect(firstWith([])).toBe(at('2026-12-25T09:00:00Z'));
    expect(firstWith(['2026-12-25'])).toBe(at('2026-12-26T09:00:00Z'));
  });

  test('answers in any order as it does from fresh', () => {
    const texts = fc.constantFrom(
      '*/15 * * * *',
      '30 1 * * *',
      'every P1D from 2026-01-01',
      '0 0 0 1 1 * 2027',
    );
    const instants = fc.array(fc.integer({ min: Date.UTC(2026, 9, 31), max: Date.UTC(2026, 10, 3) }));
    fc.assert(
      fc.property(texts, instants, (expression, times) => {
        const asked = { expression, timezone: 'America/New_York' };
        const remembered = compileCached(asked, context('g/a'));
        const fresh = compile(asked, context('g/a'));
        for (const time of times) {
          const fire = remembered.next(epochMs(time));
          expect(fire).toEqual(fresh.next(epochMs(time)));
          // The fire itself is where the next question starts from.
          if (fire) expect(remembered.next(fire.at)).toEqual(fresh.next(fire.at));
        }
      }),
    );
  });
});

describe('a due time', () => {
  const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });

  test('is in the window, and before the next fire', () => {
    fc.assert(
      fc.property(instant, fc.nat(10_000_000), fc.nat(10_000_000), fc.string(), (fire, gap, window, seed) => {
        const due = dueAt(epochMs(fire), epochMs(fire + gap + 1), window, seed);
        expect(due).toBeGreaterThanOrEqual(fire);
        expect(due).toBeLessThan(fire + Math.max(1, Math.min(gap + 1, window)));
        expect(due).toBe(dueAt(epochMs(fire), epochMs(fire + gap + 1), window, seed));
      }),
    );
  });

  test('is the fire itself without a window', () => {
    expect(dueAt(epochMs(5), null, 0, 'seed')).toBe(5);
  });

  test('spreads schedules evenly over the window', () => {
    const tenths = new Array<number>(10).fill(0);
    for (let index = 0; index < 10_000; index += 1) {
      const tenth = Math.floor(dueAt(epochMs(0), null, 60_000, `group/${index}`) / 6_000);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

test('the zone data version is that of the runtime that is passed in', () => {
  expect(tzdataVersion(process.versions)).toMatch(/^20\d\d[a-z]$/);
  expect(tzdataVersion({})).toBe('unknown');
});
