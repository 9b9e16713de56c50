import { WAITING_SHARDS } from '../../../contract/tables.ts';
import { hash48 } from '../../../core/hash.ts';
import type { PendingOccurrence } from '../../../core/occurrence/occurrence.ts';
import type { Waiting } from '../../../core/slots/store.ts';
import { type ItemKey, occurrenceKeyOf } from '../keys.ts';

/**
 * Sort keys of the `waiting` index: the slot, then the order in its line. Those of backfills stand behind all others,
 * since they share keys and group limits with what must be on time; then it goes by when a run was first due.
 */
const DIGITS = 15;
const padded = (at: number) => String(at).padStart(DIGITS, '0');

export const waitingShard = (slot: string): number => hash48(slot) % WAITING_SHARDS;

/** With what a wake-up has to know, since the index holds keys only. */
export function waitingKey(slot: string, pending: PendingOccurrence, seq: number): string {
  const { kind, firstDueAt, scheduledTime, pullQueue } = pending;
  const order = [kind === 'backfill' ? 1 : 0, padded(firstDueAt), padded(scheduledTime)];
  return [slot, ...order, seq, pullQueue ?? ''].join('#');
}

/** No name of a slot has the sign that ends it, so these are the bounds of its line. */
export const lineStart = (slot: string): string => `${slot}#`;
/** Beyond all who wait for it. */
export const lineEnd = (slot: string): string => `${slot}#~`;

export const slotOf = (key: string): string => key.slice(0, key.indexOf('#'));

export function waitingOf(item: Readonly<Record<string, unknown>>): Waiting {
  const [seq, pullQueue] = (item.waiting_key as string).split('#').slice(-2);
  const waiting = { ...occurrenceKeyOf(item as unknown as ItemKey), dispatchSeq: Number(seq) };
  return pullQueue ? { ...waiting, pullQueue } : waiting;
}
