import type { Occurrence, RunningOccurrence } from './occurrence.ts';

/** Marks an occurrence whose due time a person chose. */
export const MOVED_NOTE = 'moved';

export function isMoved({ notes }: Pick<Occurrence, 'notes'>): boolean {
  return notes.some(({ code }) => code === MOVED_NOTE);
}

/** Marks an occurrence that comes late and runs by its catch-up policy (catch-up.ts). */
export const CATCH_UP_NOTE = 'catch-up';

/** It comes late, and runs all the same. */
export function isCatchUp({ notes }: Pick<RunningOccurrence, 'notes'>): boolean {
  return notes.some(({ code }) => code === CATCH_UP_NOTE);
}
