import pMap from 'p-map';
import type { OccurrenceKey } from '../core/ids.ts';
import type { OpenPosition } from '../core/ports/sweep-store.ts';
import { type EpochMs, MINUTE } from '../core/time.ts';
import type { Walk } from './walk.ts';

/** Parts that are read side by side. */
const CONCURRENCY = 4;

export interface LookedThrough {
  /** Where each walk that is not through is to go on. */
  readonly positions: Readonly<Record<string, OpenPosition>>;
  readonly failures: readonly { readonly id: string; readonly error: unknown }[];
}

/**
 * Goes through all walks in rounds of a page each, so that a part with a long backlog takes no time from the others,
 * until all are through, so many keys were read or time is up. Each sweep begins with another part. A page that cannot
 * be looked at is left behind, and an index that cannot be read stops only its own walk.
 */
export async function lookThrough(
  walks: readonly Walk[],
  look: (keys: readonly OccurrenceKey[]) => Promise<void>,
  bounds: { readonly keys: number; readonly stopAt: EpochMs; readonly now: () => EpochMs },
): Promise<LookedThrough> {
  const failures: LookedThrough['failures'][number][] = [];
  let keysLeft = bounds.keys;
  let isOver = false;

  /** Whether the walk goes on. */
  async function step(walk: Walk): Promise<boolean> {
    if (isOver) return false;
    let keys: readonly OccurrenceKey[];
    try {
      keys = await walk.read();
    } catch (error) {
      failures.push({ id: walk.name, error });
      return false;
    }
    keysLeft -= keys.length;
    try {
      await look(keys);
    } catch (error) {
      failures.push({ id: walk.name, error });
    }
    if (keysLeft <= 0 || bounds.now() >= bounds.stopAt) isOver = true;
    return !walk.isThrough();
  }

  let round = rotated(walks, Math.floor(bounds.now() / MINUTE));
  while (round.length > 0 && !isOver) {
    const goesOn = await pMap(round, step, { concurrency: CONCURRENCY });
    round = round.filter((_, index) => goesOn[index]);
  }
  const left = walks.flatMap((walk) => {
    const position = walk.position();
    return position === undefined ? [] : [[walk.name, position] as const];
  });
  return { positions: Object.fromEntries(left), failures };
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
