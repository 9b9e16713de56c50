import type { ScheduleId } from '../ids.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Watch } from '../schedule/watch.ts';
import type { EpochMs } from '../time.ts';
import type { FencedResult } from './fenced-result.ts';

export interface WatchStore {
  /** Notes a success of a schedule that is watched; one that is not newer than the last changes nothing. */
  noteSuccess(schedule: ScheduleId, at: EpochMs): Promise<void>;
  /** The last success of each of these schedules that is watched and has had one. */
  lastSuccesses(schedules: readonly ScheduleId[]): Promise<ReadonlyMap<ScheduleId, EpochMs>>;
  /** What is to be looked at by `until`, oldest first, with its head; both read consistently. */
  dueWatches(
    until: EpochMs,
  ): AsyncIterable<readonly { readonly watch: Watch; readonly head: ScheduleHead | undefined }[]>;
  /** Looks at it later, if nobody has set it anew meanwhile. */
  lookLater(watch: Watch, at: EpochMs): Promise<FencedResult>;
  /** The schedule is gone, or is watched no more: it is looked at never again, and purged. */
  endWatch(watch: Watch, now: EpochMs): Promise<FencedResult>;
}
