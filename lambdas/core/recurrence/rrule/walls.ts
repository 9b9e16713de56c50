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

/** Wall times of a rule, with how far it is worth looking: a search ends at the bound as at the last match. */
export interface RuleWalls extends WallSource {
  next(wall: number, before?: number): number;
  prev(wall: number, after?: number): number;
}

export const NONE: RuleWalls = { next: () => Infinity, prev: () => -Infinity };

/** Wall times of a rule, from DTSTART on; without COUNT and UNTIL. */
export function ruleWalls(rule: Rule): RuleWalls {
  const periods = periodsOf(rule);
  if (periods.never) return NONE;
  const maxPeriods = Math.min(MAX_PERIODS, MAX_DAYS / daysPer(rule));

  // A position that even the fullest period does not have would be looked for in all of them.
  const fullest = daysPer(rule) * periods.offsets.length;
  const { positions } = rule;
  if (positions.length > 0 && positions.every((position) => Math.abs(position) > fullest)) return NONE;

  // The period of the last answer: who asks for one time after the other asks about it again and again.
  let known: { readonly index: number; readonly times: Times } | undefined;
  function timesIn(index: number): Times {
    if (known?.index === index) return known.times;
    const times = timesOf(periods.bases(index), periods.offsets, positions);
    known = { index, times };
    return times;
  }

  return {
    next(wall, before = Infinity) {
      const from = Math.max(wall, rule.start);
      let index = Math.max(0, periods.indexOf(from));
      for (let seen = 0; seen < maxPeriods && periods.begin(index) < before; seen += 1) {
        const times = timesIn(index);
        const found = times.firstFrom(from);
        if (found !== Infinity) return found;
        index = times.empty ? periods.beyond(index, 1) : index + 1;
      }
      return Infinity;
    },
    prev(wall, after = -Infinity) {
      let index = periods.indexOf(wall);
      for (let seen = 0; index >= 0 && seen < maxPeriods && periods.begin(index + 1) > after; seen += 1) {
        const times = timesIn(index);
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

/** The times of one period: each base with each offset, or those at the positions when BYSETPOS picks some. */
function timesOf(bases: readonly number[], offsets: readonly number[], positions: readonly number[]): Times {
  if (positions.length > 0) return listOf(pick(bases, offsets, positions));
  const [firstOffset = 0, lastOffset = 0] = [offsets[0], offsets.at(-1)];
  return {
    empty: bases.length === 0,
    firstFrom(wall) {
      // Of the base before it offsets may be left; of the one after it, all are.
      const base = bases[lastUpTo(bases, wall)];
      const offset = base === undefined ? undefined : offsets[lastUpTo(offsets, wall - base - 1) + 1];
      if (base !== undefined && offset !== undefined) return base + offset;
      return (bases[lastUpTo(bases, wall) + 1] ?? Infinity) + firstOffset;
    },
    lastUpTo(wall) {
      const index = lastUpTo(bases, wall);
      const base = bases[index];
      if (base === undefined) return -Infinity;
      const offset = offsets[lastUpTo(offsets, wall - base)];
      return offset === undefined ? (bases[index - 1] ?? -Infinity) + lastOffset : base + offset;
    },
  };
}

/** The index of the last value that is at most `most`; -1 when there is none. The values are sorted. */
function lastUpTo(values: readonly number[], most: number): number {
  let [low, high] = [-1, values.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) <= most) low = middle;
    else high = middle;
  }
  return low;
}

function listOf(times: readonly number[]): Times {
  return {
    empty: times.length === 0,
    firstFrom: (wall) => times[lastUpTo(times, wall - 1) + 1] ?? Infinity,
    lastUpTo: (wall) => times[lastUpTo(times, wall)] ?? -Infinity,
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
