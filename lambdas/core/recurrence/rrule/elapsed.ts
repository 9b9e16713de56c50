import { FIRST_SECOND, LAST_SECOND, type Source } from '../source.ts';
import { spend } from '../work.ts';
import { DAY_SECONDS } from '../zones/civil.ts';
import type { Zone } from '../zones/zone.ts';
import { type DstRule, endWall, firstWall, notesAt } from '../zones/zoned.ts';
import type { Rule } from './rule.ts';
import { NONE, type RuleWalls, ruleWalls } from './walls.ts';

/** Stretches of one offset in which another one would fire, and it does not, before a search gives up: some decades. */
const MAX_STRETCHES = 40;
/** Clocks show all offsets of a zone within a year; and none further apart than two days. */
const YEAR = 400 * DAY_SECONDS;
const APART = 2 * DAY_SECONDS;

const UNITS: Readonly<Record<string, number>> = { HOURLY: 3_600, MINUTELY: 60, SECONDLY: 1 };

/**
 * A rule that counts hours, minutes or seconds: they are elapsed time, as in `every PT5H`, so that every fifth hour
 * stays five hours apart through changes of clocks and no repeated hour is silent or counted double. What limits it
 * (BYHOUR, BYDAY …) is asked of what clocks then show. `start` is the UTC second of DTSTART.
 */
export function elapsedRule(rule: Rule, start: number, zone: Zone, dst: DstRule): Source {
  const unit = UNITS[rule.frequency] ?? 1;
  const byOffset = new Map<number, RuleWalls>();

  /** The rule as clocks with this offset show it: as if they had shown it at DTSTART. */
  function wallsWith(offset: number): RuleWalls {
    const known = byOffset.get(offset);
    if (known) return known;
    // Where clocks change by half an hour, the periods of hours go on from the next whole one.
    const moved = start + offset - rule.start;
    const shifted = ruleWalls({ ...rule, start: rule.start + unit * Math.ceil(moved / unit) });
    // Found out once, instead of in each stretch with this offset.
    const walls = shifted.next(-Infinity) === Infinity ? NONE : shifted;
    byOffset.set(offset, walls);
    return walls;
  }

  /** The offsets that clocks show from `from` on for a year. */
  function offsetsFrom(from: number): number[] {
    const offsets = new Set<number>();
    const end = from + YEAR;
    for (let at = from; at < end; ) {
      const segment = zone.segmentAt(at);
      offsets.add(segment.offset);
      at = segment.end;
    }
    return [...offsets];
  }

  // No instant is skipped: only what a repeated hour does is left to the rule.
  const rules: DstRule = { ...dst, gap: 'skip', longGap: 'skip' };

  return {
    next(after) {
      let from = Math.max(Math.floor(after / 1_000) + 1, start, FIRST_SECOND);
      for (let crossed = 0; from <= LAST_SECOND && crossed < MAX_STRETCHES; crossed += 1) {
        spend();
        const segment = zone.segmentAt(from);
        const end = endWall(segment, rules);
        const found = wallsWith(segment.offset).next(firstWall(segment, rules, from), end);
        if (found < end) return 1_000 * (found - segment.offset);
        if (segment.end > LAST_SECOND) return Infinity;
        // Nothing is between here and what any of the offsets has next.
        const firsts = offsetsFrom(segment.end).map(
          (offset) => wallsWith(offset).next(segment.end + offset) - offset,
        );
        from = Math.max(segment.end, Math.min(...firsts) - APART);
      }
      return Infinity;
    },
    prev(before) {
      let to = Math.min(Math.ceil(before / 1_000) - 1, LAST_SECOND);
      for (let crossed = 0; to >= Math.max(start, FIRST_SECOND) && crossed < MAX_STRETCHES; crossed += 1) {
        spend();
        const segment = zone.segmentAt(to);
        const first = firstWall(segment, rules, segment.start);
        const last = Math.min(to + segment.offset, endWall(segment, rules) - 1);
        const found = wallsWith(segment.offset).prev(last, first);
        if (found >= first) return 1_000 * (found - segment.offset);
        const end = segment.start - 1;
        if (end < start) return -Infinity;
        const lasts = offsetsFrom(end - YEAR).map((offset) => wallsWith(offset).prev(end + offset) - offset);
        to = Math.min(end, Math.max(...lasts) + APART);
      }
      return -Infinity;
    },
    notes(at) {
      const segment = zone.segmentAt(at / 1_000);
      return notesAt(wallsWith(segment.offset), segment, rules, at / 1_000);
    },
  };
}
