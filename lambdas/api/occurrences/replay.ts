import { PunctualError } from '../../core/errors.ts';
import { occurrenceId } from '../../core/ids.ts';
import { isOf } from '../../core/occurrence/in-force.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import { toIso } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { startInGroup } from '../groups/start-limit.ts';
import { assertPresent } from '../schedules/change/current-schedule.ts';
import { getOccurrence } from './get-occurrence.ts';
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
    const { head } = assertPresent(await deps.schedules.readSchedule(found.schedule), found.schedule);
    assertOf(found, head);
    const inputRevision = inputRevisionOf(head, input);
    if (!seen) await startInGroup(deps.schedules, found.schedule, 1, now);
    seen = found;
    const moved = await occurrences.replay(found, now, inputRevision);
    return moved.kind === 'done' ? readAfter(occurrences, found) : undefined;
  });
}

/** The revision whose input is used; undefined for the one that it had. */
export function inputRevisionOf(
  { revision }: Pick<ScheduleHead, 'revision'>,
  input: ReplayInput,
): number | undefined {
  return input === 'current' ? revision : undefined;
}

/** A schedule that was deleted runs nothing any more, also when there is another of its name. */
function assertOf(found: Occurrence, head: ScheduleHead): void {
  if (isOf(found, head)) return;
  const message =
    `Its schedule was deleted. That ${head.id} was made anew at ${toIso(head.createdAt)}: ` +
    'trigger it, or backfill the time.';
  throw new PunctualError('occurrence.deleted-schedule', message, {
    field: 'id',
    value: occurrenceId(found),
  });
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
