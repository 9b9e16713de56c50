import { PunctualError } from '../../../core/errors.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import { reviveAtOnce } from '../../../core/pause/revival.ts';
import type { ScheduleRecord } from '../../../core/ports/schedule-store.ts';
import type { Caller, ChangeDeps } from '../../deps.ts';
import { buildScheduleChange, type ScheduleTransition } from '../plan-change/build-change.ts';
import { planRest } from '../plan-change/plan-at-once.ts';
import { applyQuota } from './apply-quota.ts';
import { type CurrentSchedule, readCurrentSchedule } from './current-schedule.ts';

/** Times that a change is decided anew when a tick, a worker or another caller came between. */
const MAX_TRIES = 8;

export interface Committed {
  readonly before: CurrentSchedule;
  /** The schedule as this change left it, not as others have since; undefined when there is none. */
  readonly after: ScheduleRecord | undefined;
}

export type Decide = (
  current: CurrentSchedule,
) => Promise<ScheduleTransition | undefined> | ScheduleTransition | undefined;

/**
 * Reads a schedule, lets `decide` say what becomes of it, and writes that if nothing has moved meanwhile; or
 * else reads and decides again. `decide` answers undefined where there is nothing to do, and throws a refusal.
 *
 * No pause between the tries: a lost race means that somebody else's write went through, and the next read
 * sees it, so waiting gains nothing.
 */
export async function commit(
  deps: ChangeDeps,
  id: ScheduleId,
  caller: Caller,
  decide: Decide,
): Promise<Committed> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const current = await readCurrentSchedule(deps.schedules, id);
    const transition = await decide(current);
    if (!transition) return { before: current, after: current.kind === 'live' ? current : undefined };
    const { group, counted } = await applyQuota(deps.schedules, id, current, transition, caller);
    const { head, ...rest } = await buildScheduleChange(deps, id, current, transition, caller);
    const change = { ...rest, head: { ...head, ...(counted && { counted }) }, ...(group && { group }) };
    const result = await deps.schedules.applyChange(change);
    if (result.kind === 'conflict') continue;
    if (change.revival) await reviveAtOnce(deps, change.revival, change.head);
    await planRest(deps.planning, change.head, caller.now, deps.limits);
    const revision = change.revision ?? (current.kind === 'live' ? current.revision : undefined);
    return { before: current, after: revision && { head: change.head, revision } };
  }
  throw new PunctualError('schedule.busy', `${id} kept changing while this was tried; try again.`);
}
