import { spend } from '../work.ts';
import { DAY_SECONDS } from '../zones/civil.ts';
import type { Zone } from '../zones/zone.ts';

/** A stretch of time, in UTC milliseconds or wall seconds or days; `to` is exclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Time that is excluded throughout, or nowhere. */
export interface Span extends Stretch {
  readonly excluded: boolean;
}

/** A reason not to fire. */
export interface Exclusion {
  /** What a person calls it: `exclude[0] (2026-12-25)`, `calendar holidays`. */
  readonly label: string;
  /** Whether it closes whole days; a fire on such a day may be moved to a business day. */
  readonly closesDays: boolean;
  /** The time around `at` (UTC milliseconds) that is as excluded as it, not necessarily all that adjoins. */
  spanAt(at: number): Span;
}

/** As `spanAt`, remembering the last answer: whoever goes through time asks about one span again and again. */
export function remembering(spanAt: (at: number) => Span): (at: number) => Span {
  let known: Span = { from: Infinity, to: -Infinity, excluded: false };
  return (at) => {
    if (at < known.from || at >= known.to) {
      spend();
      known = spanAt(at);
    }
    return known;
  };
}

/** An exclusion by what the wall clock of a zone shows; `wallSpan` is as `spanAt`, in wall seconds. */
export function wallExclusion(
  label: string,
  closesDays: boolean,
  zone: Zone,
  wallSpan: (wall: number) => Span,
): Exclusion {
  return {
    label,
    closesDays,
    spanAt: remembering((at) => {
      const utc = Math.floor(at / 1_000);
      const { start, end, offset } = zone.segmentAt(utc);
      const walls = wallSpan(utc + offset);
      // Past the end of the segment the wall clock jumps, and may show something else.
      return {
        excluded: walls.excluded,
        from: 1_000 * Math.max(walls.from - offset, start),
        to: 1_000 * Math.min(walls.to - offset, end),
      };
    }),
  };
}

/** The wall seconds around `wall` of days that are closed, or open, like its own. */
export function daySpan(wall: number, daysAround: (day: number) => Span): Span {
  const { from, to, excluded } = daysAround(Math.floor(wall / DAY_SECONDS));
  return { from: from * DAY_SECONDS, to: to * DAY_SECONDS, excluded };
}

/** The span of a question by ranges, sorted and apart: in one of them, or between two. */
export function spanAmong(ranges: readonly Stretch[], at: number): Span {
  // The first range that ends after it.
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.to ?? Infinity) > at) high = middle;
    else low = middle + 1;
  }
  const range = ranges[low];
  if (range && range.from <= at) return { ...range, excluded: true };
  return { from: ranges[low - 1]?.to ?? -Infinity, to: range?.from ?? Infinity, excluded: false };
}

/** Ranges in order, those that touch or overlap made one. */
export function merged(ranges: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && range.from <= last.to)
      all[all.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else all.push(range);
  }
  return all;
}
