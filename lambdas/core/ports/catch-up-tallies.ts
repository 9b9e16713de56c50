import type { ScheduleId } from '../ids.ts';
import type { CatchUpTally } from '../planning/catch-up-tally.ts';
import type { EpochMs } from '../time.ts';
import type { FencedResult } from './fenced-result.ts';

export interface CatchUpTallies {
  /** Those that there are, read consistently. */
  readTallies(schedules: readonly ScheduleId[]): Promise<ReadonlyMap<ScheduleId, CatchUpTally>>;
  /** Refused when somebody else has written it since. */
  writeTally(schedule: ScheduleId, tally: CatchUpTally, now: EpochMs): Promise<FencedResult>;
}
