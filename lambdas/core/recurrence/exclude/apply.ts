import { DAY } from '../../time.ts';
import type { Source } from '../source.ts';
import type { Exclusion } from './stretch.ts';

/**
 * How much excluded time a search crosses before it gives up, so that what is always excluded is found out in
 * milliseconds: a century, or so many checks of one stretch against one exclusion.
 */
const HORIZON = 100 * 366 * DAY;
const MAX_CHECKS = 15_000;
const MAX_CROSSED = 5_000;
const MIN_CROSSED = 100;

/** The fires of the source that no exclusion covers. `cost` is how many checks one question to the source is worth. */
export function excluding(source: Source, exclusions: readonly Exclusion[], cost = 1): Source {
  if (exclusions.length === 0) return source;
  const affordable = Math.ceil(MAX_CHECKS / (exclusions.length * cost));
  const maxCrossed = Math.max(MIN_CROSSED, Math.min(MAX_CROSSED, affordable));
  return {
    next(after) {
      let at = source.next(after);
      const horizon = at + HORIZON;
      for (let crossed = 0; crossed < maxCrossed && at <= horizon && at !== Infinity; crossed += 1) {
        const stretch = stretchAt(exclusions, at);
        if (!stretch) return at;
        // The stretch holds `at`, so the search moves on even when it ends there.
        at = source.next(Math.max(at, stretch.to - 1));
      }
      return Infinity;
    },
    prev(before) {
      let at = source.prev(before);
      const horizon = at - HORIZON;
      for (let crossed = 0; crossed < maxCrossed && at >= horizon && at !== -Infinity; crossed += 1) {
        const stretch = stretchAt(exclusions, at);
        if (!stretch) return at;
        at = source.prev(Math.min(at, stretch.from));
      }
      return -Infinity;
    },
    notes: source.notes,
  };
}

export function exclusionAt(exclusions: readonly Exclusion[], at: number): Exclusion | undefined {
  return exclusions.find((exclusion) => exclusion.covers(at) !== undefined);
}

function stretchAt(exclusions: readonly Exclusion[], at: number) {
  for (const exclusion of exclusions) {
    const stretch = exclusion.covers(at);
    if (stretch) return stretch;
  }
  return undefined;
}
