import {
  MAX_OCCURRENCES_PER_PLAN,
  type Plan,
  type PlannedOccurrence,
  type PlannedRecord,
  plan,
} from '../../../core/planning/planner.ts';
import type { PlanningStore } from '../../../core/ports/planning-store.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import { headRecurrence } from '../../../core/schedule/head-recurrence.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { PlanningLimits } from '../../deps.ts';

export interface FirstPlan extends Pick<Plan, 'remainingRuns' | 'lastRunAt'> {
  readonly create: readonly PlannedOccurrence[];
  /** Of missed times that the budget or the room did not allow. */
  readonly records: readonly PlannedRecord[];
  readonly nextDueAt: EpochMs | null;
}

/**
 * What a new definition creates in the transaction that brings it in. Without it a schedule made at 12:00:30
 * for 12:00:45 would wait for the tick of 12:01. `room` is what the transaction still takes.
 */
export function planFirst(
  head: Pick<ScheduleHead, 'id' | 'revision' | 'policy' | 'anchor' | 'remainingRuns' | 'makingUp'>,
  planFrom: EpochMs,
  now: EpochMs,
  limits: PlanningLimits,
  room: number,
): FirstPlan {
  if (head.remainingRuns === 0) return { create: [], records: [], nextDueAt: null };
  const recurrence = headRecurrence(head);
  const first = recurrence.next(planFrom);
  if (!first || first.at > now + limits.lead)
    return { create: [], records: [], nextDueAt: first?.at ?? null };
  const { occurrences, ...planned } = plan({
    schedule: head.id,
    revision: head.revision,
    policy: head.policy,
    recurrence,
    nextDueAt: first.at,
    remainingRuns: head.remainingRuns,
    makingUp: head.makingUp,
    now,
    limits: { planWindow: limits.planWindow, maxOccurrences: Math.min(MAX_OCCURRENCES_PER_PLAN, room) },
  });
  return { create: occurrences, ...planned };
}

/** Enough for a schedule that fires each second and a lead of ten minutes. */
const MAX_ROUNDS = 8;

/**
 * Goes on where the transaction had no room: until nothing is due within the lead. As much as a tick would do,
 * only sooner; so whatever stops it (a race, a fault, a crash), the next tick takes over.
 */
export async function planRest(
  planning: Pick<PlanningStore, 'materialise'>,
  changed: ScheduleHead,
  now: EpochMs,
  limits: PlanningLimits,
): Promise<void> {
  let head = changed;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (head.state !== 'enabled' || head.nextDueAt === null || head.nextDueAt > now + limits.lead) return;
    const { occurrences, ...planned } = plan({
      schedule: head.id,
      revision: head.revision,
      policy: head.policy,
      recurrence: headRecurrence(head),
      nextDueAt: head.nextDueAt,
      remainingRuns: head.remainingRuns,
      makingUp: head.makingUp,
      now,
      limits: { planWindow: limits.planWindow, maxOccurrences: MAX_OCCURRENCES_PER_PLAN },
    });
    const [result] = await planning.materialise([{ head, create: occurrences, ...planned }], now);
    if (result?.kind !== 'materialised') return;
    head = { ...head, ...planned };
  }
}
