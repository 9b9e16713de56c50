import { type EpochMs, epochMs, MAX_INSTANT } from '../time.ts';
import { sourceOf } from './build.ts';
import type { Expression } from './expression.ts';
import { readMoment } from './local.ts';
import { parseExpression } from './parse.ts';
import { refusal } from './refusal.ts';
import type { Source } from './source.ts';
import type { CompileContext, RecurrenceSpec } from './spec.ts';
import type { Fire, Recurrence } from './types.ts';
import { unionOf, within } from './union.ts';
import { zoneOf } from './zone.ts';

const MAX_EXPRESSIONS = 20;

/** Everything that a spec says, read; what previews, warnings and explanations are made from. */
export interface Compiled extends Recurrence {
  readonly spec: RecurrenceSpec;
  readonly expressions: readonly Expression[];
}

/**
 * Reads a recurrence. Throws PunctualError (`expression.*`, `timezone.unknown`) naming the field at fault,
 * its value and what is allowed; takes milliseconds whatever the text.
 */
export function compile(spec: RecurrenceSpec, context: CompileContext): Compiled {
  const zone = zoneOf(spec.timezone);
  const texts = typeof spec.expression === 'string' ? [spec.expression] : spec.expression;
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > MAX_EXPRESSIONS)
    throw refusal(
      { field: 'expression', text: '' },
      'expression.invalid',
      `Give one expression, or a list of 1 to ${MAX_EXPRESSIONS}.`,
    );
  const expressions = texts.map((text, index) =>
    parseExpression(
      { field: typeof spec.expression === 'string' ? 'expression' : `expression[${index}]`, text },
      { zone, seed: context.seed, anchor: context.anchor },
    ),
  );
  const moment = (field: 'startAt' | 'endAt'): number | undefined => {
    const text = spec[field];
    return text === undefined ? undefined : 1_000 * readMoment({ field, text }, text, zone);
  };
  const all = unionOf(expressions.map((expression) => sourceOf(expression, spec.dst ?? {})));
  const source = within(all, moment('startAt'), moment('endAt'));
  return { spec, expressions, ...fires(source), description: '', warnings: () => [] };
}

function fires(source: Source): Pick<Recurrence, 'next' | 'prev'> {
  const fire = (at: number): Fire => ({ at: epochMs(at), notes: source.notes(at) });
  return {
    next(after: EpochMs) {
      const at = source.next(after);
      if (at > MAX_INSTANT) return null;
      // A time at or before the one asked from would make every caller that loops loop for ever.
      if (!(at > after)) throw new Error(`The time after ${after} came out as ${at}`);
      return fire(at);
    },
    prev(before: EpochMs) {
      const at = source.prev(before);
      if (at === -Infinity) return null;
      if (!(at < before)) throw new Error(`The time before ${before} came out as ${at}`);
      return fire(at);
    },
  };
}
