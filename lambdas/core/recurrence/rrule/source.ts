import type { RRuleExpression } from '../expression.ts';
import { onceSource } from '../interval.ts';
import type { Source, WallSource } from '../source.ts';
import { unionOf, within } from '../union.ts';
import { type DstRule, zonedSource } from '../zoned.ts';
import { ruleWalls } from './walls.ts';

/** The rule up to COUNT or UNTIL, with RDATE, without EXDATE. */
export function rruleSource(expression: RRuleExpression, dst: DstRule): Source {
  const { zone, until, added, excluded } = expression;
  const ruled = within(
    zonedSource(upTo(ruleWalls(expression.rule), expression.last), zone, dst),
    undefined,
    until === Infinity ? undefined : until,
  );
  const all = unionOf([ruled, ...added.map((at) => onceSource(at / 1_000))]);
  return excluded.length === 0 ? all : without(all, new Set(excluded));
}

function upTo(walls: WallSource, last: number): WallSource {
  if (last === Infinity) return walls;
  return {
    next(wall) {
      const found = walls.next(wall);
      return found <= last ? found : Infinity;
    },
    prev: (wall) => walls.prev(Math.min(wall, last)),
  };
}

/** Ends because each step passes one of finitely many excluded instants. */
function without(source: Source, excluded: ReadonlySet<number>): Source {
  return {
    next(after) {
      let at = source.next(after);
      while (excluded.has(at)) at = source.next(at);
      return at;
    },
    prev(before) {
      let at = source.prev(before);
      while (excluded.has(at)) at = source.prev(at);
      return at;
    },
    notes: source.notes,
  };
}
