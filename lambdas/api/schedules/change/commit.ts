import { PunctualError } from '../../../core/errors.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import { reviveAtOnce } from '../../../core/pause/revival.ts';
import type { ScheduleRecord } from '../../../core/ports/ports.ts';
import type { Caller, ChangeDeps } from '../../deps.ts';
import { changeOf, type Move } from '../plan-change/build-change.ts';
import { planRest } from '../plan-change/plan-at-once.ts';
import { charged } from './apply-quota.ts';
import { readStanding, type Standing } from './current-schedule.ts';

/** Times that a change is decided anew when a tick, a worker or another caller came between. */
const MAX_TRIES = 8;

export interface Committed {
  readonly before: Standing;
  /** The schedule as this change left it, not as others have since; undefined when there is none. */
  readonly after: ScheduleRecord | undefined;
}

export type Decide = (standing: Standing) => Promise<Move | undefined> | Move | undefined;

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
    const standing = await readStanding(deps.schedules, id);
    const move = await decide(standing);
    if (!move) return { before: standing, after: standing.kind === 'live' ? standing : undefined };
    const { group, counted } = await charged(deps.schedules, id, standing, move, caller);
    const { head, ...rest } = await changeOf(deps, id, standing, move, caller);
    const change = { ...rest, head: { ...head, ...(counted && { counted }) }, ...(group && { group }) };
    const result = await deps.schedules.applyChange(change);
    if (result.kind === 'conflict') continue;
    if (change.revival) await reviveAtOnce(deps, change.revival, change.head);
    await planRest(deps.planning, change.head, caller.now, deps.limits);
    const revision = change.revision ?? (standing.kind === 'live' ? standing.revision : undefined);
    return { before: standing, after: revision && { head: change.head, revision } };
  }
  throw new PunctualError('schedule.busy', `${id} kept changing while this was tried; try again.`);
}
