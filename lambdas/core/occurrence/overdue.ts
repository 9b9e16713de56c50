import { type EpochMs, epochMs, MINUTE, SECOND } from '../time.ts';
import type { PendingOccurrence, RunningOccurrence } from './occurrence.ts';

/**
 * A lease is taken for over so much after its end: clocks may differ by as much, and its worker, which counts from before
 * it asked for the lease, has stopped by its own clock until then.
 */
export const LEASE_SKEW = 2 * SECOND;

/** Whether the attempt may be ended by somebody else. */
export const isLeaseOver = ({ lease }: RunningOccurrence, now: EpochMs): boolean =>
  lease.expiresAt + LEASE_SKEW < now;

/** An occurrence this much past due that has not started counts as overdue. */
export const OVERDUE_GRACE = 5 * SECOND;
/** The pause between dispatches doubles this often at most: 120 s grows to 64 times as much, about two hours. */
const MAX_DOUBLINGS = 6;
/** One that has waited so long may be handed over whatever the queue says: no count shows one message that is lost. */
const LONG_PAUSE = 15 * MINUTE;

/** Whoever woke it was to start it at once, and has not died, or not for long. */
export const UNSENT_AFTER = 15 * SECOND;

/** One that a worker was to start by itself, and that was not sent since. */
export const isUnsent = ({ isDirect, redispatches }: PendingOccurrence): boolean =>
  isDirect === true && redispatches === 0;

export type SweepDecision =
  | 'leave'
  | 'expire-lease'
  | 'too-late'
  /** No message was ever sent for it: the worker that was to start it by itself has died. */
  | 'unsent'
  /** It has waited long enough to be handed over again, should the queue not hold it (redispatch-pace.ts). */
  | 'maybe-lost'
  /** So long that it is handed over again although the queue may hold it, a few in each pass. */
  | 'long-lost';

/**
 * What the sweep does with an open occurrence that is due. The pauses between dispatches double, so that what does not
 * arrive is not sent ever more often.
 */
export function decideSweep(
  occurrence: PendingOccurrence | RunningOccurrence,
  now: EpochMs,
  redispatchMs: number,
): SweepDecision {
  if (occurrence.status === 'running') {
    return isLeaseOver(occurrence, now) ? 'expire-lease' : 'leave';
  }
  if (occurrence.startBy !== undefined && occurrence.startBy < now) return 'too-late';
  // Whoever waits for a slot is woken for it (lambdas/sweep/slots.ts), and not before.
  if (occurrence.waitingFor !== undefined) return 'leave';
  // Outside workers find it by themselves; there is no message that could have been lost.
  if (occurrence.pullQueue !== undefined) return 'leave';
  if (isUnsent(occurrence)) return now - lastSentAt(occurrence) >= UNSENT_AFTER ? 'unsent' : 'leave';
  const waited = now - lastSentAt(occurrence);
  const growth = 2 ** Math.min(occurrence.redispatches, MAX_DOUBLINGS);
  if (waited >= LONG_PAUSE * growth) return 'long-lost';
  return waited >= redispatchMs * growth ? 'maybe-lost' : 'leave';
}

/** By then its message has passed the stream and is counted by the queue, were there not something amiss. */
export const SETTLING = 30 * SECOND;

/** Since when its message should be where a worker can take it. */
export function lastSentAt({ dueAt, createdAt, redispatchedAt }: PendingOccurrence): EpochMs {
  return epochMs(Math.max(dueAt, createdAt, redispatchedAt ?? 0));
}

/** Whether the work queue should hold a message for it by now. */
export function shouldBeQueued(
  occurrence: PendingOccurrence | RunningOccurrence,
  now: EpochMs,
): occurrence is PendingOccurrence {
  if (occurrence.status !== 'pending' || occurrence.dueAt > now) return false;
  if (isUnsent(occurrence)) return false;
  return occurrence.pullQueue === undefined && occurrence.waitingFor === undefined;
}

/**
 * Milliseconds past due of an occurrence that should have started; 0 when it has, waits its turn, or is not late.
 * A backfill has promised no time for any of its own.
 */
export function overdueBy(occurrence: PendingOccurrence | RunningOccurrence, now: EpochMs): number {
  if (occurrence.kind === 'backfill') return 0;
  if (occurrence.status === 'running' || occurrence.waitingFor !== undefined) return 0;
  const late = now - occurrence.dueAt;
  return late > OVERDUE_GRACE ? late : 0;
}
