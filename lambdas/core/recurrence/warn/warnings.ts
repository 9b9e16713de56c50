import type { EpochMs } from '../../time.ts';
import { dstRule } from '../build.ts';
import type { Compiled } from '../compile.ts';
import { cronWalls } from '../cron/walls.ts';
import type { Expression } from '../expression.ts';
import type { Warning } from '../types.ts';
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
  if (expression.kind !== 'cron') return warnings;
  const walls = cronWalls(expression.fields);
  const rule = dstRule(expression, spec.dst ?? {});
  return [...warnings, ...cronWarnings(expression), ...gapWarnings(walls, expression, rule, now)];
}
