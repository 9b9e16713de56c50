import type { EpochMs } from '../time.ts';
import type { ScheduleHead } from './head.ts';

/**
 * What is left to do of a pause that is over: to bring back what it held. Written in the transaction that ends the
 * pause, so that no number of them is too many for it and no process that dies forgets them; the tick ends it.
 */
export interface Revival extends Pick<ScheduleHead, 'id'> {
  /** When the pause began, and when it ended. */
  readonly since: EpochMs;
  readonly through: EpochMs;
  /** When the tick is to look. */
  readonly lookAt: EpochMs;
  /** Where it goes on. */
  readonly cursor?: string;
}
