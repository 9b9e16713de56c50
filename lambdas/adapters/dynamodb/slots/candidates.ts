import { LRUCache } from 'lru-cache';
import { occurrenceId } from '../../../core/ids.ts';
import type { Candidate, Place, Waiting } from '../../../core/slots/store.ts';
import type { EpochMs } from '../../../core/time.ts';

/** Looked up at once: those who hand places over in one process share them. */
const PAGE = 40;
/** Milliseconds for which a look at the index is good. */
const FRESH = 100;
/** Milliseconds for which one is left to whoever was given it; should that come to nothing, it is given again. */
const BEING_WOKEN = 1_000;
/** Places in the line from one stripe to the next. */
const STEP = 5;
/** Slots remembered. */
const MOST = 1_000;

interface Line {
  readonly at: EpochMs;
  readonly left: Waiting[];
  /** Given to somebody to be woken a moment ago, and perhaps still in the index; with the time. */
  readonly given: Map<string, EpochMs>;
}

/**
 * Who is woken next for a slot, as one process sees it. When many end at once, each would look up the same line and try to
 * wake the same few; so they share a look, and each is given another, in their order. Who finds that another process was
 * first goes on elsewhere in the line, or they would follow each other down it.
 */
export class Candidates {
  readonly #lines = new LRUCache<string, Line>({ max: MOST });
  readonly #loading = new Map<string, Promise<readonly Waiting[]>>();
  readonly #query: (slot: string, limit: number) => Promise<readonly Waiting[]>;

  constructor(query: (slot: string, limit: number) => Promise<readonly Waiting[]>) {
    this.#query = query;
  }

  async next({ slot, stripe }: Place, now: EpochMs, isContended = false): Promise<Candidate> {
    const offset = isContended ? stripe * STEP : 0;
    const known = this.#take(slot, offset, now);
    if (known) return { kind: 'candidate', waiting: known };
    // What was asked for before this end may not show who came to wait meanwhile: it can give somebody, but not say that
    // nobody is there.
    const before = this.#loading.get(slot);
    if (before) {
      await before;
      const shown = this.#take(slot, offset, now);
      if (shown) return { kind: 'candidate', waiting: shown };
    }
    const found = await this.#load(slot, now);
    if (found.length === 0) return { kind: 'nobody' };
    const waiting = this.#take(slot, offset, now);
    return waiting ? { kind: 'candidate', waiting } : { kind: 'taken' };
  }

  #take(slot: string, offset: number, now: EpochMs): Waiting | undefined {
    const line = this.#lines.get(slot);
    if (!line || Math.abs(now - line.at) > FRESH || line.left.length === 0) return undefined;
    const [waiting] = line.left.splice(offset % line.left.length, 1);
    if (waiting) line.given.set(nameOf(waiting), now);
    return waiting;
  }

  /** One look for all who ask meanwhile. */
  #load(slot: string, now: EpochMs): Promise<readonly Waiting[]> {
    const under = this.#loading.get(slot);
    if (under) return under;
    const loading = this.#query(slot, PAGE)
      .then((found) => {
        const before = this.#lines.get(slot)?.given ?? [];
        const given = new Map([...before].filter(([, at]) => Math.abs(now - at) < BEING_WOKEN));
        const left = found.filter((waiting) => !given.has(nameOf(waiting)));
        this.#lines.set(slot, { at: now, left, given });
        return found;
      })
      .finally(() => this.#loading.delete(slot));
    this.#loading.set(slot, loading);
    return loading;
  }
}

const nameOf = (waiting: Waiting): string => `${occurrenceId(waiting)}#${waiting.dispatchSeq}`;
