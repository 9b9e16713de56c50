import type { Backfill, BackfillState } from '../../core/backfill/backfill.ts';
import { assertNever, PunctualError } from '../../core/errors.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ApiDeps, ScheduleRequest } from '../deps.ts';
import { moveOn } from './advance-now.ts';
import { assertBackfill } from './read-backfill.ts';

export type BackfillVerb = 'pause' | 'resume' | 'cancel';

/** Times that a change is tried anew when a tick or another caller came between. */
const MAX_TRIES = 8;

/**
 * Pauses, resumes or cancels. Once the new state is written nothing that has not begun starts: a worker looks at
 * the backfill after its claim. What is pending is then cancelled, so that the ledger says so at once; should that
 * stop half-way, the tick does the rest.
 */
export async function changeBackfill(
  deps: ApiDeps,
  { id, caller }: ScheduleRequest,
  token: string,
  verb: BackfillVerb,
): Promise<Backfill> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const seen = await assertBackfill(deps, id, token);
    const next = changed(seen, verb, caller.now);
    if (!next) return seen;
    if ((await deps.backfills.saveBackfill(seen, next, [])) === 'saved') {
      return moveOn(deps, next, caller.now);
    }
  }
  throw new PunctualError('schedule.busy', `${token} kept changing while this was tried; try again.`);
}

/** Undefined where it is so already. */
function changed(seen: Backfill, verb: BackfillVerb, now: EpochMs): Backfill | undefined {
  const to = stateAfter(verb);
  if (seen.state === to) return undefined;
  if (seen.state === 'completed' || seen.state === 'cancelled') {
    throw new PunctualError(
      'backfill.finished',
      `It is ${seen.state}, and that is final. Make another one for what is to run again.`,
      { field: 'backfill', value: seen.id },
    );
  }
  const next = { ...seen, state: to, version: seen.version + 1, updatedAt: now, nextDueAt: now };
  return verb === 'cancel' ? { ...next, reason: 'user' } : next;
}

function stateAfter(verb: BackfillVerb): BackfillState {
  switch (verb) {
    case 'pause':
      return 'paused';
    case 'resume':
      return 'running';
    case 'cancel':
      return 'cancelled';
    default:
      return assertNever(verb);
  }
}
