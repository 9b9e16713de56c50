import type { EpochMs } from '../time.ts';

/** How a wall time that the zone skips or repeats is treated (docs/time.md). */
export interface DstPolicy {
  readonly gap: GapPolicy;
  readonly overlap: OverlapTimePolicy;
}
/** `run-after`: once, at the first instant after the gap. `shift`: the same distance after it. `skip`: not at all. */
export type GapPolicy = 'run-after' | 'shift' | 'skip';
/** Which pass of a repeated wall time fires. */
export type OverlapTimePolicy = 'first' | 'second' | 'both';

/** Why a fire is where it is, for a person: shown in previews and kept on the occurrence that it touched. */
export interface FireNote {
  readonly code: string;
  readonly message: string;
}

/** One nominal time. `notes` is empty unless a rule (DST, calendar, window) decided it. */
export interface Fire {
  readonly at: EpochMs;
  readonly notes: readonly FireNote[];
}

/** Legal, and probably not what was meant. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

/** The compiled expression: pure, stateless, bounded. */
export interface Recurrence {
  /** The first fire strictly after `after`, or null when there is none. */
  next(after: EpochMs): Fire | null;
  /** The last fire strictly before `before`, or null when there is none. */
  prev(before: EpochMs): Fire | null;
  /** One English sentence: "At 09:00, Monday to Friday, New York time". */
  readonly description: string;
  /** Warnings as of `now` (some depend on the year: a time inside this year's DST gap). */
  warnings(now: EpochMs): readonly Warning[];
}
