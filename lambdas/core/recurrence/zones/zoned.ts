import type { Segment } from '../segments.ts';
import { FIRST_SECOND, LAST_SECOND, NO_NOTES, type Source, type WallSource } from '../source.ts';
import type { DstPolicy, FireNote, GapPolicy, OverlapTimePolicy } from '../types.ts';
import { spend } from '../work.ts';
import { DAY_SECONDS, wallText } from './civil.ts';
import type { Zone } from './zone.ts';

export interface DstRule extends DstPolicy {
  /** What holds for jumps of three hours and more (Apia 2011, Casey). */
  readonly longGap: GapPolicy;
  readonly longOverlap: OverlapTimePolicy;
  /** Whether running in both passes is worth a note: not where it is how the expression always runs. */
  readonly notesBoth: boolean;
}

const LONG_JUMP = 3 * 3_600;

/**
 * Matches that may fall into skipped time one after the other before the search gives up. Enough for six
 * decades of a yearly time that is always in the gap (02:00 on the second Sunday of March in New York).
 */
const MAX_LOST = 120;

/**
 * Puts wall times into a zone. Works stretch by stretch: within one the offset is constant, so wall order is time
 * order; at its start skipped wall times are dealt with, and repeated ones where two stretches share them.
 */
export function zonedSource(walls: WallSource, zone: Zone, rule: DstRule): Source {
  return {
    next: (after) => 1_000 * nextSecond(walls, zone, rule, Math.floor(after / 1_000) + 1),
    prev: (before) => 1_000 * prevSecond(walls, zone, rule, Math.ceil(before / 1_000) - 1),
    notes: (at) => notesAt(walls, zone.segmentAt(at / 1_000), rule, at / 1_000),
  };
}

function nextSecond(walls: WallSource, zone: Zone, rule: DstRule, earliest: number): number {
  let from = Math.max(earliest, FIRST_SECOND);
  for (let lost = 0; from <= LAST_SECOND && lost < MAX_LOST; lost += 1) {
    spend();
    const segment = zone.segmentAt(from);
    const match = walls.next(firstWall(segment, rule, from));
    const real = match < endWall(segment, rule) ? match - segment.offset : Infinity;
    const found = Math.min(real, firstSkipped(walls, segment, rule, from));
    if (found < segment.end) return found <= LAST_SECOND ? found : Infinity;
    // Nothing matches between here and `match`, so stretches between may be skipped, but for the one after an
    // overlap, which shows wall times again that lie before those looked at.
    from = from >= segment.end - DAY_SECONDS ? segment.end : Math.max(segment.end, match - 2 * DAY_SECONDS);
  }
  return Infinity;
}

function prevSecond(walls: WallSource, zone: Zone, rule: DstRule, latest: number): number {
  let to = Math.min(latest, LAST_SECOND);
  for (let lost = 0; to >= FIRST_SECOND && lost < MAX_LOST; lost += 1) {
    spend();
    const segment = zone.segmentAt(to);
    const match = walls.prev(Math.min(to + segment.offset, endWall(segment, rule) - 1));
    const real = match >= firstWall(segment, rule, segment.start) ? match - segment.offset : -Infinity;
    const found = Math.max(real, lastSkipped(walls, segment, rule, to));
    if (found >= segment.start) return found >= FIRST_SECOND ? found : -Infinity;
    const before = segment.start - 1;
    to = to < segment.start + DAY_SECONDS ? before : Math.min(before, match + 2 * DAY_SECONDS);
  }
  return -Infinity;
}

/** The first wall time of the segment at or after `from` that the overlap rule leaves to it. */
export function firstWall(segment: Segment, rule: DstRule, from: number): number {
  const wall = from + segment.offset;
  const back = segment.before - segment.offset;
  if (back <= 0 || overlapRule(rule, back) !== 'first') return wall;
  return Math.max(wall, segment.jumpAt + segment.before);
}

