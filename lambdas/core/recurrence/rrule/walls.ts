import type { WallSource } from '../source.ts';
import { periodsOf } from './periods.ts';
import type { Rule } from './rule.ts';

/**
 * Periods that a search looks at before it gives up: all days of the longest wait that the calendar knows (a leap day on
 * a given weekday, forty years), and many more years, months and weeks than that.
 */
const MAX_PERIODS = 16_000;
/** Days that a search looks at, of which a year has 366: some ten milliseconds. */
const MAX_DAYS = 60_000;

const NONE: WallSource = { next: () => Infinity, prev: () => -Infinity };

/** Wall times of a rule, from DTSTART on; without COUNT and UNTIL. */
export function ruleWalls(rule: Rule): WallSource {
  const periods = periodsOf(rule);
  const maxPeriods = Math.min(MAX_PERIODS, MAX_DAYS / daysPer(rule));

  // A position that even the fullest period does not have would be looked for in all of them.
  const fullest = daysPer(rule) * periods.offsets.length;
  const { positions } = rule;
  if (positions.length > 0 && positions.every((position) => Math.abs(position) > fullest)) return NONE;

  return {
    next(wall) {
      const from = Math.max(wall, rule.start);
      let index = Math.max(0, periods.indexOf(from));
      for (let seen = 0; seen < maxPeriods; seen += 1) {
        const times = timesOf(periods.bases(index), periods.offsets, rule.positions);
        const found = times.firstFrom(from);
        if (found !== Infinity) return found;
        index = times.empty ? periods.beyond(index, 1) : index + 1;
      }
      return Infinity;
    },
    prev(wall) {
      let index = periods.indexOf(wall);
      for (let seen = 0; index >= 0 && seen < maxPeriods; seen += 1) {
        const times = timesOf(periods.bases(index), periods.offsets, rule.positions);
        const found = times.lastUpTo(wall);
        if (found >= rule.start) return found;
        index = times.empty ? periods.beyond(index, -1) : index - 1;
      }
      return -Infinity;
    },
  };
}

function daysPer({ frequency }: Rule): number {
  return { YEARLY: 366, MONTHLY: 31, WEEKLY: 7, DAILY: 1, HOURLY: 1, MINUTELY: 1, SECONDLY: 1 }[frequency];
}

interface Times {
  readonly empty: boolean;
  firstFrom(wall: number): number;
  lastUpTo(wall: number): number;
}

/** The times of one period: base by base, or those at the positions when BYSETPOS picks some. */
function timesOf(bases: readonly number[], offsets: readonly number[], positions: readonly number[]): Times {
  if (positions.length > 0) return listOf(pick(bases, offsets, positions));
  return {
    empty: bases.length === 0,
    firstFrom(wall) {
      for (const base of bases) for (const offset of offsets) if (base + offset >= wall) return base + offset;
      return Infinity;
    },
    lastUpTo(wall) {
      for (const base of bases.toReversed())
        for (const offset of offsets.toReversed()) if (base + offset <= wall) return base + offset;
      return -Infinity;
    },
  };
}

function listOf(times: readonly number[]): Times {
  return {
    empty: times.length === 0,
    firstFrom: (wall) => times.find((time) => time >= wall) ?? Infinity,
    lastUpTo: (wall) => times.findLast((time) => time <= wall) ?? -Infinity,
  };
}

/** The times at the positions, without building the whole list of a year's seconds. */
function pick(bases: readonly number[], offsets: readonly number[], positions: readonly number[]): number[] {
  const size = bases.length * offsets.length;
  const indexes = positions
    .map((position) => (position > 0 ? position - 1 : size + position))
    .filter((index) => index >= 0 && index < size);
  return [...new Set(indexes)]
    .sort((a, b) => a - b)
    .map(
      (index) => (bases[Math.floor(index / offsets.length)] ?? 0) + (offsets[index % offsets.length] ?? 0),
    );
}
