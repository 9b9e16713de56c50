import type { Source } from '../source.ts';
import type { Exclusion } from './stretch.ts';

/**
 * Stretches of excluded time that a search crosses before it gives up. A schedule that fires once a day and is
 * excluded for thirteen years on end is as good as over.
 */
const MAX_CROSSED = 5_000;

/** The fires of the source that no exclusion covers. */
export function excluding(source: Source, exclusions: readonly Exclusion[]): Source {
  if (exclusions.length === 0) return source;
  return {
    next(after) {
      let from = after;
      for (let crossed = 0; crossed < MAX_CROSSED; crossed += 1) {
        const at = source.next(from);
        const stretch = at === Infinity ? undefined : stretchAt(exclusions, at);
        if (!stretch) return at;
        // The stretch holds `at`, so the search moves on even when it ends there.
        from = Math.max(at, stretch.to - 1);
      }
      return Infinity;
    },
    prev(before) {
      let to = before;
      for (let crossed = 0; crossed < MAX_CROSSED; crossed += 1) {
        const at = source.prev(to);
        const stretch = at === -Infinity ? undefined : stretchAt(exclusions, at);
        if (!stretch) return at;
        to = Math.min(at, stretch.from);
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
