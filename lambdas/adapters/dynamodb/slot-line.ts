import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { OccurrenceId } from '../../core/ids.ts';
import type { PendingOccurrence } from '../../core/occurrence.ts';
import { MAX_INSTANT } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import { placeholders } from './conditions.ts';
import type { Item } from './head-items.ts';
import { slotKey } from './keys.ts';
import { inLine, readNamed, type Slot } from './slot-items.ts';

/**
 * The line for a slot. An entry is an occurrence that is pending and says that it waits for this slot; any other
 * is left over from one that was cancelled, skipped, moved or missed while it waited, and whoever meets it drops
 * it. One that was dropped although it waits would only be started by the sweep, so an entry goes on the
 * condition that it is the one that was looked at.
 */
const waitsFor = (item: Item | undefined, slot: string): boolean =>
  item?.status === 'pending' && item.waiting_for === slot;

/**
 * Where one stands in a line: by its due time, and those of backfills behind all others. They share keys and group
 * limits with what must be on time, which never waits for one of them that waits, too.
 */
export function placeInLine({ kind, dueAt }: Pick<PendingOccurrence, 'kind' | 'dueAt'>): number {
  return kind === 'backfill' ? dueAt + MAX_INSTANT : dueAt;
}

/** Entries dropped in one write: its expressions stay under 4 KB. */
const MAX_DROPPED = 50;

export interface Line {
  /** Who waits, oldest due first, as far as was looked. */
  readonly waiting: readonly OccurrenceId[];
  /** Entries that nobody stands behind. */
  readonly leftOver: readonly OccurrenceId[];
}

/** The front of a line, checked against the occurrences that it names. */
export async function readLine(context: StoreContext, slot: Slot, without?: OccurrenceId): Promise<Line> {
  const front = inLine(slot).filter((id) => id !== without);
  if (front.length === 0) return { waiting: [], leftOver: [] };
  const looked = front.slice(0, MAX_LOOKED);
  const named = await readNamed(context, looked);
  const isWaiting = (id: OccurrenceId) => waitsFor(named.get(id), slot.slot);
  return { waiting: looked.filter(isWaiting), leftOver: looked.filter((id) => !isWaiting(id)) };
}

/** What one BatchGetItem reads. */
const MAX_LOOKED = 100;

/** Drops entries as they were seen. False when one of them has changed, or there are more: read again. */
export async function dropFromLine(
  context: StoreContext,
  slot: Slot,
  ids: readonly OccurrenceId[],
): Promise<boolean> {
  const dropped = ids.slice(0, MAX_DROPPED);
  if (dropped.length === 0) return true;
  const names = Object.fromEntries(dropped.map((id, index) => [`#w${index}`, id]));
  const values = Object.fromEntries(dropped.map((id, index) => [`:w${index}`, slot.waiting.get(id)]));
  const done = await updateLine(context, slot.slot, {
    write: `REMOVE ${dropped.map((_, index) => `waiting.#w${index}`).join(', ')}`,
    condition: dropped.map((_, index) => `waiting.#w${index} = :w${index}`).join(' AND '),
    names,
    values,
  });
  return done && dropped.length === ids.length;
}

/** Takes an occurrence that no longer waits out of a line, if it is still there. */
export async function leaveLine(context: StoreContext, slot: string, id: OccurrenceId, due: number) {
  await updateLine(context, slot, {
    write: 'REMOVE waiting.#id',
    condition: 'waiting.#id = :due',
    names: { '#id': id },
    values: { ':due': due },
  });
}

async function updateLine(
  context: StoreContext,
  slot: string,
  { write, condition, names, values }: { write: string; condition: string } & Parameters<typeof asText>[0],
): Promise<boolean> {
  try {
    await context.client.send(
      new UpdateCommand({
        TableName: context.occurrencesTable,
        Key: slotKey(slot),
        UpdateExpression: write,
        ConditionExpression: condition,
        ...placeholders(asText({ names, values })),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

const asText = (part: { names: Record<string, string>; values: Record<string, unknown> }) => ({
  text: '',
  ...part,
});
