import type { CancelledOccurrence, Occurrence } from '../../core/occurrence.ts';
import type { ScheduleHead } from '../../core/schedule.ts';
import { whyNotInForce } from '../../core/standing.ts';
import type { Occurrences } from '../deps.ts';

/** So many come back with a resume, the latest ones; what is older is left to a replay. */
const MAX_HELD = 100;

/**
 * What a pause has stopped of times that had passed before it: it waited for a retry or within its window, was none of
 * the times of the pause, and goes on when that ends.
 */
export async function heldByPause(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  head: ScheduleHead,
): Promise<readonly CancelledOccurrence[]> {
  const { pause, id } = head;
  if (!pause) return [];
  const { items } = await occurrences.listOccurrences({
    schedule: id,
    to: pause.since,
    kind: 'scheduled',
    status: 'cancelled',
    reason: 'paused',
    limit: MAX_HELD,
  });
  const enabled = { ...head, state: 'enabled' } as const;
  return (
    items
      .filter((one): one is Occurrence & CancelledOccurrence => one.status === 'cancelled')
      // One of the very moment of the pause counts as a time of it, unless it had begun.
      .filter(({ attempt, scheduledTime }) => attempt > 0 || scheduledTime < pause.since)
      .filter((one) => one.finishedAt >= pause.since && whyNotInForce(one, enabled) === null)
  );
}
