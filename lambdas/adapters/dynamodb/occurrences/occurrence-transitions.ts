import type { Dispatched, OccurrenceKey } from '../../../core/ids.ts';
import type {
  CancelReason,
  FailureReason,
  MissReason,
  Occurrence,
  PendingOccurrence,
  RunningOccurrence,
} from '../../../core/occurrence/occurrence.ts';
import { purgeTimeOf } from '../../../core/occurrence/retention.ts';
import type { FencedResult } from '../../../core/ports/fenced-result.ts';
import type {
  ClaimedPlaces,
  ClaimResult,
  LeaseTerms,
  RedispatchReason,
  RenewResult,
  Settlement,
  SettleResult,
} from '../../../core/ports/occurrence-store.ts';
import type { EpochMs } from '../../../core/time.ts';
import { attention } from '../attention/attention-buckets.ts';
import type { StoreContext } from '../client.ts';
import {
  and,
  dispatchSeqIs,
  type Expression,
  expression,
  holdsFencingToken,
  isPending,
  isRunning,
  leaseEndsBefore,
  leaseStandsAt,
  leaseStillEndsAt,
  pastStartDeadline,
  placeholders,
  sendsAre,
} from '../conditions.ts';
import type { Item } from '../item.ts';
import { occurrenceItemKey } from '../keys.ts';
import { type Updated, updateItem } from '../update-item.ts';
import { occurrenceOf } from './occurrence-items.ts';
import { claimUpdate, isClaimable, SLOT_ATTRIBUTES, settlementUpdate } from './occurrence-updates.ts';

/** The moves of the status machine (lambdas/core/occurrence/occurrence.ts). Each is one conditional write of one item. */

/** A move as one write, alone or in a transaction. */
export function moveOf(context: StoreContext, key: OccurrenceKey, update: Expression, condition: Expression) {
  return {
    TableName: context.occurrencesTable,
    Key: occurrenceItemKey(key),
    UpdateExpression: update.text,
    ConditionExpression: condition.text,
    ...placeholders(update, condition),
  };
}

export const move = (
  context: StoreContext,
  key: OccurrenceKey,
  update: Expression,
  condition: Expression,
): Promise<Updated> => updateItem(context, occurrenceItemKey(key), update, condition);

export const fenced = (moved: Updated): FencedResult => ({
  kind: moved.kind === 'written' ? 'done' : 'lost-lease',
});

/** pending and due → running. */
export async function claim(
  context: StoreContext,
  attempt: Dispatched,
  lease: LeaseTerms,
  now: EpochMs,
  taken: ClaimedPlaces,
): Promise<ClaimResult> {
  const update = claimUpdate(attempt, lease, now, taken);
  const moved = await move(context, attempt, update, isClaimable(attempt, now));
  return claimAs(attempt, lease, moved.item && occurrenceOf(moved.item));
}

/**
 * What a claim came to, by the occurrence as it then was. Running under the very sequence and holder, it is this claim's
 * doing, also where the write was refused: its answer was lost, and it was sent again.
 */
function claimAs(
  { dispatchSeq }: Dispatched,
  { holder }: LeaseTerms,
  occurrence: Occurrence | undefined,
): ClaimResult {
  const isOwn =
    occurrence?.status === 'running' &&
    occurrence.dispatchSeq === dispatchSeq &&
    occurrence.lease.holder === holder;
  return isOwn ? { kind: 'claimed', occurrence } : { kind: 'not-claimable', occurrence };
}

/** The attempt of this very claim: nobody has ended it since. */
export const isOwnAttempt = (running: RunningOccurrence): Expression =>
  and(isRunning, dispatchSeqIs(running.dispatchSeq), holdsFencingToken(running.fencingToken));

/** As seen when its lease had expired: not renewed since, not taken over. */
export const isSeenExpired = (running: RunningOccurrence): Expression =>
  and(isOwnAttempt(running), leaseStillEndsAt(running.lease.expiresAt));

export async function renew(
  context: StoreContext,
  running: RunningOccurrence,
  expiresAt: EpochMs,
  now: EpochMs,
): Promise<RenewResult> {
  const update = expression('SET lease_expires_at = :lease_end', [], { ':lease_end': expiresAt });
  // A request that comes late must not take back what a later one gave.
  const condition = and(isOwnAttempt(running), leaseStandsAt(now), leaseEndsBefore(expiresAt));
  const moved = await move(context, running, update, condition);
  const found = moved.item && occurrenceOf(moved.item);
  const isOwn = found?.status === 'running' && found.fencingToken === running.fencingToken;
  if (!isOwn || found.lease.expiresAt < Math.max(expiresAt, now)) return { kind: 'lost-lease' };
  const reason = found.cancelReason;
  return reason === undefined ? { kind: 'done' } : { kind: 'cancel-requested', reason };
}

/** The holder stays the worker that claimed it: a claim that is sent again is known by it. */
export async function detach(
  context: StoreContext,
  running: RunningOccurrence,
  expiresAt: EpochMs,
): Promise<FencedResult> {
  const update = expression('SET lease_expires_at = :lease_end, detached = :yes', [], {
    ':lease_end': expiresAt,
    ':yes': true,
  });
  return fenced(await move(context, running, update, isOwnAttempt(running)));
}

