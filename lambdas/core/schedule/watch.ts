import { knownDurationMs } from '../duration.ts';
import type { OccurrenceKey, ScheduleId } from '../ids.ts';
import { type EpochMs, epochMs } from '../time.ts';
import type { ScheduleHead } from './head.ts';
import { headRecurrence } from './head-recurrence.ts';
import { withinRuns } from './within-runs.ts';

/** The dead man's switch of a schedule that asks for one: kept beside its head, found by the sweep in the index `due`. */
export interface Watch {
  readonly schedule: ScheduleId;
  /** When the sweep looks at it: never later than the success is expected by. */
  readonly lookAt: EpochMs;
  /** When an attempt of it last succeeded. */
  readonly lastSuccessAt?: EpochMs;
}

/**
 * By when a success is expected; null where none is. Counted from the last success or, if that is later, the last
 * change of the schedule (creation, edit, resume). A stretch in which it had nothing to run is not held against it:
 * where its next time lies beyond the deadline, or is its only one, it is counted from that time.
 */
export function successExpectedBy(
  head: ScheduleHead,
  lastSuccessAt: EpochMs | undefined,
  recurrenceOf = headRecurrence,
): EpochMs | null {
  const { policy, state, pause, updatedAt } = head;
  if (policy.expectSuccessWithin === undefined || state === 'deleted') return null;
  const within = knownDurationMs(policy.expectSuccessWithin);
  // A pause that ends by itself is followed by nothing but the tick, so that it is looked past.
  if (state === 'paused') return pause?.until === undefined ? null : epochMs(pause.until + within);
  const recurrence = recurrenceOf(head);
  const nextRun = (after: EpochMs): EpochMs | null => {
    const next = recurrence.next(after);
    return next && withinRuns(head, [next.at]) > 0 ? next.at : null;
  };
  // Its last time has been taken care of.
  if (state === 'completed' && lastSuccessAt !== undefined && nextRun(lastSuccessAt) === null) return null;
  const from = epochMs(Math.max(updatedAt, lastSuccessAt ?? updatedAt));
  const first = nextRun(from);
  const waits = first !== null && (first > from + within || nextRun(first) === null);
  return epochMs((waits ? first : from) + within);
}

/**
 * Whether a success of this occurrence is one of its schedule. A manual one and a replay are how a person makes a
 * failure good; a backfill of last month says nothing about today.
 */
export function countsAsSuccess({ kind }: Pick<OccurrenceKey, 'kind'>): boolean {
  return kind !== 'backfill';
}
