import type { ScheduleHead, ScheduleState } from '../../../core/schedule/head.ts';
import { headRecurrence } from '../../../core/schedule/head-recurrence.ts';
import { shownStateOf } from '../../../core/schedule/shown-state.ts';
import { withinRuns } from '../../../core/schedule/within-runs.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Occurrences } from '../../deps.ts';
import { nextWanted } from '../../overrides/next-wanted.ts';
import { comingFrom } from './schedule-view.ts';

/** What is to be expected of a schedule: nothing that a person has decided against, and all that is open. */
export interface Outlook {
  readonly state: ScheduleState;
  readonly next: EpochMs | null;
}

export async function outlookOf(
  occurrences: Pick<Occurrences, 'openOf' | 'listOccurrences'>,
  head: ScheduleHead,
  now: EpochMs,
): Promise<Outlook> {
  const state = await shownStateOf(head, occurrences.openOf);
  if (state === 'paused' || state === 'completed') return { state, next: null };
  const recurrence = headRecurrence(head);
  const first = recurrence.next(comingFrom(head, recurrence, now));
  if (!first || withinRuns(head, [first.at]) === 0) return { state, next: null };
  const times = await nextWanted(occurrences, head, recurrence, first.at);
  const next = times && withinRuns(head, times) === times.length ? times.at(-1) : undefined;
  return { state, next: next ?? null };
}
