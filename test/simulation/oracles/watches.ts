import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { countsAsSuccess, successExpectedBy } from '../../../lambdas/core/schedule/watch.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import type { World } from '../world/world.ts';

/**
 * Whether a sweep now names exactly those schedules that have not succeeded for too long, by head and ledger alone:
 * whatever was lost on the way from a settlement to the watch.
 */
export async function watchFaults(world: World): Promise<string[]> {
  await world.sweep();
  const faults: string[] = [];
  for (const id of world.history.schedules) {
    const [head, items] = await Promise.all([world.observer.head(id), world.observer.occurrences(id)]);
    const ends = items
      .filter((item) => item.status === 'succeeded' && countsAsSuccess(occurrenceKeyOf(item as never)))
      .map((item) => item.finished_at as number);
    const last = ends.length === 0 ? undefined : epochMs(Math.max(...ends));
    const by = head ? successExpectedBy(head, last) : null;
    const isOverdue = by !== null && by <= world.time.now();
    if (world.withoutSuccess.includes(id) !== isOverdue)
      faults.push(`${id} is ${isOverdue ? '' : 'not '}without success, and the sweep says otherwise`);
  }
  return faults;
}
