import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { OccurrenceKey } from '../../core/ids.ts';
import { type PendingOccurrence, type RunningOccurrence, withAttempt } from '../../core/occurrence.ts';
import type { ClaimResult, FencedResult, Settlement } from '../../core/ports.ts';
import type { EpochMs } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import {
  and,
  dispatchSeqIs,
  type Expression,
  expression,
  holdsFencingToken,
  isDueBy,
  isPending,
  isRunning,
  leaseStillEndsAt,
  pastStartDeadline,
  placeholders,
  withinStartDeadline,
} from './conditions.ts';
import { type Item, purgeAt } from './head-items.ts';
import { occurrenceItemKey } from './keys.ts';
import { attention, occurrenceOf } from './occurrence-items.ts';

/** The moves of the status machine (design, section 4). Each is one conditional write of one item. */

type Moved =
  | { readonly kind: 'moved'; readonly item: Item }
  | { readonly kind: 'refused'; readonly item?: Item };

async function move(
  context: StoreContext,
  key: OccurrenceKey,
  update: Expression,
  condition: Expression,
): Promise<Moved> {
  try {
    const answer = await context.client.send(
      new UpdateCommand({
        TableName: context.occurrencesTable,
        Key: occurrenceItemKey(key),
        UpdateExpression: update.text,
        ConditionExpression: condition.text,
        ...placeholders(update, condition),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { kind: 'moved', item: answer.Attributes as Item };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item ? { kind: 'refused', item: unmarshall(error.Item) } : { kind: 'refused' };
  }
}

const fenced = (moved: Moved): FencedResult => ({ kind: moved.kind === 'moved' ? 'done' : 'lost-lease' });

/**
 * pending and due → running. The dispatch_seq of the message is not asked for: whichever message comes first
 * once the occurrence is due may start it, so a second dispatch by the sweep never makes the first one void.
 * An expired lease is not taken over here either: the sweep ends that attempt first, by the retry policy.
 */
export async function claim(
  context: StoreContext,
  key: OccurrenceKey,
  lease: { readonly holder: string; readonly expiresAt: EpochMs },
  now: EpochMs,
): Promise<ClaimResult> {
  const update = expression(
    'SET #status = :running, holder = :holder, lease_expires_at = :lease_end, attempt_started_at = :now, ' +
      'started_at = if_not_exists(started_at, :now) ADD attempt :one, fencing_token :one',
    ['status'],
    { ':running': 'running', ':holder': lease.holder, ':lease_end': lease.expiresAt, ':now': now, ':one': 1 },
  );
  const moved = await move(context, key, update, and(isPending, isDueBy(now), withinStartDeadline(now)));
  const occurrence = moved.item && occurrenceOf(moved.item);
  if (moved.kind === 'moved' && occurrence?.status === 'running') return { kind: 'claimed', occurrence };
  return { kind: 'not-claimable', occurrence };
}

export async function renew(
  context: StoreContext,
  running: RunningOccurrence,
  expiresAt: EpochMs,
): Promise<FencedResult> {
  const update = expression('SET lease_expires_at = :lease_end', [], { ':lease_end': expiresAt });
  return fenced(
    await move(context, running, update, and(isRunning, holdsFencingToken(running.fencingToken))),
  );
}

const LEASE_ATTRIBUTES = 'holder, lease_expires_at, attempt_started_at';

/** The write that ends an attempt. Terminal ones leave `open` and get their time to be purged. */
function settlementUpdate(
  context: StoreContext,
  running: RunningOccurrence,
  settlement: Settlement,
  now: EpochMs,
): Expression {
  if (settlement.kind === 'retry') {
    return expression(
      'SET #status = :pending, due_at = :due_at, attempts = :attempts, redispatches = :zero ' +
        `ADD dispatch_seq :one REMOVE ${LEASE_ATTRIBUTES}, redispatched_at, start_by`,
      ['status'],
      {
        ':pending': 'pending',
        ':due_at': settlement.dueAt,
        ':attempts': withAttempt(running.attempts, settlement.record),
        ':zero': 0,
        ':one': 1,
      },
    );
  }
  const sets: Record<string, unknown> = {
    status: settlement.kind,
    finished_at: now,
    purge_at: purgeAt(now, context.retentionDays),
    ...(settlement.kind === 'cancelled'
      ? // The target was not called, so this was no attempt.
        { reason: settlement.reason, attempt: running.attempt - 1 }
      : { attempts: withAttempt(running.attempts, settlement.record) }),
    ...(settlement.kind === 'failed' && { reason: settlement.reason, ...attention(now) }),
  };
  const names = Object.keys(sets);
  return expression(
    `SET ${names.map((name) => `#${name} = :set_${name}`).join(', ')} REMOVE ${LEASE_ATTRIBUTES}, open_shard`,
    names,
    Object.fromEntries(names.map((name) => [`:set_${name}`, sets[name]])),
  );
}

export async function settle(
  context: StoreContext,
  running: RunningOccurrence,
  settlement: Settlement,
  now: EpochMs,
): Promise<FencedResult> {
  const update = settlementUpdate(context, running, settlement, now);
  return fenced(
    await move(context, running, update, and(isRunning, holdsFencingToken(running.fencingToken))),
  );
}

/** As settle, by somebody who is not the holder: only while the lease that was seen expired is still the lease. */
export async function expire(
  context: StoreContext,
  running: RunningOccurrence,
  settlement: Settlement,
  now: EpochMs,
): Promise<FencedResult> {
  const update = settlementUpdate(context, running, settlement, now);
  const condition = and(
    isRunning,
    holdsFencingToken(running.fencingToken),
    leaseStillEndsAt(running.lease.expiresAt),
  );
  return fenced(await move(context, running, update, condition));
}

/** Has a pending occurrence handed over again; the stream record of this write is what the relay sends. */
export async function redispatch(
  context: StoreContext,
  pending: PendingOccurrence,
  now: EpochMs,
): Promise<FencedResult> {
  const update = expression('SET redispatched_at = :now ADD dispatch_seq :one, redispatches :one', [], {
    ':now': now,
    ':one': 1,
  });
  return fenced(await move(context, pending, update, and(isPending, dispatchSeqIs(pending.dispatchSeq))));
}

export async function miss(
  context: StoreContext,
  pending: PendingOccurrence,
  now: EpochMs,
): Promise<FencedResult> {
  const late = attention(now);
  const update = expression(
    'SET #status = :missed, reason = :reason, finished_at = :now, purge_at = :purge_at, ' +
      'attention_day = :day, attention_at = :now REMOVE open_shard',
    ['status'],
    {
      ':missed': 'missed',
      ':reason': 'start-deadline',
      ':now': now,
      ':purge_at': purgeAt(now, context.retentionDays),
      ':day': late.attention_day,
    },
  );
  return fenced(await move(context, pending, update, and(isPending, pastStartDeadline(now))));
}
