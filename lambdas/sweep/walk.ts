import { type OccurrenceId, type OccurrenceKey, occurrenceId } from '../core/ids.ts';
import { type OpenPosition, partName, type SweepPart, type SweepStore } from '../core/ports/sweep-store.ts';
import type { EpochMs } from '../core/time.ts';

export interface Walk {
  readonly name: string;
  /** Whether there is nothing left to look at. */
  readonly isThrough: () => boolean;
  /** Where the next sweep is to go on; undefined once this one is through. */
  readonly position: () => OpenPosition | undefined;
  /** The next keys, each once in a walk. */
  readonly read: () => Promise<readonly OccurrenceKey[]>;
}

/**
 * A look through one part of the open occurrences, page by page. It begins with the first page, where the oldest are;
 * goes on where the last sweep stopped; and comes back from the end for what is between: nothing behind a backlog,
 * however large, is left out for ever.
 */
export function startWalk(
  store: Pick<SweepStore, 'openPage'>,
  part: SweepPart,
  until: EpochMs,
  stoppedAt: OpenPosition | undefined,
): Walk {
  const seen = new Set<OccurrenceId>();
  let phase: 'front' | 'on' | 'back' | 'through' = stoppedAt ? 'front' : 'on';
  let next: OpenPosition | undefined;
  /** Behind the first page, when that was not near the place where the last sweep stopped. */
  let behindFront: OpenPosition | undefined;

  function turn(): void {
    const isPast = next === undefined || (stoppedAt !== undefined && next.at > stoppedAt.at);
    if (phase === 'front') {
      if (!isPast) [behindFront, next] = [next, stoppedAt];
      phase = next === undefined ? 'through' : 'on';
    } else if (phase === 'on' && next === undefined) {
      next = behindFront;
      phase = next === undefined ? 'through' : 'back';
    } else if (phase === 'back' && isPast) {
      phase = 'through';
    }
  }

  return {
    name: partName(part),
    isThrough: () => phase === 'through',
    // Not begun, or not beyond the first page: as far as the last one came.
    position: () => (phase === 'through' ? undefined : phase === 'front' ? stoppedAt : next),
    async read() {
      const page = await store.openPage(part, until, next);
      next = page.next;
      turn();
      if (!stoppedAt) return page.keys;
      return page.keys.filter((key) => {
        const id = occurrenceId(key);
        return seen.has(id) ? false : seen.add(id);
      });
    },
  };
}
