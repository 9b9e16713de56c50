import { type CompileContext, compile, type RecurrenceSpec } from '../../../lambdas/core/recurrence/index.ts';
import type { Recurrence } from '../../../lambdas/core/recurrence/types.ts';
import { type EpochMs, epochMs, toIso } from '../../../lambdas/core/time.ts';

export const CONTEXT: CompileContext = { seed: 'group/name', anchor: epochMs(Date.UTC(2026, 0, 1)) };

/** The instant of ISO text with an offset. */
export function at(text: string): EpochMs {
  return epochMs(Date.parse(text));
}

export type Choice = Partial<RecurrenceSpec> & { readonly context?: Partial<CompileContext> };

export function recurrence(expression: string | readonly string[], choice: Choice = {}) {
  const { context, ...spec } = choice;
  return compile({ expression, timezone: 'UTC', ...spec }, { ...CONTEXT, ...context });
}

/** `2026-03-08T07:00:00Z` */
export function short(instant: number): string {
  return toIso(instant).replace('.000Z', 'Z');
}

/** The next `count` fires after `from`, as instants. */
export function take(of: Recurrence, from: EpochMs, count: number): EpochMs[] {
  const fires: EpochMs[] = [];
  for (let fire = of.next(from); fire && fires.length < count; fire = of.next(fire.at)) fires.push(fire.at);
  return fires;
}

/** The next fires of an expression, as text. */
export function fires(
  expression: string | readonly string[],
  from: string,
  count: number,
  choice: Choice = {},
): string[] {
  return take(recurrence(expression, choice), at(from), count).map(short);
}

/** The error that `run` throws; a test that expects one fails when there is none. */
export function refused(run: () => unknown): { code: string; field: string | undefined; message: string } {
  try {
    run();
  } catch (error) {
    return error as { code: string; field: string | undefined; message: string };
  }
  throw new Error('It was accepted');
}
