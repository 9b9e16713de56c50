import { isOf } from '../occurrence/in-force.ts';
import type { RunningOccurrence } from '../occurrence/occurrence.ts';
import type { WatchStore } from '../ports/watch-store.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import { countsAsSuccess } from '../schedule/watch.ts';
import type { EpochMs } from '../time.ts';

export interface AfterSuccessDeps {
  readonly watches: Pick<WatchStore, 'noteSuccess'>;
}

/**
 * Notes a success where its schedule is watched; the others pay nothing. It follows the settlement instead of being
 * part of it, which would double the price of each: the sweep finds what is lost between the two in the ledger before
 * it raises an alarm.
 */
export async function afterSuccess(
  { watches }: AfterSuccessDeps,
  occurrence: Pick<RunningOccurrence, 'schedule' | 'kind' | 'revision'>,
  head: Pick<ScheduleHead, 'policy' | 'firstRevision'> | undefined,
  now: EpochMs,
): Promise<void> {
  if (head?.policy.expectSuccessWithin === undefined || !countsAsSuccess(occurrence)) return;
  if (!isOf(occurrence, head)) return;
  await watches.noteSuccess(occurrence.schedule, now);
}
