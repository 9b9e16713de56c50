import type { Occurrence } from './occurrence.ts';

/** Marks an occurrence whose due time a person chose. */
export const MOVED_NOTE = 'moved';

export function isMoved({ notes }: Pick<Occurrence, 'notes'>): boolean {
  return notes.some(({ code }) => code === MOVED_NOTE);
}
