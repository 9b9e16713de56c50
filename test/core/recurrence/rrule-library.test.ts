import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { expect, test } from 'vitest';
import { compile } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import { CONTEXT, short, take } from './support.ts';

/**
 * The rules are ours; rrule-temporal is the second opinion, in UTC. In zones it is not asked: of a rule at 02:30 it
 * loses the run in the gap when asked afresh, and of an hourly one the repeated hour.
 */

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const some = (min: number, max: number, most = 3): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most });
const either = (max: number): fc.Arbitrary<number[]> =>
  fc.uniqueArray(
    fc.integer({ min: -max, max }).filter((value) => value !== 0),
    { minLength: 1, maxLength: 3 },
  );
const weekdays = fc.subarray(WEEKDAYS, { minLength: 1, maxLength: 4 });
const counted = (most: number): fc.Arbitrary<string[]> =>
  fc.array(
    fc
      .tuple(fc.integer({ min: -most, max: most }), fc.constantFrom(...WEEKDAYS))
      // Not mixed with plain weekdays, of which the library loses the plain ones.
      .map(([nth, day]) => (nth || 1) + day),
    { minLength: 1, maxLength: 3 },
  );

const common = {
  INTERVAL: fc.integer({ min: 1, max: 4 }),
  BYMONTH: some(1, 12),
  BYHOUR: some(0, 23),
  BYMINUTE: some(0, 59, 2),
  WKST: fc.constantFrom('MO', 'SU', 'WE'),
};

/** Parts that go with each frequency; what the RFC forbids is left out. */
const rules = fc.oneof(
  parts('YEARLY', {
    ...common,
    BYMONTHDAY: either(31),
    BYDAY: weekdays,
    BYSETPOS: either(3),
  }),
  parts('YEARLY', { ...common, BYDAY: counted(4), BYSETPOS: either(3) }),
  parts('YEARLY', { ...common, BYYEARDAY: either(366) }),
  // Without an interval: whether every second year is a calendar or a week year, the RFC leaves open.
  parts('YEARLY', { WKST: common.WKST, BYWEEKNO: either(53), BYDAY: weekdays }),
  parts('MONTHLY', { ...common, BYMONTHDAY: either(31), BYDAY: weekdays }),
  parts('MONTHLY', { ...common, BYDAY: counted(5) }),
  parts('MONTHLY', { ...common, BYDAY: counted(2), BYSETPOS: either(3) }),
  parts('WEEKLY', { ...common, BYDAY: weekdays }),
  parts('DAILY', { ...common, BYMONTHDAY: either(31), BYDAY: weekdays }),
  parts('HOURLY', { INTERVAL: common.INTERVAL, BYDAY: weekdays, BYMINUTE: common.BYMINUTE }),
  parts('MINUTELY', { INTERVAL: common.INTERVAL, BYHOUR: common.BYHOUR }),
);

function parts(frequency: string, model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<string> {
  return fc
    .record(model, { requiredKeys: [] })
    .map((given) =>
      [`FREQ=${frequency}`, ...Object.entries(given).map(([name, value]) => `${name}=${value}`)].join(';'),
    )
    .filter((text) => !text.includes('BYSETPOS') || /BY(DAY|MONTHDAY|MONTH|HOUR|MINUTE)=/.test(text));
}

const starts = fc
  .integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2028, 0, 1) })
  .map((start) => Math.floor(start / 60_000) * 60_000);

test('a rule has the fires that rrule-temporal finds', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(rules, starts, (rule, start) => {
      const dtstart = short(start).replace(/[-:]/g, '');
      const expected = library(`DTSTART:${dtstart}\nRRULE:${rule}`);
      fc.pre(expected !== undefined);
      const rules = compile({ expression: `DTSTART:${dtstart} RRULE:${rule}`, timezone: 'UTC' }, CONTEXT);
      const found = take(rules, epochMs(start - 1), 6);
      expect(found.map(short)).toEqual(expected);
      const backwards = found.map((fire) => rules.prev(fire)?.at);
      expect(backwards).toEqual([undefined, ...found.slice(0, -1)]);
    }),
    { numRuns: 800 },
  );
});

/** Undefined where the library gives up, which it does after 1,000 periods. */
function library(rruleString: string): string[] | undefined {
  try {
    const found = new RRuleTemporal({ rruleString, maxIterations: 1_000, cache: false }).all(
      (_, index) => index < 6,
    );
    return found.length === 0 ? undefined : found.map(({ epochMilliseconds }) => short(epochMilliseconds));
  } catch {
    return undefined;
  }
}
