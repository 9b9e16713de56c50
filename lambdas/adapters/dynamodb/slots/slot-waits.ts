import { fairGroup, occurrenceId, type Places } from '../../../core/ids.ts';
import type { Dispatch } from '../../../core/occurrence/dispatch.ts';
import type { PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { Place, Waiting, WakeOptions } from '../../../core/slots/store.ts';
import type { EpochMs } from '../../../core/time.ts';
import { pullBucketOf } from '../attention/attention-buckets.ts';
import type { StoreContext } from '../client.ts';
import { and, dispatchSeqIs, expression, isPending } from '../conditions.ts';
import { occurrenceItemKey } from '../keys.ts';
import { occurrenceOf } from '../occurrences/occurrence-items.ts';
import { updateItem } from '../update-item.ts';
import { waitingKey, waitingShard } from './waiting-keys.ts';

/** Moves of an occurrence into the line for a slot and out of it. Each counts its sequence up. */

/** Out of sight of outside workers while it waits: what is ready is not to stand behind it. */
export async function park(
  context: StoreContext,
  pending: PendingOccurrence,
  slot: string,
  holds: Places,
): Promise<PendingOccurrence | undefined> {
  const seq = pending.dispatchSeq + 1;
  const kept = Object.fromEntries(Object.keys(holds).map((name) => [name, pending.dispatchSeq]));
  const write = expression(
    'SET dispatch_seq = :next_seq, waiting_for = :slot, waiting_shard = :shard, waiting_key = :key, ' +
      'places = :places, kept = :kept, arrived = :yes ADD waits :one REMOVE attention_day, attention_at',
    [],
    {
      ':next_seq': seq,
      ':slot': slot,
      ':shard': waitingShard(slot),
      ':key': waitingKey(slot, pending, seq),
      ':places': holds,
      ':kept': kept,
      ':one': 1,
      ':yes': true,
    },
  );
  const condition = and(isPending, dispatchSeqIs(pending.dispatchSeq));
  const { item } = await updateItem(context, occurrenceItemKey(pending), write, condition);
  const found = item && occurrenceOf(item);
  // Refused, and yet parked under the next sequence: the answer was lost, or a copy of the message did it.
  return found?.status === 'pending' && found.dispatchSeq === seq && found.waitingFor === slot
    ? found
    : undefined;
}

export async function wake(
  context: StoreContext,
  waiting: Waiting,
  { slot, stripe }: Place,
  now: EpochMs,
  { startsIt = false }: WakeOptions = {},
): Promise<Dispatch | undefined> {
  const { dispatchSeq, pullQueue } = waiting;
  const isStarted = startsIt && pullQueue === undefined;
  const write = expression(
    'SET dispatch_seq = :next_seq, places.#slot = :stripe, redispatched_at = :now, redispatches = :zero' +
      `${isStarted ? ', direct_seq = :next_seq' : ''}` +
      `${pullQueue ? ', attention_day = :pull, attention_at = due_at' : ''} ` +
      'REMOVE waiting_for, waiting_shard, waiting_key',
    [],
    {
      ':next_seq': dispatchSeq + 1,
      ':stripe': stripe,
      ':now': now,
      ':zero': 0,
      ...(pullQueue && { ':pull': pullBucketOf(waiting, pullQueue) }),
    },
  );
  const condition = and(
    isPending,
    dispatchSeqIs(dispatchSeq),
    expression('waiting_for = :slot', [], { ':slot': slot }),
  );
  const named = { ...write, names: { ...write.names, '#slot': slot } };
  const woken = await updateItem(context, occurrenceItemKey(waiting), named, condition);
  if (woken.kind !== 'written') return undefined;
  const { dueAt, places } = occurrenceOf(woken.item);
  return { id: occurrenceId(waiting), seq: dispatchSeq + 1, dueAt, places, group: fairGroup(waiting) };
}

/** What was promised to it in this slot is void; it is handed over again. */
export async function fence(
  context: StoreContext,
  pending: PendingOccurrence,
  slot: string,
  now: EpochMs,
): Promise<boolean> {
  const { [slot]: _, ...places } = pending.places;
  const write = expression(
    'SET dispatch_seq = :next_seq, redispatched_at = :now, redispatches = :zero, places = :places',
    [],
    { ':next_seq': pending.dispatchSeq + 1, ':now': now, ':zero': 0, ':places': places },
  );
  const condition = and(
    isPending,
    dispatchSeqIs(pending.dispatchSeq),
    expression('attribute_not_exists(waiting_for)'),
  );
  return (await updateItem(context, occurrenceItemKey(pending), write, condition)).kind === 'written';
}
