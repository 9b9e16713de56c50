import type { Source } from './source.ts';

/** Fires when any of the sources does; once when several do at the same instant. */
export function unionOf(sources: readonly Source[]): Source {
  const [only] = sources;
  if (sources.length === 1 && only) return only;
  const all = sources.map(remembering);
  return {
    next: (after) => all.reduce((first, source) => Math.min(first, source.next(after)), Infinity),
    prev: (before) => all.reduce((last, source) => Math.max(last, source.prev(before)), -Infinity),
    notes: (at) => all.filter((source) => fires(source, at)).flatMap((source) => source.notes(at)),
  };
}

/** Remembers the last answers: of several sources, most have their next fire beyond that of the union. */
function remembering(source: Source): Source {
  let [from, next, to, prev] = [Infinity, -Infinity, -Infinity, Infinity];
  return {
    next(after) {
      if (after >= from && after < next) return next;
      next = source.next(after);
      from = after;
      return next;
    },
    prev(before) {
      if (before <= to && before > prev) return prev;
      prev = source.prev(before);
      to = before;
      return prev;
    },
    notes: source.notes,
  };
}

/** Whether the source fires at exactly `at` (milliseconds). */
export function fires(source: Source, at: number): boolean {
  return source.next(at - 1) === at;
}

/** The fires from `start` to `end`, both included (milliseconds). */
export function within(source: Source, start: number | undefined, end: number | undefined): Source {
  if (start === undefined && end === undefined) return source;
  const [from, to] = [start ?? -Infinity, end ?? Infinity];
  return {
    next(after) {
      const at = source.next(Math.max(after, from - 1));
      return at <= to ? at : Infinity;
    },
    prev(before) {
      const at = source.prev(Math.min(before, to + 1));
      return at >= from ? at : -Infinity;
    },
    notes: source.notes,
  };
}
