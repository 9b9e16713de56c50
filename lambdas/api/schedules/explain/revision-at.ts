import type { ScheduleHead } from '../../../core/schedule/head.ts';
import type { Revision } from '../../../core/schedule/revision.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Schedules } from '../../deps.ts';

/**
 * The definition that was in force at `at`, or will be as things stand: the latest one made by then, or the first
 * there is. Found by halving, since later numbers were made later.
 */
export async function revisionAt(
  schedules: Pick<Schedules, 'readRevision'>,
  { id, revision }: Pick<ScheduleHead, 'id' | 'revision'>,
  at: EpochMs,
): Promise<Revision> {
  const current = await schedules.readRevision(id, revision);
  if (!current) throw new Error(`${id} has no revision ${revision}.`);
  if (current.createdAt <= at) return current;
  let earliest = current;
  let inForce: Revision | undefined;
  let [low, high] = [1, revision - 1];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const found = await schedules.readRevision(id, middle);
    if (found && found.createdAt > at) {
      earliest = found;
      high = middle - 1;
    } else {
      inForce = found ?? inForce;
      low = middle + 1;
    }
  }
  return inForce ?? earliest;
}
