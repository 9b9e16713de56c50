import { headRecurrence } from '../../core/head-recurrence.ts';
import type { OccurrenceKey } from '../../core/ids.ts';
import { isMoved } from '../../core/moved.ts';
import type { Occurrence, PendingOccurrence } from '../../core/occurrence.ts';
import { keptFor, occurrenceOf, type PlannedOccurrence } from '../../core/planner.ts';
import type { SkippedAhead } from '../../core/ports.ts';
import type { ScheduleHead } from '../../core/schedule.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import { isLeftByPause } from '../coming/time.ts';
import type { Occurrences } from '../deps.ts';
import type { Open } from './go-on.ts';
import type { Move } from './move.ts';
import type { HeadBase } from './next-head.ts';
import { toCancel } from './to-cancel.ts';

/**
 * What a person decided about coming times, put under the new revision where they are still times of it. Without
 * it an edit of a description would have a time run that was skipped, or run at its old moment.
 */
export interface CarriedOver {
  /** Moved ones, with their due times. */
  readonly create: readonly PlannedOccurrence[];
  readonly skipped: readonly SkippedAhead[];
  /** Their pending ones under the old revision, where the change would keep what is pending. */
  readonly cancel: readonly PendingOccurrence[];
}

const NOTHING: CarriedOver = { create: [], skipped: [], cancel: [] };
/** Moved ones that one transaction takes, soonest first; nobody moves so many times by hand. */
const MAX_MOVED = 40;

interface Change {
  readonly before: ScheduleHead | undefined;
  readonly base: HeadBase;
  readonly move: Move;
  readonly open: readonly Open[];
  readonly now: EpochMs;
}

export async function carryOver(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  { before, base, move, open, now }: Change,
): Promise<CarriedOver> {
  const isEdit = move.definition !== undefined;
  const isResume = before?.state === 'paused' && move.state === 'enabled';
  if (!before || before.state === 'deleted' || move.state === 'deleted' || !(isEdit || isResume))
    return NOTHING;

  const recurrence = headRecurrence(base);
  const isTime = (at: EpochMs) => recurrence.next(epochMs(at - 1))?.at === at;
  const records = await latestRecords(occurrences, before, now);
  const pending = move.state === 'enabled' ? movedAmong(before, move, open, now) : [];
  const moved = [...pending, ...(isResume ? records.filter(isLeftByPause).filter(isMoved) : [])]
    .filter(({ attempt, dueAt, scheduledTime }) => attempt === 0 && dueAt > now && isTime(scheduledTime))
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(0, MAX_MOVED);
  const key = ({ scheduledTime }: OccurrenceKey) =>
    ({ schedule: base.id, scheduledTime, revision: base.revision, kind: 'scheduled' }) as const;
  return {
    create: moved.map((one) => ({ ...plannedAgain(base, one), ...key(one), isAhead: true })),
    skipped: records
      .filter((one) => isEdit && isDone(one) && isTime(one.scheduledTime))
      .map((one) => ({ ...key(one), ...keptFor(base.policy) })),
    cancel: move.cancel.kinds === 'none' ? moved.filter((one) => one.status === 'pending') : [],
  };
}

/** Ones that the change cancels; one that keeps what is pending keeps what the planner made, not what is ahead of it. */
function movedAmong(
  before: ScheduleHead,
  move: Move,
  open: readonly Open[],
  now: EpochMs,
): readonly PendingOccurrence[] {
  if (move.cancel.kinds !== 'none') return toCancel(open, move.cancel, now).filter(isMoved);
  return open
    .filter((one) => one.status === 'pending')
    .filter((one) => one.kind === 'scheduled' && isAheadOfPlan(before, one));
}

/** Made by a person before the planner came to its time. */
export function isAheadOfPlan(
  { state, nextDueAt }: Pick<ScheduleHead, 'state' | 'nextDueAt'>,
  { kind, scheduledTime }: OccurrenceKey,
): boolean {
  return kind === 'scheduled' && state === 'enabled' && nextDueAt !== null && scheduledTime >= nextDueAt;
}

function plannedAgain(base: HeadBase, { scheduledTime, dueAt, startBy, notes, ...own }: Occurrence) {
  const planned = occurrenceOf(
    { schedule: base.id, revision: base.revision, policy: base.policy },
    { at: scheduledTime, notes },
    dueAt,
  );
  const late = startBy === undefined ? undefined : epochMs(dueAt + (startBy - own.firstDueAt));
  return late === undefined ? planned : { ...planned, startBy: planned.startBy ?? late };
}

/** A person does not want it, or had it run before its time: it is not to run under a new revision. */
function isDone(record: Occurrence): boolean {
  const { status } = record;
  if (status === 'cancelled' || status === 'skipped') return record.reason === 'user';
  return status !== 'pending' && isMoved(record);
}

/** Moved, and held back by this pause: what was edited since has no record of it, and the resume makes it again. */
function isHeldMove(record: Occurrence, { pause }: ScheduleHead): boolean {
  if (!pause || !isMoved(record) || !isLeftByPause(record)) return false;
  return record.status === 'cancelled' && record.finishedAt >= pause.since;
}

/** The record of each coming time that counts: the one of the latest revision that is still in force. */
async function latestRecords(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  head: ScheduleHead,
  now: EpochMs,
): Promise<readonly Occurrence[]> {
  const { id, revision, oldestRevision = revision } = head;
  const latest = new Map<EpochMs, Occurrence>();
  const query = { schedule: id, from: epochMs(now + 1), kind: 'scheduled', oldestFirst: true } as const;
  let cursor: string | undefined;
  do {
    const page = await occurrences.listOccurrences({
      ...query,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    for (const found of page.items) {
      const counts = found.revision >= oldestRevision || isHeldMove(found, head);
      if (!counts || found.revision > revision) continue;
      const known = latest.get(found.scheduledTime);
      if (!known || known.revision < found.revision) latest.set(found.scheduledTime, found);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return [...latest.values()];
}
