import type { RRuleExpression } from '../expression.ts';
import { onceSource } from '../interval.ts';
import type { Source } from '../source.ts';
import { unionOf, within } from '../union.ts';
import { type DstRule, zonedSource } from '../zones/zoned.ts';
import { elapsedRule } from './elapsed.ts';
import { isDayBased } from './rule.ts';
import { ruleWalls } from './walls.ts';

/** The rule up to COUNT or UNTIL, with RDATE, without EXDATE. `last` is the last fire that COUNT allows. */
export function rruleSource(expression: RRuleExpression, dst: DstRule, last: number): Source {
  const { until, added, excluded } = expression;
  const end = Math.min(until, last);
  const ruled = within(ruleSource(expression, dst), undefined, end === Infinity ? undefined : end);
  const all = unionOf([ruled, ...added.map(onceSource)]);
  return excluded.length === 0 ? all : without(all, new Set(excluded));
}

/** The fires of the rule itself: none of a text that has only RDATE. */
export function ruleSource(
  { rule, start, zone }: Pick<RRuleExpression, 'rule' | 'start' | 'zone'>,
  dst: DstRule,
): Source {
  if (!rule) return NOTHING;
  return isDayBased(rule.frequency)
    ? zonedSource(ruleWalls(rule), zone, dst)
    : elapsedRule(rule, start, zone, dst);
}

const NOTHING: Source = { next: () => Infinity, prev: () => -Infinity, notes: () => [] };

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
