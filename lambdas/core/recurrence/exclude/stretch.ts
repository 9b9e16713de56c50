import { DAY_SECONDS } from '../civil.ts';
import type { Zone } from '../zone.ts';

/** Time that does not fire, in UTC milliseconds; `to` is exclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A reason not to fire. */
export interface Exclusion {
  /** What a person calls it: `exclude[0] (2026-12-25)`, `calendar holidays`. */
  readonly label: string;
  /** Whether it closes whole days; a fire on such a day may be moved to a business day. */
  readonly closesDays: boolean;
  /** Excluded time that holds `at`, not necessarily all that adjoins; undefined when `at` may fire. */
  covers(at: number): Stretch | undefined;
}

/** An exclusion by what the wall clock of a zone shows: `wallEnds` gives the excluded wall seconds that hold one. */
export function wallExclusion(
  label: string,
  closesDays: boolean,
  zone: Zone,
  wallsAround: (wall: number) => Stretch | undefined,
): Exclusion {
  return {
    label,
    closesDays,
    covers(at) {
      const utc = Math.floor(at / 1_000);
      const { start, end, offset } = zone.segmentAt(utc);
      const walls = wallsAround(utc + offset);
      // Past the end of the segment the wall clock jumps, and may show what is not excluded.
      return (
        walls && {
          from: 1_000 * Math.max(walls.from - offset, start),
          to: 1_000 * Math.min(walls.to - offset, end),
        }
      );
    },
  };
}

/** The wall seconds of the day that holds `wall`, when the day is closed. */
export function closedDay(wall: number, isClosed: (day: number) => boolean): Stretch | undefined {
  const day = Math.floor(wall / DAY_SECONDS);
  return isClosed(day) ? { from: day * DAY_SECONDS, to: (day + 1) * DAY_SECONDS } : undefined;
}

/** Dates and ranges of dates, both ends included, by number of day. */
export function containsDay(ranges: readonly Stretch[]): (day: number) => boolean {
  const single = new Set(ranges.filter(({ from, to }) => from === to).map(({ from }) => from));
  const longer = ranges.filter(({ from, to }) => from !== to);
  return (day) => single.has(day) || longer.some(({ from, to }) => day >= from && day <= to);
}
