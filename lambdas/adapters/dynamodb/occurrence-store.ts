import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { RunningOccurrence } from '../../core/occurrence.ts';
import type { OccurrenceStore, Settlement } from '../../core/ports.ts';
import type { EpochMs } from '../../core/time.ts';
import { listAttention, pullable } from './attention-queries.ts';
import { createBesideLiveSchedule } from './beside-live-schedule.ts';
import { createCatchUpTallies } from './catch-up-tallies.ts';
import type { StoreContext } from './client.ts';
import type { Expression } from './conditions.ts';
import { occurrenceItemKey } from './keys.ts';
import { occurrenceOf, pendingItem } from './occurrence-items.ts';
import {
  claim,
  detach,
  giveUp,
  isOwnAttempt,
  isSeenExpired,
  miss,
  redispatch,
  renew,
  requestCancel,
  settle,
} from './occurrence-moves.ts';
import { listOccurrences } from './occurrence-queries.ts';
import { openOf } from './open-of.ts';
import { cancel, createAhead, replay, reschedule, skip, unskip } from './operator-moves.ts';
import { claimWithSlots, settleWithSlots, waitForSlot } from './slot-moves.ts';

export function createOccurrenceStore(context: StoreContext): OccurrenceStore {
  const { client, occurrencesTable } = context;

  const end = (running: RunningOccurrence, settlement: Settlement, condition: Expression, now: EpochMs) =>
    running.slots.length === 0
      ? settle(context, running, settlement, condition, now)
      : settleWithSlots(context, running, settlement, condition, now);

  return {
    async readOccurrence(key) {
      const answer = await client.send(
        new GetCommand({ TableName: occurrencesTable, Key: occurrenceItemKey(key), ConsistentRead: true }),
      );
      return answer.Item && occurrenceOf(answer.Item);
    },

    listOccurrences: (query) => listOccurrences(context, query),
    openOf: (schedule) => openOf(context, schedule),

    createManual({ occurrence, idempotency, now }) {
      const Item = pendingItem(occurrence, context.shardCount, now);
      const put = { TableName: occurrencesTable, Item };
      return createBesideLiveSchedule(context, occurrence, { put, idempotency, now });
    },

    claim: (key, lease, now, needs = []) =>
      needs.length === 0 ? claim(context, key, lease, now) : claimWithSlots(context, key, lease, now, needs),
    waitForSlot: (pending, need, capacity) => waitForSlot(context, pending, need, capacity),
    skip: (pending, reason, blockedBy, now) => skip(context, pending, reason, blockedBy, now),
    detach: (running, expiresAt) => detach(context, running, expiresAt),
    cancel: (pending, reason, now) => cancel(context, pending, reason, now),
    replay: (finished, dueAt, inputRevision) => replay(context, finished, dueAt, inputRevision),
    reschedule: (pending, to) => reschedule(context, pending, to),
    createAhead: (ahead, head, now) => createAhead(context, ahead, head, now),
    unskip: (skipped, as) => unskip(context, skipped, as),
    pullable: (queue, now, limit) => pullable(context, queue, now, limit),
    listAttention: (query) => listAttention(context, query),
    requestCancel: (key, reason) => requestCancel(context, key, reason),
    renew: (running, expiresAt, now) => renew(context, running, expiresAt, now),
    settle: (running, settlement, now) => end(running, settlement, isOwnAttempt(running), now),
    expire: (running, settlement, now) => end(running, settlement, isSeenExpired(running), now),
    redispatch: (pending, now, why) => redispatch(context, pending, now, why),
    miss: (pending, now, reason = 'start-deadline') => miss(context, pending, reason, now),
    giveUp: (pending, now) => giveUp(context, pending, now),
    ...createCatchUpTallies(context),
  };
}
