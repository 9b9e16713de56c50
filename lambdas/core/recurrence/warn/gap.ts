import { DAY } from '../../time.ts';
import type { CronExpression } from '../expression.ts';
import type { WallSource } from '../source.ts';
import type { Warning } from '../types.ts';
import { DAY_SECONDS, wallText } from '../zones/civil.ts';
import { type DstRule, gapRule } from '../zones/zoned.ts';

const YEAR_SECONDS = (366 * DAY) / 1_000;

/**
 * Warns of the first fixed time that clocks skip within a year of `now`. A text with `*` in its time expects that, unless
 * it loses all its runs of the day: those of an hour that is not there.
 */
export function gapWarnings(
  walls: WallSource,
  expression: CronExpression,
  rule: DstRule,
  now: number,
): Warning[] {
  const end = now / 1_000 + YEAR_SECONDS;
  for (let segment = expression.zone.segmentAt(now / 1_000); segment.end < end; ) {
    segment = expression.zone.segmentAt(segment.end);
    const forward = segment.offset - segment.before;
    const skipped = walls.next(segment.jumpAt + segment.before);
    const gapEnd = segment.jumpAt + segment.offset;
    if (forward <= 0 || skipped >= gapEnd) continue;
    if (expression.fields.wildcardTime && !isWholeDay(walls, skipped, gapEnd)) continue;
    const outcome = {
      'run-after': `it runs at ${wallText(segment.jumpAt + segment.offset)} instead`,
      shift: `it runs at ${wallText(skipped + forward)} instead`,
      skip: 'it does not run that day',
    }[gapRule(rule, forward)];
    return [
      {
        code: 'dst-gap',
        message: `${wallText(skipped)} does not exist in ${expression.zone.name}: clocks go forward over it; ${outcome}.`,
      },
    ];
  }
  return [];
}

/** Whether the times from `first` to the end of the gap are all that the day has. */
function isWholeDay(walls: WallSource, first: number, gapEnd: number): boolean {
  const day = first - (first % DAY_SECONDS);
  return walls.prev(first - 1) < day && walls.next(gapEnd) >= day + DAY_SECONDS;
}
