import { whyNotInForce } from '../occurrence/in-force.ts';
import { isMoved } from '../occurrence/notes.ts';
import type { CancelledOccurrence, Occurrence } from '../occurrence/occurrence.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import type { PlanningStore } from '../ports/planning-store.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Revival } from '../schedule/revival.ts';
import { DAY, type EpochMs, epochMs, MINUTE } from '../time.ts';

/**
 * A worker that has claimed one just before the end of the pause may cancel it just after: so long after it the tick
 * looks for the last time.
 */
const LAST_LOOK = MINUTE;

/** While it is paused again. */
const LOOK_LATER = 10 * MINUTE;

/** Older than any retry may be (`retry.maxAge`), by days. */
const OLDEST = 31 * DAY;

/** Records of one page, and pages that are read before the tick is left to go on. */
const PAGE = 100;
const MAX_PAGES = 20;

export function revivalOf(
  { id, pause }: Pick<ScheduleHead, 'id' | 'pause'>,
  through: EpochMs,
): Revival | undefined {
  return pause && { id, since: pause.since, through, lookAt: epochMs(through + LAST_LOOK) };
}

/**
 * Whether a pause only holds what it stops: what had begun, what is of a time before the pause (it waits for a retry or
 * within its window), and what a person moved to a moment beyond the pause. Other times are those of the pause itself.
 */
export function isHeld(
  one: Pick<Occurrence, 'kind' | 'attempt' | 'replays' | 'scheduledTime' | 'dueAt' | 'notes'>,
  { since, through }: Pick<Revival, 'since' | 'through'>,
): boolean {
  if (one.kind !== 'scheduled' || one.replays > 0) return false;
  // One of the very moment of the pause counts as a time of it.
  if (one.attempt > 0 || one.scheduledTime < since) return true;
  return isMoved(one) && one.scheduledTime <= through && one.dueAt > through;
}

type RevivalDeps = {
  readonly occurrences: Pick<OccurrenceStore, 'listOccurrences' | 'revive'>;
};

/** Brings back page after page; where it stands then, null when it has seen all. */
async function revivePages(
  { occurrences }: RevivalDeps,
  revival: Revival,
  head: ScheduleHead,
): Promise<string | null> {
  const { id: schedule, since } = revival;
  const query = {
    schedule,
    from: epochMs(since - OLDEST),
    kind: 'scheduled',
    status: 'cancelled',
    reason: 'paused',
    limit: PAGE,
  } as const;
  let { cursor } = revival;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await occurrences.listOccurrences({ ...query, ...(cursor !== undefined && { cursor }) });
    await occurrences.revive(
      page.items
        .filter((one): one is Occurrence & CancelledOccurrence => one.status === 'cancelled')
        .filter((one) => one.finishedAt >= since && isHeld(one, revival))
        .filter((one) => whyNotInForce(one, head) === null),
    );
    cursor = page.cursor;
    if (cursor === undefined) return null;
  }
  return cursor ?? null;
}

/** As much as a request has time for, and nearly always all; the tick looks again. */
export async function reviveAtOnce(deps: RevivalDeps, revival: Revival, head: ScheduleHead): Promise<void> {
  await revivePages(deps, revival, head);
}

export interface RevivalTickDeps extends RevivalDeps {
  readonly store: Pick<PlanningStore, 'dueRevivals' | 'putOffRevival' | 'endRevival'>;
}

/** One that the tick has come to. */
export async function moveOnRevival(
  deps: RevivalTickDeps,
  { revival, head }: { readonly revival: Revival; readonly head: ScheduleHead | undefined },
  now: EpochMs,
): Promise<void> {
  const { store } = deps;
  if (!head || head.state === 'deleted') return store.endRevival(revival, now);
  // What it has not brought back stays held until this pause is over as well.
  if (head.state === 'paused') return store.putOffRevival({ ...revival, lookAt: epochMs(now + LOOK_LATER) });
  const cursor = await revivePages(deps, revival, head);
  if (cursor !== null) return store.putOffRevival({ ...revival, lookAt: now, cursor });
  if (now < revival.through + LAST_LOOK) {
    const { cursor: _, ...again } = revival;
    return store.putOffRevival({ ...again, lookAt: epochMs(revival.through + LAST_LOOK) });
  }
  return store.endRevival(revival, now);
}
