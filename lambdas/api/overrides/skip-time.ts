import type { ScheduleId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import { retentionOf } from '../../core/planning/planner.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readAfter, untilSettled } from '../occurrences/repeat.ts';
import { isStillComing, keyOf, notComing, readComing } from './coming-time.ts';

/** Has one coming time not run. What is there is skipped; what is not is recorded for the planner to find. */
export async function skipTime(
  deps: Pick<ApiDeps, 'schedules' | 'occurrences'>,
  id: ScheduleId,
  scheduledTime: EpochMs,
  { now }: Caller,
): Promise<Occurrence> {
  const { occurrences } = deps;
  return untilSettled(id, async () => {
    const { head, planned, found } = await readComing(deps, id, scheduledTime, now);
    const key = keyOf(found ?? planned);
    if (found && isDecided(found)) return found;
    if (found && !isStillComing(found, now)) throw notComing(scheduledTime, `It is ${found.status}.`);
    const done = found
      ? await occurrences.skip(found, 'user', undefined, now)
      : await occurrences.createAhead(
          { kind: 'skip', key: { ...key, ...retentionOf(head.policy) } },
          head,
          now,
        );
    return done.kind === 'done' ? readAfter(occurrences, key) : undefined;
  });
}

/** A person said already that it is not to run. */
function isDecided(found: Occurrence): boolean {
  return (found.status === 'skipped' || found.status === 'cancelled') && found.reason === 'user';
}
