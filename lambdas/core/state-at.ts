import { knownDurationMs } from './duration.ts';
import { headRecurrence } from './head-recurrence.ts';
import { dueAt } from './recurrence/index.ts';
import type { ScheduleHead, ScheduleState } from './schedule.ts';
import { type EpochMs, epochMs } from './time.ts';
import { withinRuns } from './within-runs.ts';

/**
 * How a schedule stands as a person would say it. Its last times may be planned, so that its head is completed, and
 * still be to come: it is enabled until the last of them may start.
 */
export function stateAt(head: ScheduleHead, now: EpochMs): ScheduleState {
  if (head.state !== 'completed') return head.state;
  const recurrence = headRecurrence(head);
  const next = recurrence.next(now);
  if (next && withinRuns(head, [next.at]) > 0) return 'enabled';
  const last = recurrence.prev(epochMs(now + 1));
  const { window } = head.policy;
  if (!last || window === undefined) return 'completed';
  return dueAt(last.at, next?.at ?? null, knownDurationMs(window), head.id) > now ? 'enabled' : 'completed';
}
