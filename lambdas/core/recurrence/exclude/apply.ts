import { DAY } from '../../time.ts';
import type { Source } from '../source.ts';
import { spend } from '../work.ts';
import { type Exclusion, remembering, type Span } from './stretch.ts';

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
  const spanAt = spanOf(exclusions);
  return {
    next(after) {
      let at = source.next(after);
      const horizon = at + HORIZON;
      for (let crossed = 0; crossed < maxCrossed && at <= horizon && at !== Infinity; crossed += 1) {
        const span = spanAt(at);
        if (!span.excluded) return at;
        spend();
        // The span holds `at`, so the search moves on even when it ends there.
        at = source.next(Math.max(at, span.to - 1));
      }
      return Infinity;
    },
    prev(before) {
      let at = source.prev(before);
      const horizon = at - HORIZON;
      for (let crossed = 0; crossed < maxCrossed && at >= horizon && at !== -Infinity; crossed += 1) {
        const span = spanAt(at);
        if (!span.excluded) return at;
        spend();
        at = source.prev(Math.min(at, span.from));
      }
      return -Infinity;
    },
    notes: source.notes,
  };
}

export function exclusionAt(exclusions: readonly Exclusion[], at: number): Exclusion | undefined {
  return exclusions.find((exclusion) => exclusion.spanAt(at).excluded);
}

/**
 * The exclusions as one. The time that none of them excludes is remembered: however many there are, a question inside
 * it costs as much as with one.
 */
function spanOf(exclusions: readonly Exclusion[]): (at: number) => Span {
  return remembering((at) => {
    let [from, to] = [-Infinity, Infinity];
    for (const exclusion of exclusions) {
      const span = exclusion.spanAt(at);
      if (span.excluded) return span;
      if (span.from > from) from = span.from;
      if (span.to < to) to = span.to;
    }
    return { from, to, excluded: false };
  });
}
