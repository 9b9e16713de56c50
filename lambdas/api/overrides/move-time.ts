import type { ScheduleId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import { DAY, type EpochMs } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readAfter, untilSettled } from '../occurrences/repeat.ts';
import { API_LIMITS } from '../request/limits.ts';
import { fieldFault, isStillComing, keyOf, notComing, readComing } from './coming-time.ts';
import { movedTo } from './moved-occurrence.ts';

/**
 * Has one coming time start at another moment; its nominal time, and with it its id and idempotency key, stay.
 * What the planner has not come to is created ahead of it. Moved to its own time, it is as it was.
 */
export async function moveTime(
  deps: Pick<ApiDeps, 'schedules' | 'occurrences'>,
  id: ScheduleId,
  { scheduledTime, to }: { readonly scheduledTime: EpochMs; readonly to: EpochMs },
  { now }: Caller,
): Promise<Occurrence> {
  const { occurrences } = deps;
  if (to <= now) throw fieldFault('to', 'A moment that is still to come.', to);
  if (to > now + API_LIMITS.aheadDays * DAY) {
    throw fieldFault('to', `At most ${API_LIMITS.aheadDays} days ahead.`, to);
  }
  return untilSettled(id, async () => {
    const { head, planned, found } = await readComing(deps, id, scheduledTime, now);
    if (found && !isStillComing(found, now)) throw notComing(scheduledTime, `It is ${found.status}.`);
    if (head.state === 'paused') throw notComing(scheduledTime, 'The schedule is paused; resume it first.');
    if (found && found.dueAt === to) return found;
    const moved = movedTo(found ?? planned, to, planned.dueAt);
    const done = found
      ? await occurrences.reschedule(found, moved, now)
      : await occurrences.createAhead({ kind: 'create', occurrence: { ...planned, ...moved } }, head, now);
    return done.kind === 'done' ? readAfter(occurrences, keyOf(found ?? planned)) : undefined;
  });
}
