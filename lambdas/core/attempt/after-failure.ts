import type { RunningOccurrence } from '../occurrence/occurrence.ts';
import { type PauseItselfDeps, pauseItself } from '../pause/pause-itself.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Revision } from '../schedule/revision.ts';
import type { EpochMs } from '../time.ts';

export interface AfterFailureDeps extends PauseItselfDeps {
  readonly occurrences: PauseItselfDeps['occurrences'] & Pick<OccurrenceStore, 'listOccurrences'>;
}

/** An occurrence that has just ended failed, for good. */
export interface Failure {
  readonly occurrence: Pick<RunningOccurrence, 'schedule' | 'kind' | 'revision'>;
  readonly revision: Revision | undefined;
  /** The target said that it is gone, in these words: its schedule need not try again. */
  readonly gone?: string | undefined;
}

/**
 * Pauses the schedule where the failure asks for that: the target is gone, or too many occurrences in a row have
 * failed. Answers the note that it was paused with.
 *
 * The failures are counted in the ledger and nowhere else. A counter beside it would cost a write for each end,
 * good ones too, and be wrong after a crash between the two; this costs one read for each failure of a schedule
 * that asks for it, and a process that dies before it leaves the count to the next failure.
 */
export async function afterFailure(
  deps: AfterFailureDeps,
  { occurrence, revision, gone }: Failure,
  now: EpochMs,
): Promise<string | undefined> {
  const { schedule } = occurrence;
  // What an older definition ran into says nothing about the one in force.
  const inForce = (head: ScheduleHead) => head.revision === occurrence.revision;
  if (gone !== undefined) {
    const note = `paused: the target is gone (${gone.slice(0, 100)})`;
    return (await pauseItself(deps, schedule, note, inForce, now)) ? note : undefined;
  }
  const limit = revision?.definition.pauseAfterFailures;
  if (limit === undefined || occurrence.kind !== 'scheduled') return undefined;
  const note = `auto-paused after ${limit} failures in a row`;
  const still = async (head: ScheduleHead) => inForce(head) && (await failedInARow(deps, head, limit, now));
  return (await pauseItself(deps, schedule, note, still, now)) ? note : undefined;
}

const PAGE = 100;
/** Pages read for one count; what did not run at all (skipped, cancelled) stands between those that did. */
const MAX_PAGES = 10;

/** Whether the latest `limit` occurrences that ran have all failed, and all since the schedule was last changed. */
async function failedInARow(
  deps: AfterFailureDeps,
  head: ScheduleHead,
  limit: number,
  now: EpochMs,
): Promise<boolean> {
  let count = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { schedule: head.id, to: now, limit: PAGE };
    const { items, cursor: next } = await deps.occurrences.listOccurrences(
      cursor === undefined ? query : { ...query, cursor },
    );
    for (const one of items) {
      if (one.kind !== 'scheduled' || (one.status !== 'succeeded' && one.status !== 'failed')) continue;
      const before = one.revision !== head.revision || one.finishedAt < head.updatedAt;
      if (one.status === 'succeeded' || before) return false;
      count += 1;
      if (count >= limit) return true;
    }
    if (next === undefined) return false;
    cursor = next;
  }
  return false;
}
