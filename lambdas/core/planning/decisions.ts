import type { OccurrenceKey } from '../ids.ts';
import { isMoved } from '../occurrence/notes.ts';
import type { Occurrence, PendingOccurrence } from '../occurrence/occurrence.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import { type EpochMs, epochMs } from '../time.ts';
import { occurrenceOf, type PlannedOccurrence, retentionOf } from './planner.ts';

/** What a person decided about coming times, put where they now stand: under another revision, or at another instant. */
export interface Decisions {
  /** Moved ones, with their due times. */
  readonly create: readonly PlannedOccurrence[];
  readonly skipped: readonly SkippedAhead[];
  /** What is pending of them where they stood. */
  readonly cancel: readonly PendingOccurrence[];
}

export const NO_DECISIONS: Decisions = { create: [], skipped: [], cancel: [] };

/** A decision, and where its time now stands. */
export interface Decision {
  readonly record: Occurrence;
  readonly at: EpochMs;
}

/**
 * One decision for each time: of two that other zone data puts at one, that which was made for this very time, since it
 * was made later.
 */
export function decideApart(moved: readonly Decision[], done: readonly Decision[]) {
  const own = ({ record, at }: Decision) => record.scheduledTime === at;
  const places = new Map<EpochMs, Decision>();
  for (const one of [...done.filter(own), ...moved.filter(own), ...moved, ...done]) {
    if (!places.has(one.at)) places.set(one.at, one);
  }
  const wins = (one: Decision) => places.get(one.at) === one;
  return { moves: moved.filter(wins), skips: done.filter(wins) };
}

type Base = Pick<ScheduleHead, 'id' | 'revision' | 'policy'>;

/** A person does not want it, or had it run before its time: it is not to run again under another key. */
export function isDone(record: Occurrence): boolean {
  const { status } = record;
  if (status === 'cancelled' || status === 'skipped') return record.reason === 'user';
  return status !== 'pending' && isMoved(record);
}

/** Moved, and still to start at the moment that was chosen. */
export function isMoveAhead(record: Occurrence, now: EpochMs): boolean {
  return isMoved(record) && record.attempt === 0 && record.dueAt > now;
}

/** A resume creates it again; until then it is as if it had not been created. */
export function isLeftByPause(record: Occurrence): boolean {
  return record.status === 'cancelled' && record.reason === 'paused' && record.attempt === 0;
}

/** Due as it was, under the key that its time has now. */
export function movedAgain({ id, revision, policy }: Base, { record, at }: Decision): PlannedOccurrence {
  const { dueAt, startBy, notes, firstDueAt } = record;
  const planned = occurrenceOf({ schedule: id, revision, policy }, { at, notes }, dueAt);
  const late = startBy === undefined ? undefined : epochMs(dueAt + (startBy - firstDueAt));
  return {
    ...planned,
    ...(late !== undefined && { startBy: planned.startBy ?? late }),
    isAhead: true,
  };
}

export function skippedAgain({ id, revision, policy }: Base, { at }: Pick<Decision, 'at'>): SkippedAhead {
  return { schedule: id, scheduledTime: at, revision, kind: 'scheduled', ...retentionOf(policy) };
}

/** A nominal time that a person does not want, and how long that is remembered after it. */
export interface SkippedAhead extends OccurrenceKey {
  readonly retentionDays?: number;
}