/** Ends an attempt. */
export async function settle(
  context: StoreContext,
  running: RunningOccurrence,
  settlement: Settlement,
  condition: Expression,
  now: EpochMs,
): Promise<SettleResult> {
  const update = settlementUpdate(context, running, settlement, now);
  const moved = await move(context, running, update, and(condition, mayEndAs(settlement)));
  return moved.kind === 'written' ? { kind: 'done' } : refusedEnd(running, settlement, moved.item);
}

/** Back to pending only while nobody asks that it be stopped: a retry would forget the request. */
const mayEndAs = (settlement: Settlement): Expression =>
  expression(settlement.kind === 'retry' ? 'attribute_not_exists(cancel_reason)' : 'attribute_exists(pk)');

/** Why the end of an attempt was refused, by the item as it was found. */
function refusedEnd(
  running: RunningOccurrence,
  settlement: Settlement,
  item: Item | undefined,
): SettleResult {
  const found = item && occurrenceOf(item);
  if (found && isEndOf(running, settlement, found)) return { kind: 'done' };
  const asked = found?.status === 'running' && found.fencingToken === running.fencingToken;
  return settlement.kind === 'retry' && asked && found.cancelReason !== undefined
    ? { kind: 'cancel-requested', reason: found.cancelReason }
    : { kind: 'lost-lease' };
}

/** What was found is this very end of the attempt: its answer was lost, and it was sent again. */
function isEndOf(running: RunningOccurrence, settlement: Settlement, found: Occurrence): boolean {
  const status = settlement.kind === 'retry' ? 'pending' : settlement.kind;
  const isNext = found.status === status && found.dispatchSeq === running.dispatchSeq + 1;
  if (!isNext || found.fencingToken !== running.fencingToken) return false;
  const { record } = settlement;
  // Two sweeps may have written the same; only a worker writes the end of its own attempt.
  if (record?.outcome === 'lease-expired') return false;
  const last = found.attempts.at(-1);
  if (!record) return found.attempt === running.attempt - 1;
  return (
    last?.attempt === record.attempt &&
    last.finishedAt === record.finishedAt &&
    last.outcome === record.outcome
  );
}

/** The worker of a running occurrence finds this at its next renewal. */
export async function requestCancel(
  context: StoreContext,
  key: OccurrenceKey,
  reason: CancelReason,
): Promise<FencedResult> {
  const update = expression('SET cancel_reason = :reason', [], { ':reason': reason });
  return fenced(await move(context, key, update, isRunning));
}

/**
 * Has a pending occurrence handed over again; the stream record of this write is what the relay sends. It is the same
 * attempt, so `dispatch_seq` stays: what is queued already, however long, stays as good as what is sent now.
 */
export async function redispatch(
  context: StoreContext,
  pending: PendingOccurrence,
  now: EpochMs,
  why: RedispatchReason,
): Promise<FencedResult> {
  const counted = why === 'overdue' ? ', redispatches :one' : '';
  const update = expression(`SET redispatched_at = :now ADD sends :one${counted}`, [], {
    ':now': now,
    ':one': 1,
  });
  const unchanged = and(
    isPending,
    dispatchSeqIs(pending.dispatchSeq),
    sendsAre(pending.sends),
    // What waits for a slot is handed over when it is woken.
    expression('attribute_not_exists(waiting_for)'),
  );
  return fenced(await move(context, pending, update, unchanged));
}

export async function miss(
  context: StoreContext,
  pending: PendingOccurrence,
  reason: MissReason,
  now: EpochMs,
): Promise<FencedResult> {
  // Of what is merely late the move is decided by what was read: it may have been moved, or begun, since.
  const condition = reason === 'start-deadline' ? pastStartDeadline(now) : dispatchSeqIs(pending.dispatchSeq);
  return endLate(context, pending, 'missed', reason, condition, now);
}

export async function giveUp(
  context: StoreContext,
  pending: PendingOccurrence,
  now: EpochMs,
): Promise<FencedResult> {
  const condition = and(pastStartDeadline(now), dispatchSeqIs(pending.dispatchSeq));
  return endLate(context, pending, 'failed', 'max-age', condition, now);
}

async function endLate(
  context: StoreContext,
  pending: PendingOccurrence,
  status: 'missed' | 'failed',
  reason: MissReason | FailureReason,
  condition: Expression,
  now: EpochMs,
): Promise<FencedResult> {
  const late = attention(pending, now);
  const update = expression(
    'SET #status = :status, reason = :reason, finished_at = :now, purge_at = :purge_at, ' +
      'attention_day = :day, attention_at = :now ADD dispatch_seq :one ' +
      `REMOVE open_shard, ${SLOT_ATTRIBUTES}`,
    ['status'],
    {
      ':status': status,
      ':reason': reason,
      ':now': now,
      ':purge_at': purgeTimeOf(pending, { at: now }, context.retentionDays),
      ':day': late.attention_day,
      ':one': 1,
    },
  );
  return fenced(await move(context, pending, update, and(isPending, condition)));
}
