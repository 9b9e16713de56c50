import type { PendingOccurrence, RunningOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { OccurrenceStore, Settlement, SettleResult } from '../../../core/ports/occurrence-store.ts';
import { giveBackQuietly, type StartNext } from '../../../core/slots/hand-over.ts';
import type { EpochMs } from '../../../core/time.ts';
import { listAttention, pullable } from '../attention/attention-queries.ts';
import { getItem } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import type { Expression } from '../conditions.ts';
import { occurrenceItemKey } from '../keys.ts';
import { createCatchUpTallies } from '../planning/catch-up-tallies.ts';
import { reviveHeld } from '../planning/revivals.ts';
import { createBesideLiveSchedule } from '../schedules/create-if-schedule-live.ts';
import { createSlotStore } from '../slots/slot-store.ts';
import { occurrenceOf, pendingItem } from './occurrence-items.ts';
import { listOccurrences } from './occurrence-queries.ts';
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
} from './occurrence-transitions.ts';
import { openOf } from './open-occurrences.ts';
import { cancel, createAhead, replay, reschedule, skip, unskip } from './operator-transitions.ts';

const NO_PLACES = { places: {}, kept: [] };

export function createOccurrenceStore(context: StoreContext): OccurrenceStore {
  const { client, occurrencesTable } = context;

  const slots = createSlotStore(context);

  /** Whatever ends an attempt, or what would have become one, gives its places back. */
  async function leaving<Result extends SettleResult>(
    before: PendingOccurrence | RunningOccurrence,
    moved: Promise<Result>,
    now: EpochMs,
    keeps: Readonly<Record<string, unknown>> = {},
    startNext?: StartNext,
  ): Promise<Result> {
    const result = await moved;
    if (result.kind === 'done') await giveBackQuietly(slots, before, now, keeps, startNext);
    return result;
  }

  const end = (
    running: RunningOccurrence,
    settlement: Settlement,
    condition: Expression,
    now: EpochMs,
    startNext?: StartNext,
  ) =>
    leaving(
      running,
      settle(context, running, settlement, condition, now),
      now,
      settlement.kind === 'retry' ? running.kept : {},
      startNext,
    );

  return {
    async readOccurrence(key) {
      const item = await getItem(client, occurrencesTable, occurrenceItemKey(key));
      return item && occurrenceOf(item);
    },

    listOccurrences: (query) => listOccurrences(context, query),
    openOf: (schedule) => openOf(context, schedule),

    createManual({ occurrence, idempotency, now }) {
      const Item = pendingItem(occurrence, context.shardCount, now);
      const put = { TableName: occurrencesTable, Item };
      return createBesideLiveSchedule(context, occurrence, { put, idempotency, now });
    },

    slots,
    claim: (attempt, lease, now, taken = NO_PLACES) => claim(context, attempt, lease, now, taken),
    skip: (pending, reason, blockedBy, now) =>
      leaving(pending, skip(context, pending, reason, blockedBy, now), now),
    detach: (running, expiresAt) => detach(context, running, expiresAt),
    cancel: (pending, reason, now) => leaving(pending, cancel(context, pending, reason, now), now),
    replay: (finished, dueAt, inputRevision) => replay(context, finished, dueAt, inputRevision),
    reschedule: (pending, to, now) => leaving(pending, reschedule(context, pending, to), now),
    createAhead: (ahead, head, now) => createAhead(context, ahead, head, now),
    unskip: (skipped, as) => unskip(context, skipped, as),
    revive: (held) => reviveHeld(context, held),
    pullable: (queue, now, limit) => pullable(context, queue, now, limit),
    listAttention: (query) => listAttention(context, query),
    requestCancel: (key, reason) => requestCancel(context, key, reason),
    renew: (running, expiresAt, now) => renew(context, running, expiresAt, now),
    settle: (running, settlement, now, startNext) =>
      end(running, settlement, isOwnAttempt(running), now, startNext),
    expire: (running, settlement, now) => end(running, settlement, isSeenExpired(running), now),
    redispatch: (pending, now, why) => redispatch(context, pending, now, why),
    miss: (pending, now, reason = 'start-deadline') =>
      leaving(pending, miss(context, pending, reason, now), now),
    giveUp: (pending, now) => leaving(pending, giveUp(context, pending, now), now),
    ...createCatchUpTallies(context),
  };
}
