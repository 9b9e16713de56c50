import { type OccurrenceId, parseOccurrenceId } from '../../core/ids.ts';
import { batchGet } from './batch-get.ts';
import type { StoreContext } from './client.ts';
import type { Item } from './head-items.ts';
import { type ItemKey, occurrenceItemKey, slotKey } from './keys.ts';

/**
 * A slot as stored: who holds it and who waits for it, by occurrence id. The value of a holder is the holder of
 * its lease, which tells this claim from a later one of the same occurrence; that of a waiting one is its due
 * time. Takes and releases touch one map entry each, so that those of different occurrences do not conflict in
 * their conditions.
 */
export interface Slot {
  readonly slot: string;
  /** False until it is first taken: its item comes with its first holder. */
  readonly exists: boolean;
  readonly holders: ReadonlyMap<OccurrenceId, string>;
  readonly waiting: ReadonlyMap<OccurrenceId, number>;
}

function slotOf(slot: string, item: Item | undefined): Slot {
  const entries = <Value>(map: unknown) =>
    new Map(Object.entries((map ?? {}) as Record<OccurrenceId, Value>));
  return {
    slot,
    exists: item !== undefined,
    holders: entries<string>(item?.holders) as Map<OccurrenceId, string>,
    waiting: entries<number>(item?.waiting) as Map<OccurrenceId, number>,
  };
}

/** The slots as they are now, in the order asked. */
export async function readSlots(context: StoreContext, slots: readonly string[]): Promise<Slot[]> {
  const items = await batchGet(context.client, context.occurrencesTable, slots.map(slotKey));
  const byKey = new Map(items.map((item) => [item.pk, item]));
  return slots.map((slot) => slotOf(slot, byKey.get(slotKey(slot).pk)));
}

/** The item of a slot that was never used, with its first holder: entries can only be set in maps that are there. */
export function newSlotItem(slot: string, id: OccurrenceId, holder: string): Item {
  return { ...slotKey(slot), holders: { [id]: holder }, waiting: {} };
}

/** Oldest due first; ids break ties, so that all agree on who is next. */
export function inLine(slot: Slot): OccurrenceId[] {
  return [...slot.waiting].sort(([a, dueA], [b, dueB]) => dueA - dueB || (a < b ? -1 : 1)).map(([id]) => id);
}

/** The items of occurrences named in a slot; what is gone is left out. */
export async function readNamed(
  context: StoreContext,
  ids: readonly OccurrenceId[],
): Promise<Map<OccurrenceId, Item>> {
  const keys = new Map<string, OccurrenceId>();
  const wanted: ItemKey[] = [];
  for (const id of ids.slice(0, 100)) {
    const parsed = parseOccurrenceId(id);
    if (!parsed) continue;
    const key = occurrenceItemKey(parsed);
    keys.set(`${key.pk} ${key.sk}`, id);
    wanted.push(key);
  }
  const found = new Map<OccurrenceId, Item>();
  for (const item of await batchGet(context.client, context.occurrencesTable, wanted)) {
    const id = keys.get(`${item.pk} ${item.sk}`);
    if (id !== undefined) found.set(id, item);
  }
  return found;
}
