import { DAY_SECONDS } from './zones/civil.ts';

/**
 * A stretch of time during which a zone keeps one offset. All times are UTC epoch seconds, all offsets seconds
 * east of UTC. Stretches are cut where chunks of the cache meet, so `start` and `end` need not be transitions;
 * `jumpAt` and `tailFrom` tell of real ones only.
 */
export interface Segment {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly offset: number;
  /** The transition that brought this offset, when it is near enough to matter; else -Infinity. */
  readonly jumpAt: number;
  /** The offset before `jumpAt`; equal to `offset` when there is none. */
  readonly before: number;
  /** From here on the wall times of this stretch come a second time after its end; else Infinity. */
  readonly tailFrom: number;
  /** By how much clocks go back at the end of the tail; 0 when there is no tail. */
  readonly tailJump: number;
}

/** How far a chunk looks over its edges: the longest jump in the tz database is one day (Apia, Kwajalein, Manila). */
const MARGIN = 3 * DAY_SECONDS;
/** Two transitions nearer than this would hide each other; the nearest since 1970 are a week apart (Recife, 2000). */
const PROBE = 5 * DAY_SECONDS;

interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The stretches of [from, to), each knowing the transitions up to MARGIN away that touch its wall times. */
export function segmentsOf(from: number, to: number, offsetOf: (utc: number) => number): Segment[] {
  const transitions = findTransitions(from - MARGIN, to + MARGIN, offsetOf);
  const segments: Segment[] = [];
  let last: Transition | undefined;
  let start = -Infinity;
  for (const next of [...transitions, undefined]) {
    const end = next?.at ?? Infinity;
    if (end > from && start < to) {
      const offset = next?.before ?? last?.after ?? offsetOf(from);
      const back = next ? next.before - next.after : 0;
      segments.push({
        start: Math.max(start, from),
        end: Math.min(end, to),
        offset,
        jumpAt: last?.at ?? -Infinity,
        before: last?.before ?? offset,
        tailFrom: back > 0 ? end - back : Infinity,
        tailJump: Math.max(back, 0),
      });
    }
    last = next;
    start = end;
  }
  return segments;
}

function findTransitions(from: number, to: number, offsetOf: (utc: number) => number): Transition[] {
  const found: Transition[] = [];
  let at = from;
  let before = offsetOf(at);
  while (at < to) {
    const probe = Math.min(at + PROBE, to);
    const after = offsetOf(probe);
    if (after !== before) found.push({ at: firstWith(before, at, probe, offsetOf), before, after });
    at = probe;
    before = after;
  }
  return found;
}

/** The first second in (low, high] whose offset is no longer `before`. */
function firstWith(before: number, low: number, high: number, offsetOf: (utc: number) => number): number {
  let [same, changed] = [low, high];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetOf(middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}
