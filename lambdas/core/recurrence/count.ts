import type { Source } from './source.ts';
import { within } from './union.ts';

/** Fires that a count of them is looked for among; further ones are no matter of counting. */
export const MAX_COUNTED = 10_000;

/**
 * The source up to its `count`th fire. Fires are counted and not times of the text, of which a change of clocks may
 * leave one out, or run one twice.
 */
export function firstOf(source: Source, count: number): Source {
  return within(source, undefined, lastOf(source, count));
}

/** The instant of the `count`th fire; Infinity when there are fewer. */
export function lastOf(source: Source, count: number): number {
  let last = source.next(-Infinity);
  for (let fired = 1; fired < count && last !== Infinity; fired += 1) last = source.next(last);
  return last;
}
