import type { Source } from './source.ts';

/** Fires when any of the sources does; once when several do at the same instant. */
export function unionOf(sources: readonly Source[]): Source {
  const [only] = sources;
  if (sources.length === 1 && only) return only;
  return {
    next: (after) => sources.reduce((first, source) => Math.min(first, source.next(after)), Infinity),
    prev: (before) => sources.reduce((last, source) => Math.max(last, source.prev(before)), -Infinity),
    notes: (at) => sources.filter((source) => fires(source, at)).flatMap((source) => source.notes(at)),
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
