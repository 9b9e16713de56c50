import type * as z from 'zod';
import type { ScheduleId } from '../../core/ids.ts';
import { preview } from '../../core/recurrence/index.ts';
import { headRecurrence } from '../../core/schedule/head-recurrence.ts';
import { shownStateOf } from '../../core/schedule/shown-state.ts';
import { withinRuns } from '../../core/schedule/within-runs.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { Occurrences, Schedules } from '../deps.ts';
import { comingNotes } from '../overrides/override-notes.ts';
import { fireViewOf } from '../service/fire-view.ts';
import type { upcomingView } from '../service/plan-schema.ts';
import { comingFrom, shownState } from './definition/schedule-view.ts';
import { getSchedule } from './get-schedule.ts';

/** The times that are coming; none while the schedule is paused. */
export async function upcoming(
  deps: {
    readonly schedules: Pick<Schedules, 'readSchedule'>;
    readonly occurrences: Pick<Occurrences, 'listOccurrences' | 'openOf'>;
  },
  id: ScheduleId,
  count: number,
  now: EpochMs,
): Promise<z.output<typeof upcomingView>> {
  const { head } = await getSchedule(deps, id);
  const state = shownState(await shownStateOf(head, deps.occurrences.openOf));
  if (state === 'paused') return { state, items: [] };
  const recurrence = headRecurrence(head);
  const all = preview(recurrence, { from: comingFrom(head, recurrence, now), count, now, seed: id }).items;
  const nominal = all.map(({ scheduledTime }) => epochMs(Date.parse(scheduledTime)));
  const coming = withinRuns(head, nominal);
  const [fires, times] = [all.slice(0, coming), nominal.slice(0, coming)];
  const last = times.at(-1);
  if (last === undefined) return { state, items: [] };
  const notes = await comingNotes(deps.occurrences, id, head.revision, now, last);
  return {
    state,
    items: fires.map((fire, index) => {
      const note = notes.get(times[index] ?? now);
      return fireViewOf(note ? { ...fire, notes: [...fire.notes, note] } : fire);
    }),
  };
}
