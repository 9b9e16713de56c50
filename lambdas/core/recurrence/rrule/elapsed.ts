import { FIRST_SECOND, LAST_SECOND, type Source } from '../source.ts';
import { spend } from '../work.ts';
import type { Zone } from '../zone.ts';
import { type DstRule, endWall, firstWall, notesAt } from '../zoned.ts';
import type { Rule } from './rule.ts';
import { NONE, type RuleWalls, ruleWalls } from './walls.ts';

/** Stretches of one offset that a search crosses: more than forty years of two changes each. */
const MAX_STRETCHES = 240;

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
        from = segment.end;
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
        to = segment.start - 1;
      }
      return -Infinity;
    },
    notes(at) {
      const segment = zone.segmentAt(at / 1_000);
      return notesAt(wallsWith(segment.offset), segment, rules, at / 1_000);
    },
  };
}
