import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile, type DstPolicy } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import { DAYS, type RandomCron, randomCron } from './arbitrary.ts';
import { fireTimes, type OracleRule, type Walk, walk, wallsOf } from './oracle.ts';
import { CONTEXT, short } from './support.ts';

const HOUR = 3_600_000;
/** Runs for each kind; each compares some hundred instants. */
const RUNS = Number(process.env.RECURRENCE_RUNS ?? 1_000);

const policies = fc.record(
  {
    gap: fc.constantFrom('run-after', 'shift', 'skip'),
    overlap: fc.constantFrom('first', 'second', 'both'),
  },
  { requiredKeys: [] },
);

/** Debian's rule, written down a second time. */
function ruleOf(cron: RandomCron, dst: Partial<DstPolicy>): [forGaps: OracleRule, forOverlaps: OracleRule] {
  const usual = cron.wildcard
    ? ({ gap: 'skip', overlap: 'both' } as const)
    : ({ gap: 'run-after', overlap: 'first' } as const);
  const rule = { ...usual, ...dst };
  return [
    { ...rule, longFollowsRealTime: dst.gap === undefined },
    { ...rule, longFollowsRealTime: dst.overlap === undefined },
  ];
}

/** Fires of the walker in [from, to): gaps and overlaps have their own rule, and no walk here holds both. */
function walked(held: Walk, cron: RandomCron, dst: Partial<DstPolicy>, from: number, to: number): string[] {
  const [forGaps, forOverlaps] = ruleOf(cron, dst);
  return fireTimes(held, cron.matches, held.hasOverlap ? forOverlaps : forGaps)
    .filter((fire) => fire >= from && fire < to)
    .map(short);
}

function planned(zone: string, cron: RandomCron, dst: Partial<DstPolicy>, from: number, to: number) {
  const recurrence = compile({ expression: cron.text, timezone: zone, dst }, CONTEXT);
  const forwards: string[] = [];
  for (let fire = recurrence.next(epochMs(from - 1)); fire && fire.at < to; fire = recurrence.next(fire.at))
    forwards.push(short(fire.at));
  const backwards: string[] = [];
  for (let fire = recurrence.prev(epochMs(to)); fire && fire.at >= from; fire = recurrence.prev(fire.at))
    backwards.unshift(short(fire.at));
  return { forwards, backwards };
}

/** Texts that match no day are refused; random ones such as 31 February are passed over. */
function isRefused(cron: RandomCron): boolean {
  try {
    compile({ expression: cron.text, timezone: 'UTC' }, CONTEXT);
    return false;
  } catch {
    return true;
  }
}

describe.each([
  {
    name: 'minute by minute',
    days: DAYS,
    seconds: false,
    step: 60_000,
    around: 60 * HOUR,
    inside: 30 * HOUR,
    share: 1,
  },
  {
    name: 'second by second',
    // Every third: walking by seconds takes its time.
    days: DAYS.filter((_, index) => index % 3 === 0),
    seconds: true,
    step: 1_000,
    around: 4 * HOUR,
    inside: 2 * HOUR,
    share: 10,
  },
])('a walk $name', ({ days, seconds, step, around, inside, share }) => {
  // Walks are slow, so each day is walked once for all random texts.
  const walks = new Map<string, Walk>();
  const middles = new Map(DAYS.map(([zone, day]) => [zone + day, middleOf(zone, day)]));
  const walkOf = (zone: string, day: string): Walk => {
    const middle = middles.get(zone + day) ?? 0;
    const known = walks.get(zone + day) ?? walk(zone, middle - around, middle + around, step);
    walks.set(zone + day, known);
    return known;
  };

  test('finds the fires that the planner finds, forwards and backwards', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(randomCron(seconds), fc.constantFrom(...days), policies, (cron, [zone, day], dst) => {
        fc.pre(!isRefused(cron));
        const middle = middles.get(zone + day) ?? 0;
        const [from, to] = [middle - inside, middle + inside];
        const expected = walked(walkOf(zone, day), cron, dst as Partial<DstPolicy>, from, to);
        const { forwards, backwards } = planned(zone, cron, dst as Partial<DstPolicy>, from, to);
        expect(forwards).toEqual(expected);
        expect(backwards).toEqual(expected);
      }),
      { numRuns: Math.ceil(RUNS / share) },
    );
  });
});

/** The change of clocks nearest to noon UTC of the day, or that noon. */
function middleOf(zone: string, day: string): number {
  const noon = Date.parse(`${day}T12:00:00Z`);
  const [start, step] = [noon - 30 * HOUR, 15 * 60_000];
  const walls = wallsOf(zone, start, noon + 30 * HOUR, step);
  const change = walls.findIndex((wall, index) => index > 0 && wall !== (walls[index - 1] ?? 0) + step);
  return change < 0 ? noon : start + change * step;
}
