import type { OccurrenceKey } from '../../../core/ids.ts';
import { isMoved } from '../../../core/occurrence/notes.ts';
import type { Occurrence, PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import {
  type Decisions,
  decideApart,
  isDone,
  isLeftByPause,
  isMoveAhead,
  movedAgain,
  NO_DECISIONS,
  skippedAgain,
} from '../../../core/planning/decisions.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import { headRecurrence } from '../../../core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs } from '../../../core/time.ts';
import { counterpart } from '../../../core/zones/zone-change.ts';
import { isNewerZoneData } from '../../../core/zones/zone-version.ts';
import type { Occurrences } from '../../deps.ts';
import type { ScheduleTransition } from './build-change.ts';
import type { HeadBase } from './next-head.ts';
import type { Open } from './plan-head.ts';
import { toCancel } from './to-cancel.ts';

interface Change {
  readonly before: ScheduleHead | undefined;
  readonly base: HeadBase;
  readonly transition: ScheduleTransition;
  readonly open: readonly Open[];
  readonly now: EpochMs;
  readonly zoneData: string;
}

/**
 * What a person decided about coming times, put under the new revision where they are still times of it. Without
 * it an edit of a description would have a time run that was skipped, or run at its old moment.
 */
export async function carryOver(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  { before, base, transition, open, now, zoneData }: Change,
): Promise<Decisions> {
  const isEdit = transition.definition !== undefined;
  const isResume = before?.state === 'paused' && transition.state === 'enabled';
  if (!before || before.state === 'deleted' || transition.state === 'deleted' || !(isEdit || isResume))
    return NO_DECISIONS;

  const recurrence = headRecurrence(base);
  const isTime = (at: EpochMs) => recurrence.next(epochMs(at - 1))?.at === at;
  const stands = placeBy(before, zoneData);
  const placed = (all: readonly Occurrence[]) =>
    all.map((record) => ({ record, at: stands(record) })).filter(({ at }) => isTime(at));
  const records = await latestRecords(occurrences, before, now);
  const pending = transition.state === 'enabled' ? movedAmong(before, transition, open, now) : [];
  const held = isResume ? records.filter(isLeftByPause).filter(isMoved) : [];
  const moved = placed([...pending, ...held].filter((one) => isMoveAhead(one, now))).sort(
    (a, b) => a.record.dueAt - b.record.dueAt,
  );
  const { moves, skips } = decideApart(moved, placed(records.filter(isDone)));
  return {
    create: moves.map((one) => movedAgain(base, one)),
    // A resume leaves the revision, and with it the key of what stands where it stood.
    skipped: skips
      .filter(({ record, at }) => isEdit || at !== record.scheduledTime)
      .map((one) => skippedAgain(base, one)),
    cancel:
      transition.cancel.kinds === 'none'
        ? moved.flatMap(({ record }) => (record.status === 'pending' ? [record] : []))
        : [],
  };
}

/** Where a time of the schedule now stands, should the zone data be later than that of its plan. */
function placeBy(before: ScheduleHead, zoneData: string): (record: Occurrence) => EpochMs {
  if (!isNewerZoneData(zoneData, before.zoneData)) return ({ scheduledTime }) => scheduledTime;
  const recurrence = headRecurrence(before);
  return ({ scheduledTime, revision }) =>
    (revision === before.revision ? counterpart(recurrence, scheduledTime) : undefined) ?? scheduledTime;
}

/** Ones that the change cancels; one that keeps what is pending keeps what the planner made, not what is ahead of it. */
function movedAmong(
  before: ScheduleHead,
  transition: ScheduleTransition,
  open: readonly Open[],
  now: EpochMs,
): readonly PendingOccurrence[] {
  if (transition.cancel.kinds !== 'none') return toCancel(open, transition.cancel, now).filter(isMoved);
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
