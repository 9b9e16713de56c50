import type { EpochMs } from '../../time.ts';
import { dstRule } from '../build.ts';
import type { Compiled } from '../compile.ts';
import { cronWalls } from '../cron/walls.ts';
import type { Expression, RRuleExpression } from '../expression.ts';
import { isDayBased } from '../rrule/rule.ts';
import type { Warning } from '../types.ts';
import { FIXED_ALL_YEAR } from '../zones/zone-names.ts';
import { cronWarnings } from './cron.ts';
import { gapWarnings } from './gap.ts';

/** What warnings are made from. */
export type Warned = Pick<Compiled, 'spec' | 'zone' | 'expressions' | 'endAt' | 'next' | 'windowMs'>;

/** What is legal and probably not meant, as of `now`: some of it depends on the year. */
export function warningsOf(compiled: Warned, now: EpochMs): readonly Warning[] {
  const warnings = compiled.expressions.flatMap((expression) =>
    expressionWarnings(expression, compiled, now),
  );
  const first = compiled.next(now);
  if (!first)
    warnings.push({
      code: 'never-again',
      message: 'Nothing fires from now on: every time that this names is in the past.',
    });
  const second = first && compiled.next(first.at);
  if (first && second && compiled.windowMs > second.at - first.at)
    warnings.push({
      code: 'window-longer-than-interval',
      message: 'The window is longer than the time between fires; each start comes before the next fire.',
    });
  return warnings;
}

function expressionWarnings(expression: Expression, { spec, zone }: Warned, now: EpochMs): Warning[] {
  const warnings: Warning[] = [];
  if (expression.zone !== zone)
    warnings.push({
      code: 'zone-in-expression',
      message: `The expression names its own zone, ${expression.zone.name}; timezone ${zone.name} does not apply to it.`,
    });
  const likely = FIXED_ALL_YEAR[expression.zone.name.toUpperCase()];
  if (likely !== undefined)
    warnings.push({
      code: 'zone-without-dst',
      message: `${expression.zone.name} has the same offset all year; where clocks change with the seasons, write ${likely}.`,
    });
  if (expression.kind === 'rrule') warnings.push(...derivedTimes(expression));
  if (expression.kind !== 'cron') return warnings;
  const walls = cronWalls(expression.fields);
  const rule = dstRule(expression, spec.dst ?? {});
  return [...warnings, ...cronWarnings(expression), ...gapWarnings(walls, expression, rule, now)];
}

/** A rule without DTSTART that names the hour alone fires at the minute of its creation. */
function derivedTimes({ anchored, rule, text }: RRuleExpression): Warning[] {
  if (anchored || !rule || !/BYHOUR=/i.test(text) || /BYMINUTE=/i.test(text)) return [];
  if (!isDayBased(rule.frequency) && rule.frequency !== 'HOURLY') return [];
  return [
    {
      code: 'time-from-creation',
      message: `The rule names no minute, so that it is the one of its creation, ${rule.minutes[0]}: BYMINUTE=0 is the full hour.`,
    },
  ];
}
