import type { Dispatched } from '../../../core/ids.ts';
import type {
  CancelReason,
  PendingOccurrence,
  RunningOccurrence,
} from '../../../core/occurrence/occurrence.ts';
import { withAttempt } from '../../../core/occurrence/occurrence.ts';
import { purgeTimeOf } from '../../../core/occurrence/retention.ts';
import type { ClaimedPlaces, LeaseTerms, Settlement } from '../../../core/ports/occurrence-store.ts';
import type { EpochMs } from '../../../core/time.ts';
import { attention, pullBucketOf } from '../attention/attention-buckets.ts';
import type { StoreContext } from '../client.ts';
import {
  and,
  dispatchSeqIs,
  type Expression,
  expression,
  isDueBy,
  isPending,
  withinStartDeadline,
} from '../conditions.ts';

/** What the moves of the status machine write, for single writes and for transactions with slots alike. */

/** Attributes of what an occurrence has in slots, or waits for; gone when it has ended. */
export const SLOT_ATTRIBUTES =
  'places, kept, waits, waited, through, waiting_for, waiting_shard, waiting_key';

/** pending → running: lease, attempt and fencing token; and the places that go with it. */
export function claimUpdate(
  attempt: Dispatched,
  lease: LeaseTerms,
  now: EpochMs,
  { places, kept, through }: ClaimedPlaces,
): Expression {
  const has = Object.keys(places).length > 0;
  const waited = Object.keys(attempt.places ?? {}).length > 0;
  return expression(
    'SET #status = :running, holder = :holder, lease_expires_at = :lease_end, attempt_started_at = :now, ' +
      `started_at = if_not_exists(started_at, :now)${has ? ', places = :places' : ''}` +
      `${kept.length > 0 ? ', kept = :kept' : ''}${waited ? ', waited = :yes' : ''}` +
      `${through === undefined ? '' : ', through = :through'}` +
      `${lease.secret === undefined ? '' : ', secret = :secret'} ` +
      'ADD attempt :one, fencing_token :one REMOVE waits, attention_day, attention_at' +
      `${has ? '' : ', places'}${kept.length > 0 ? '' : ', kept'}${through === undefined ? ', through' : ''}` +
      // A secret belongs to one attempt.
      `${lease.secret === undefined ? ', secret' : ''}`,
    ['status'],
    {
      ':running': 'running',
      ':holder': lease.holder,
      ':lease_end': lease.expiresAt,
      ':now': now,
      ':one': 1,
      ...(has && { ':places': places }),
      ...(kept.length > 0 && {
        ':kept': Object.fromEntries(kept.map((slot) => [slot, attempt.dispatchSeq])),
      }),
      ...(waited && { ':yes': true }),
      ...(through !== undefined && { ':through': through }),
      ...(lease.secret !== undefined && { ':secret': lease.secret }),
    },
  );
}

/**
 * Under the dispatch_seq that the message names: what the sweep sends again keeps it, so that whichever message comes
 * first may start the attempt. An expired lease is not taken over: the sweep ends that attempt first, by the retry policy.
 */
export function isClaimable({ dispatchSeq }: Dispatched, now: EpochMs): Expression {
  return and(isPending, dispatchSeqIs(dispatchSeq), isDueBy(now), withinStartDeadline(now));
}

const LEASE_ATTRIBUTES = 'holder, lease_expires_at, attempt_started_at, cancel_reason, detached';

/** The write that ends an attempt. Terminal ones leave `open` and get their time to be purged. */
export function settlementUpdate(
  context: StoreContext,
  running: RunningOccurrence,
  settlement: Settlement,
  now: EpochMs,
): Expression {
  if (settlement.kind === 'retry') {
    // A place that is kept stays where it is, so that nothing that comes after this one starts in between.
    const places = Object.entries(running.places).filter(([slot]) => slot in running.kept);
    const keeps = places.length > 0;
    const pull = running.pullQueue === undefined ? undefined : pullBucketOf(running, running.pullQueue);
    const { startBy, record } = settlement;
    const attempts = record
      ? { text: 'attempts = :attempts', values: { ':attempts': withAttempt(running.attempts, record) } }
      : // The target was not called, so this was no attempt.
        { text: 'attempt = :attempt', values: { ':attempt': running.attempt - 1 } };
    const hasStarted = record !== undefined || running.attempt > 1;
    return expression(
      'SET #status = :pending, due_at = :due_at, redispatches = :zero, ' +
        attempts.text +
        `${pull ? ', attention_day = :pull, attention_at = :due_at' : ''}` +
        `${startBy === undefined ? '' : ', start_by = :start_by'}${keeps ? ', places = :places' : ''} ` +
        `ADD dispatch_seq :one REMOVE ${LEASE_ATTRIBUTES}, waited, redispatched_at${hasStarted ? '' : ', started_at'}` +
        `${startBy === undefined ? ', start_by' : ''}${keeps ? '' : ', places, kept'}`,
      ['status'],
      {
        ':pending': 'pending',
        ':due_at': settlement.dueAt,
        ...attempts.values,
        ':zero': 0,
        ':one': 1,
        ...(pull !== undefined && { ':pull': pull }),
        ...(startBy !== undefined && { ':start_by': startBy }),
        ...(keeps && { ':places': Object.fromEntries(places) }),
      },
    );
  }
  const end = { at: now, ...('reason' in settlement && { reason: settlement.reason }) };
  const sets: Record<string, unknown> = {
    status: settlement.kind,
    finished_at: now,
    purge_at: purgeTimeOf(running, end, context.retentionDays),
    ...(settlement.record
      ? { attempts: withAttempt(running.attempts, settlement.record) }
      : // The target was not called, so this was no attempt.
        { attempt: running.attempt - 1 }),
    ...(settlement.kind === 'cancelled' && { reason: settlement.reason }),
    ...(settlement.kind === 'failed' && { reason: settlement.reason, ...attention(running, now) }),
  };
  const names = Object.keys(sets);
  return expression(
    `SET ${names.map((name) => `#${name} = :set_${name}`).join(', ')} ADD dispatch_seq :one ` +
      `REMOVE ${LEASE_ATTRIBUTES}, ${SLOT_ATTRIBUTES}, open_shard`,
    names,
    { ...Object.fromEntries(names.map((name) => [`:set_${name}`, sets[name]])), ':one': 1 },
  );
}

/** pending → cancelled, by a person or by a change of the schedule. */
export function cancelUpdate(
  context: StoreContext,
  pending: PendingOccurrence,
  reason: CancelReason,
  now: EpochMs,
): Expression {
  return expression(
    'SET #status = :cancelled, reason = :reason, finished_at = :now, purge_at = :purge_at ' +
      `ADD dispatch_seq :one REMOVE open_shard, ${SLOT_ATTRIBUTES}, attention_day, attention_at`,
    ['status'],
    {
      ':cancelled': 'cancelled',
      ':reason': reason,
      ':now': now,
      ':purge_at': purgeTimeOf(pending, { at: now, reason }, context.retentionDays),
      ':one': 1,
    },
  );
}
