import type { PinnedCalendar } from '../../core/calendar.ts';
import type { Decisions } from '../../core/decisions.ts';
import { PunctualError } from '../../core/errors.ts';
import { occurrenceId, type ScheduleId } from '../../core/ids.ts';
import type { ChangeReason, PendingOccurrence } from '../../core/occurrence.ts';
import type { Pause } from '../../core/pause.ts';
import type { PlannedOccurrence } from '../../core/planner.ts';
import type { IdempotencyRecord, ScheduleChange } from '../../core/ports.ts';
import { revivalOf } from '../../core/revival.ts';
import { withGivenBack } from '../../core/runs-left.ts';
import type { Definition, ScheduleHead } from '../../core/schedule.ts';
import { type EpochMs, MINUTE } from '../../core/time.ts';
import { successExpectedBy } from '../../core/watch.ts';
import type { Caller, ChangeDeps } from '../deps.ts';
import { carryOver } from './carry-over.ts';
import { type GoOn, goOn, type Open } from './go-on.ts';
import { countsOn, nextHead } from './next-head.ts';
import type { Standing } from './standing.ts';
import { toCancel } from './to-cancel.ts';

/** A change of a schedule as its use case puts it; what is cancelled and created follows from it. */
export interface Move {
  /** `enabled` becomes `completed` where no time is left. */
  readonly state: 'enabled' | 'paused' | 'deleted';
  /** Present when what or when changes: it becomes the next revision. */
  readonly definition?: Definition;
  /** Of a definition that names some: what they are now. */
  readonly calendars?: readonly PinnedCalendar[];
  readonly cancel: CancelMove;
  /** `anew` when absent. */
  readonly goOn?: GoOn;
  /** What a pause says of itself; one that goes on without it says the same as before. */
  readonly pause?: PauseTerms;
  readonly idempotency?: IdempotencyRecord;
}

/** `undefined` takes a note or an end back. */
export interface PauseTerms extends Pick<Pause, 'by'> {
  readonly note: string | undefined;
  readonly until: Pause['until'] | undefined;
}

export interface CancelMove {
  /**
   * Manual occurrences were asked for by a person: only the deletion of their schedule stops them. `none`: what
   * is pending still runs, under the revision that it was created by. `coming`: scheduled ones whose time has not
   * passed; the others go on by the new revision.
   */
  readonly kinds: 'none' | 'coming' | 'scheduled' | 'every';
  readonly reason: ChangeReason;
}

/**
 * Actions of a transaction that are left for cancels and creates: 100 in all, less head, revision, idempotency
 * record, the count of the group and the record of what is left over.
 */
const TRANSACTION_ROOM = 95;

/** Of those, what decisions of people leave to the plan; what it has no room for comes next (plan-at-once.ts). */
const LEAST_PLANNED = 10;

export async function changeOf(
  deps: Pick<ChangeDeps, 'occurrences' | 'limits' | 'zoneData'>,
  id: ScheduleId,
  standing: Standing,
  move: Move,
  caller: Caller,
): Promise<ScheduleChange> {
  const { now } = caller;
  const before = standing.kind === 'absent' ? undefined : standing.head;
  const open = await openOf(deps, id, standing);
  const base = nextHead(id, standing, move, now);
  const carried = await carryOver(deps.occurrences, {
    before,
    base,
    move,
    open,
    now,
    zoneData: deps.zoneData,
  });
  const resumes = before?.state === 'paused' && move.state === 'enabled';
  const revival = resumes ? revivalOf(before, now) : undefined;
  const toStop = [...toCancel(open, move.cancel, now), ...carried.cancel];
  const isWatched = base.policy.expectSuccessWithin !== undefined;
  const links =
    (isWatched ? 1 : 0) + 2 * (move.calendars ?? []).length + (before?.policy.calendars ?? []).length;
  const decided = decidedIn(id, carried, move, TRANSACTION_ROOM - links - LEAST_PLANNED);
  // What a resume finds pending (a pause died before it had cancelled all) is cancelled before it, since the schedule is
  // still paused, and comes back with what the pause held; a catch-up has all the room.
  // The cancels are safe beyond the transaction too (the worker asks the head), but creates without room for
  // them would leave a plain mistake: that the cancels did not go with the change they belong to.
  const free = Math.max(0, TRANSACTION_ROOM - decided.actions - links);
  const room = resumes ? free : Math.max(0, free - toStop.length);
  if (move.definition && move.state === 'enabled') assertSafe(id, toStop, free, now);
  const counted = {
    ...base,
    ...(countsOn(standing, move) && withGivenBack(before, toStop, base.remainingRuns)),
  };
  const going = await goOn(deps, { before, base: counted, move, open, caller, room });
  const { create: planned, records, ...state } = going;
  const taken = new Set([...carried.create, ...carried.skipped].map(({ scheduledTime }) => scheduledTime));
  const wanted = planned.filter(({ scheduledTime }) => !taken.has(scheduledTime));
  const { create, cancel } = apart([...wanted, ...decided.create], toStop);
  const head = { ...counted, ...state };
  const lookAt = successExpectedBy(head, undefined);
  return {
    expected: before ?? null,
    head,
    ...(move.definition && {
      revision: {
        schedule: id,
        revision: base.revision,
        definition: move.definition,
        ...(move.calendars && move.calendars.length > 0 && { calendars: move.calendars }),
        createdAt: now,
        createdBy: caller.principal,
      },
    }),
    cancel,
    cancelReason: move.cancel.reason,
    ...(resumes && { cancelsFirst: true }),
    ...(revival && { revival }),
    create,
    ...(decided.after.length > 0 && { createAfter: decided.after }),
    records,
    ...((move.definition || move.state === 'deleted') && { calendars: calendarsOf(before, move) }),
    ...(lookAt !== null && { watch: { lookAt, fresh: standing.kind !== 'live' } }),
    ...(carried.skipped.length > 0 && { skipped: carried.skipped }),
    ...(move.idempotency && { idempotency: move.idempotency }),
    now,
  };
}

/**
 * Refuses an edit with more decisions about coming times than its transaction takes: without them a time would run that
 * was skipped, or twice. What a resume has no room for stands under its key already, and follows.
 */
function decidedIn(
  id: ScheduleId,
  { create, skipped, cancel }: Decisions,
  { definition }: Move,
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

/**
 * What would be cancelled and made again under the same key stays as it is: one that a resume finds pending (it waits
 * for its retry, or was left by a pause that died).
 */
function apart(create: readonly PlannedOccurrence[], cancel: readonly PendingOccurrence[]) {
  const made = new Set(create.map(occurrenceId));
  const stopped = new Set(cancel.map(occurrenceId));
  return {
    create: create.filter((one) => !stopped.has(occurrenceId(one))),
    cancel: cancel.filter((one) => !made.has(occurrenceId(one))),
  };
}

/** Written with the schedule, so that a calendar knows by whom it is used. */
function calendarsOf(before: ScheduleHead | undefined, move: Move): NonNullable<ScheduleChange['calendars']> {
  const used = before?.state === 'deleted' ? [] : (before?.policy.calendars ?? []);
  return { after: move.calendars ?? [], before: used.map(({ name }) => name) };
}

export async function openOf(
  deps: Pick<ChangeDeps, 'occurrences'>,
  id: ScheduleId,
  standing: Standing,
): Promise<readonly Open[]> {
  return standing.kind === 'absent' ? [] : deps.occurrences.openOf(id);
}
