import { PunctualError } from '../../core/errors.ts';
import { type ScheduleId, splitScheduleId } from '../../core/ids.ts';
import { assertStart } from '../../core/schedule/group.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Schedules } from '../deps.ts';

/** A lost race means that somebody else was let in; so many in a row are no accident. */
const MAX_TRIES = 8;

/**
 * Takes places in this minute for what a person starts; refused when the group has none left. Before the start
 * itself: should that not come about, the places are lost for the rest of the minute and no longer.
 */
export async function startInGroup(
  schedules: Pick<Schedules, 'readGroup' | 'takeStarts'>,
  schedule: ScheduleId,
  fires: number,
  now: EpochMs,
): Promise<void> {
  const { group } = splitScheduleId(schedule);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const state = await schedules.readGroup(group);
    const limit = state?.settings.maxFiresPerMinute;
    if (!state?.count || limit === undefined) return;
    assertStart(group, limit, state.count, fires, now);
    if (await schedules.takeStarts(group, { count: state.count, limit, fires }, now)) return;
  }
  throw new PunctualError('group.busy', `Group ${group} kept changing while this was tried; try again.`);
}
