import { PunctualError } from '../../../core/errors.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { Decisions } from '../../../core/planning/decisions.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import { type EpochMs, MINUTE } from '../../../core/time.ts';
import type { ChangeDeps } from '../../deps.ts';
import type { ScheduleTransition } from './build-change.ts';
import { carryOver } from './carry-over.ts';
import type { HeadBase } from './next-head.ts';
import type { Open } from './plan-head.ts';
import { toCancel } from './to-cancel.ts';

/**
 * Actions of a transaction that are left for cancels and creates: 100 in all, less head, revision, idempotency
 * record, the count of the group and the record of what is left over.
 */
const TRANSACTION_ROOM = 95;

/** Of those, what decisions of people leave to the plan; what it has no room for comes next (plan-at-once.ts). */
const LEAST_PLANNED = 10;

interface Change {
  readonly id: ScheduleId;
  readonly before: ScheduleHead | undefined;
  readonly base: HeadBase;
  readonly transition: ScheduleTransition;
  readonly open: readonly Open[];
  readonly now: EpochMs;
}

/**
 * What a change stops, and what people decided that goes with it, as its transaction takes them; refused where it
 * cannot. `room` is what they leave, cancels apart.
 */
export async function fitted(deps: Pick<ChangeDeps, 'occurrences' | 'zoneData'>, change: Change) {
  const { id, before, base, transition, open, now } = change;
  const { zoneData } = deps;
  const carried = await carryOver(deps.occurrences, { before, base, transition, open, now, zoneData });
  const toStop = [...toCancel(open, transition.cancel, now), ...carried.cancel];
  const isWatched = base.policy.expectSuccessWithin !== undefined;
  const links =
    (isWatched ? 1 : 0) + 2 * (transition.calendars ?? []).length + (before?.policy.calendars ?? []).length;
  const decided = decidedIn(id, carried, transition, TRANSACTION_ROOM - links - LEAST_PLANNED);
  const room = Math.max(0, TRANSACTION_ROOM - decided.actions - links);
  if (transition.definition && transition.state === 'enabled') assertSafe(id, toStop, room, now);
  return { carried, decided, toStop, room };
}

/**
 * Refuses an edit with more decisions about coming times than its transaction takes: without them a time would run that
 * was skipped, or twice. What a resume has no room for stands under its key already, and follows.
 */
function decidedIn(
  id: ScheduleId,
  { create, skipped, cancel }: Decisions,
  { definition }: ScheduleTransition,
  room: number,
) {
  // What an edit keeps is cancelled in it, and made again by the new revision.
  const most = Math.max(0, room - skipped.length - cancel.length);
  if (create.length + skipped.length + cancel.length > room && definition) {
    const verbs = `/schedules/${id}`;
    throw new PunctualError(
      'schedule.many-decisions',
      `${create.length + skipped.length} coming times of ${id} are skipped or moved, more than one edit can take along: ` +
        `take some skips back with POST ${verbs}/unskip, or move some times to where they belong with POST ${verbs}/move.`,
      { value: id },
    );
  }
  const inside = create.slice(0, most);
  return { create: inside, after: create.slice(most), actions: inside.length + skipped.length };
}

/** Longer than a change takes, and than clocks differ. */
const SOON = MINUTE;

/**
 * Refuses an edit that would make anew what it cannot cancel in its own transaction and what may start meanwhile. What
 * is due later, or is of a time that has passed, is safe: its worker asks the head.
 */
function assertSafe(id: ScheduleId, cancel: readonly PendingOccurrence[], room: number, now: EpochMs): void {
  const soon = cancel.filter(({ dueAt, scheduledTime }) => scheduledTime > now && dueAt <= now + SOON);
  if (soon.length <= room) return;
  throw new PunctualError(
    'schedule.busy',
    `${soon.length} coming times of ${id} start within a minute, more than one change can take back: ` +
      `pause it with POST /schedules/${id}/pause, edit it, and resume it.`,
    { value: id },
  );
}
