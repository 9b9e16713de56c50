import type { ScheduleId } from '../../core/ids.ts';
import { isMoved } from '../../core/occurrence/notes.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readAfter, untilSettled } from '../occurrences/repeat.ts';
import { isStillComing, notComing, readComing } from './coming-time.ts';

/** Takes a skip back, as long as the time has not come. */
export async function unskipTime(
  deps: Pick<ApiDeps, 'schedules' | 'occurrences'>,
  id: ScheduleId,
  scheduledTime: EpochMs,
  { now }: Caller,
): Promise<Occurrence> {
  const { occurrences, schedules } = deps;
  return untilSettled(id, async () => {
    const { head, isNominal, planned, found } = await readComing(deps, id, scheduledTime, now);
    if (!found) throw notComing(scheduledTime, 'It is not skipped.');
    if (isStillComing(found, now)) return found;
    if (found.status !== 'skipped' || found.reason !== 'user') {
      throw notComing(scheduledTime, `It is ${found.status}.`);
    }
    // Other zone data has moved it, and the skip with it.
    if (!isNominal) throw notComing(scheduledTime, 'It is no longer a time of the schedule.');
    if (found.dueAt <= now) throw notComing(scheduledTime, 'Its time has passed.');
    // Pending under a pause it would be cancelled when its time comes.
    if (head.state === 'paused') throw notComing(scheduledTime, 'The schedule is paused; resume it first.');
    const as = isMoved(found) ? { ...planned, dueAt: found.dueAt } : planned;
    const done = await occurrences.unskip(found, as);
    // An edit that came between has carried the skip over to its own revision: that one is taken back then.
    const after = await schedules.readHead(id);
    if (done.kind !== 'done' || after?.revision !== head.revision) return undefined;
    return readAfter(occurrences, found);
  });
}
