import { PunctualError } from '../../core/errors.ts';
import { occurrenceId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence.ts';
import { assertPresent } from '../change/standing.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { getOccurrence } from '../get-occurrence.ts';
import { startInGroup } from '../group/start.ts';
import { readAfter, untilSettled } from './repeat.ts';

export type ReplayInput = 'original' | 'current';

/** Gives a finished occurrence a new round of attempts, under the same idempotency key. */
export async function replayOccurrence(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules'>,
  id: string,
  input: ReplayInput,
  { now }: Caller,
): Promise<Occurrence> {
  const { occurrences } = deps;
  let seen: Occurrence | undefined;
  return untilSettled(id, async () => {
    const found = await getOccurrence(deps, id);
    // The answer to the write was lost, and its repetition met what it had done; or somebody else's came first.
    if (seen && found.replays > seen.replays) return found;
    assertReplayable(found);
    const inputRevision = await inputRevisionOf(deps, found, input);
    if (!seen) await startInGroup(deps.schedules, found.schedule, 1, now);
    seen = found;
    const moved = await occurrences.replay(found, now, inputRevision);
    return moved.kind === 'done' ? readAfter(occurrences, found) : undefined;
  });
}

/** The revision whose input is used; undefined for the one that it had. A schedule that is deleted runs nothing. */
export async function inputRevisionOf(
  { schedules }: Pick<ApiDeps, 'schedules'>,
  { schedule }: Pick<Occurrence, 'schedule'>,
  input: ReplayInput,
): Promise<number | undefined> {
  const { head } = assertPresent(await schedules.readSchedule(schedule), schedule);
  return input === 'current' ? head.revision : undefined;
}

function assertReplayable(occurrence: Occurrence): void {
  const { status } = occurrence;
  if (status !== 'pending' && status !== 'running' && status !== 'coalesced') return;
  const message =
    status === 'coalesced'
      ? 'It stands for several times that were not run; a backfill runs those.'
      : `It is ${status}; only what has finished can be replayed.`;
  throw new PunctualError('occurrence.not-finished', message, {
    field: 'id',
    value: occurrenceId(occurrence),
  });
}
