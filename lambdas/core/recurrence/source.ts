import type { FireNote } from './types.ts';

/**
 * Wall times that an expression matches, before any zone is known: whole seconds on the wall clock (civil.ts).
 * Both must be bounded in time whatever the argument.
 */
export interface WallSource {
  /** The first match at or after `wall`; Infinity when there is none. */
  next(wall: number): number;
  /** The last match at or before `wall`; -Infinity when there is none. */
  prev(wall: number): number;
}

/** Instants at which something fires: UTC epoch milliseconds as plain numbers, for the hot path. */
export interface Source {
  /** The first fire strictly after `after`; Infinity when there is none. */
  next(after: number): number;
  /** The last fire strictly before `before`; -Infinity when there is none. */
  prev(before: number): number;
  /** The rules that decided the fire `at`; asked for real fires only. */
  notes(at: number): readonly FireNote[];
}

/** Nothing fires before this: Intl changes calendars in 1582, and no zone was anywhere near standard by 1900. */
export const FIRST_SECOND = Date.UTC(1900, 0, 1) / 1_000;
/** The last second that ISO text with a four-digit year can name. */
export const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000;

export const NO_NOTES: readonly FireNote[] = [];
