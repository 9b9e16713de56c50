import { knownDurationMs } from '../duration.ts';
import { budgetOf } from '../planning/catch-up.ts';
import { coalesce } from '../planning/coalesce.ts';
import { type Plan, type PlanLimits, type PlannedRecord, plan } from '../planning/planner.ts';
import type { Recurrence } from '../recurrence/types.ts';
import type { CatchUpPolicy } from '../schedule/definition.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Pause } from '../schedule/pause.ts';
import { type EpochMs, epochMs } from '../time.ts';

/**
 * Where planning stops when `head` is paused at `from`. Times before it that a tick owes are not the pause's:
 * whoever pauses records them.
 */
export function pausedAt(
  head: Pick<ScheduleHead, 'nextDueAt'>,
  recurrence: Pick<Recurrence, 'next'>,
  from: EpochMs,
): Pick<Pause, 'from' | 'unrecorded'> {
  const { nextDueAt } = head;
  if (nextDueAt === null) return { from, unrecorded: null };
  return { from, unrecorded: nextDueAt > from ? nextDueAt : (recurrence.next(from)?.at ?? null) };
}

/** The record of nominal times that passed while it was paused and that are not made up for. */
export function pausedTimes(head: ScheduleHead, until: EpochMs): PlannedRecord[] {
  return coalesce(head, head.pause?.unrecorded ?? null, until, 'paused');
}

/**
 * The earliest nominal time that a resume at `now` makes up for; null for none. Found backwards from now, so that
 * a pause of years costs what the budget costs.
 */
export function firstMadeUp(
  pause: Pick<Pause, 'from'>,
  recurrence: Pick<Recurrence, 'prev'>,
  catchUp: CatchUpPolicy,
  now: EpochMs,
): EpochMs | null {
  const oldest = Math.max(pause.from + 1, now - knownDurationMs(catchUp.maxAge));
  const budget = budgetOf(catchUp);
  let first: EpochMs | null = null;
  let fire = recurrence.prev(epochMs(now + 1));
  for (let runs = 0; runs < budget && fire && fire.at >= oldest; runs += 1) {
    first = fire.at;
    fire = recurrence.prev(fire.at);
  }
  return first;
}

/**
 * What a pause that ends by itself creates. The tick comes by within the lead before `until`: nothing is created
 * for a time before it, and the first one after it is on time.
 */
export function planWake(
  head: ScheduleHead,
  until: EpochMs,
  recurrence: Recurrence,
  now: EpochMs,
  limits: PlanLimits,
  spent?: number,
): Plan {
  // An edit that came after the end, while no tick did, has begun anew: it creates nothing in the past.
  const before = epochMs(Math.max(until - 1, head.pause?.from ?? 0));
  const records = pausedTimes(head, before);
  const first = recurrence.next(before);
  if (!first) return { occurrences: [], records, nextDueAt: null };
  const { id: schedule, revision, policy, remainingRuns } = head;
  const planned = plan({
    schedule,
    revision,
    policy,
    recurrence,
    nextDueAt: first.at,
    remainingRuns,
    ...(spent !== undefined && { spent }),
    now,
    limits,
  });
  return { ...planned, records: [...records, ...planned.records] };
}
