/** What happens next, in a simulation: by time, and by order of arrival where times are equal. */
export class Timeline {
  readonly #heap: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];
  #order = 0;
  now = 0;

  at(time: number, run: () => void): void {
    const heap = this.#heap;
    const entry = { at: Math.max(time, this.now), order: this.#order++, run };
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent])) break;
      heap[index] = heap[parent] as typeof entry;
      index = parent;
    }
    heap[index] = entry;
  }

  /** Runs until nothing is left, or `done` says so. */
  run(done: () => boolean): void {
    for (let next = this.#pop(); next && !done(); next = this.#pop()) {
      this.now = next.at;
      next.run();
    }
  }

  #pop() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child += 1;
      if (!before(heap[child], last)) break;
      heap[index] = heap[child] as typeof last;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

interface Ordered {
  readonly at: number;
  readonly order: number;
}

function before(a: Ordered | undefined, b: Ordered | undefined): boolean {
  if (!a || !b) return false;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
