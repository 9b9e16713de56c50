import type { EpochMs } from '../time.ts';

/** Why and since when a schedule is paused, and what its resume goes on from. */
export interface Pause {
  readonly since: EpochMs;
  /** Who paused it; `punctual` when it did so itself. */
  readonly by: string;
  readonly note?: string;
  /** It resumes by itself in time for the first nominal time from here on. */
  readonly until?: EpochMs;
  /** Nominal times after this are what a resume may make up for: since the pause, or the last edit of the times. */
  readonly from: EpochMs;
  /** The first nominal time that nothing had created by then: from it on there are no records. */
  readonly unrecorded: EpochMs | null;
}

/** `by` of a schedule that paused itself. */
export const PAUSED_BY_ITSELF = 'punctual';