/** Exclusive: from this wall time on, the segment's times are left to the second pass or to the next segment. */
export function endWall(segment: Segment, rule: DstRule): number {
  const repeats = segment.tailJump > 0 && overlapRule(rule, segment.tailJump) === 'second';
  return (repeats ? Math.min(segment.tailFrom, segment.end) : segment.end) + segment.offset;
}

/** The first fire at or after `from` that stands for skipped wall times; Infinity when there is none. */
function firstSkipped(walls: WallSource, segment: Segment, rule: DstRule, from: number): number {
  const gap = gapRule(rule, segment.offset - segment.before);
  if (gap === 'skip') return Infinity;
  const start = segment.jumpAt + segment.before;
  const end = segment.jumpAt + segment.offset;
  if (gap === 'run-after')
    return from <= segment.jumpAt && walls.next(start) < end ? segment.jumpAt : Infinity;
  const match = walls.next(Math.max(start, from + segment.before));
  return match < end ? match - segment.before : Infinity;
}

function lastSkipped(walls: WallSource, segment: Segment, rule: DstRule, to: number): number {
  const gap = gapRule(rule, segment.offset - segment.before);
  if (gap === 'skip') return -Infinity;
  const start = segment.jumpAt + segment.before;
  const end = segment.jumpAt + segment.offset;
  if (gap === 'run-after')
    return to >= segment.jumpAt && walls.next(start) < end ? segment.jumpAt : -Infinity;
  const match = walls.prev(Math.min(end - 1, to + segment.before));
  return match >= start ? match - segment.before : -Infinity;
}

/** What applies to a jump of `seconds`; `skip` also when there is no jump forward. */
export function gapRule(rule: DstRule, seconds: number): GapPolicy {
  if (seconds <= 0) return 'skip';
  return seconds >= LONG_JUMP ? rule.longGap : rule.gap;
}

export function overlapRule(rule: DstRule, seconds: number): OverlapTimePolicy {
  return seconds >= LONG_JUMP ? rule.longOverlap : rule.overlap;
}

/** The rules that decided the fire at UTC second `at`. */
export function notesAt(walls: WallSource, segment: Segment, rule: DstRule, at: number): readonly FireNote[] {
  const wall = at + segment.offset;
  const forward = segment.offset - segment.before;
  if (forward > 0 && at < segment.jumpAt + forward) {
    const gap = gapRule(rule, forward);
    const skipped = walls.next(gap === 'shift' ? at + segment.before : segment.jumpAt + segment.before);
    const stands =
      gap === 'run-after'
        ? at === segment.jumpAt && skipped < segment.jumpAt + segment.offset
        : gap === 'shift' && skipped === at + segment.before;
    if (stands) return [gapNote(skipped, wall, gap)];
  }
  const secondPass = forward < 0 && at < segment.jumpAt - forward;
  if (!secondPass && at < segment.tailFrom) return NO_NOTES;
  const overlap = overlapRule(rule, secondPass ? -forward : segment.tailJump);
  if (overlap === 'both' && !rule.notesBoth) return NO_NOTES;
  return [overlapNote(wall, secondPass, overlap)];
}

function gapNote(skipped: number, wall: number, gap: GapPolicy): FireNote {
  const rule = gap === 'shift' ? 'it runs as much later' : 'it runs at the first instant after the gap';
  return {
    code: `dst.gap.${gap}`,
    message: `${wallText(skipped)} is skipped when clocks go forward; ${rule}, ${wallText(wall)}.`,
  };
}

function overlapNote(wall: number, secondPass: boolean, overlap: OverlapTimePolicy): FireNote {
  const which = secondPass ? 'second' : 'first';
  const other = overlap === 'both' ? 'both passes run' : 'the other pass does not run';
  return {
    code: `dst.overlap.${overlap}`,
    message: `${wallText(wall)} comes twice when clocks go back; this is the ${which} pass, ${other}.`,
  };
}
