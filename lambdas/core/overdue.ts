import type { PendingOccurrence, RunningOccurrence } from './occurrence.ts';
import { type EpochMs, SECOND } from './time.ts';

/** An occurrence this much past due that has not started counts as overdue. */
export const OVERDUE_GRACE = 5 * SECOND;
/** The pause between dispatches doubles this often at most: 120 s grows to 64 times as much, about two hours. */
const MAX_DOUBLINGS = 6;

export type SweepDecision = 'leave' | 'expire-lease' | 'too-late' | 'redispatch';

/**
 * What the sweep does with an open occurrence that is due. A lost message is sent again after `redispatchMs`;
 * each time the pause doubles, so that a queue that is merely long is not multiplied.
 */
export function decideSweep(
  occurrence: PendingOccurrence | RunningOccurrence,
  now: EpochMs,
  redispatchMs: number,
): SweepDecision {
  if (occurrence.status === 'running') {
    return occurrence.lease.expiresAt < now ? 'expire-lease' : 'leave';
  }
  if (occurrence.startBy !== undefined && occurrence.startBy < now) return 'too-late';
  // Outside workers find it by themselves; there is no message that could have been lost.
  if (occurrence.pullQueue !== undefined) return 'leave';
  const lastSent = Math.max(occurrence.dueAt, occurrence.createdAt, occurrence.redispatchedAt ?? 0);
  const pause = redispatchMs * 2 ** Math.min(occurrence.redispatches, MAX_DOUBLINGS);
  return now - lastSent >= pause ? 'redispatch' : 'leave';
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
