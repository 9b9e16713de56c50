import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { type Backfill, backfillSlot } from '../../../lambdas/core/backfill/backfill.ts';
import { backfillNeeds } from '../../../lambdas/core/backfill/slot-needs.ts';
import { parseOccurrenceId, splitScheduleId } from '../../../lambdas/core/ids.ts';
import { isTerminal, type OccurrenceStatus } from '../../../lambdas/core/occurrence/occurrence.ts';
import type { Definition, OverlapPolicy } from '../../../lambdas/core/schedule/definition.ts';
import { groupSlot, type SlotNeed, slotNeeds } from '../../../lambdas/core/slots/needs.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import type { Item, Observer } from '../world/observer.ts';

/** All that the harness knows of how slots are stored; whatever else it says of them it takes from occurrences. */

/** The slots that an occurrence needs, by its definition and what was chosen with a trigger. */
export function needsOf(
  item: Item,
  definition: Definition,
  groupLimit: number | undefined,
  backfills: readonly Backfill[],
): SlotNeed[] {
  const limit = groupLimit === undefined ? undefined : { limit: groupLimit, since: epochMs(0) };
  const { kind, schedule, token } = occurrenceKeyOf(item as never);
  if (kind === 'backfill') {
    const own = backfills.find(({ id }) => id === token);
    return backfillNeeds(schedule, terms(definition), limit, own);
  }
  const overlap = (item.overlap as OverlapPolicy | undefined) ?? definition.overlap;
  return slotNeeds(schedule, terms({ ...definition, overlap }), limit);
}

const terms = (definition: Definition) => ({ definition, createdAt: epochMs(0) });

/** Every slot that a schedule's occurrences may have taken. */
export function slotsOf(
  id: Parameters<typeof slotNeeds>[0],
  definitions: readonly Definition[],
  backfills: readonly Backfill[],
): Set<string> {
  const own = definitions.flatMap((definition) =>
    slotNeeds(id, terms({ ...definition, overlap: 'skip' }), undefined),
  );
  const shared = [groupSlot(splitScheduleId(id).group), ...backfills.map(backfillSlot)];
  return new Set([...own.map(({ slot }) => slot), ...shared]);
}

/** Whoever a slot says that it is held by, but for what has ended: what a process that died left there goes when somebody comes. */
export async function holdersOf(observer: Observer, slot: string): Promise<string[]> {
  const holders: string[] = [];
  for (const id of Object.keys(await observer.slot(slot))) {
    const key = parseOccurrenceId(id);
    const found = key && (await observer.occurrence(key));
    if (found && !isTerminal(found.status as OccurrenceStatus)) holders.push(id);
  }
  return holders;
}

/** The slot that an occurrence waits for, by its own record. */
export function waitsFor({ waiting_for: slot }: Item): string | undefined {
  return slot as string | undefined;
}

/** The places that it keeps while it waits: for its next attempt, or for another slot. */
export function keptSlots({ kept }: Item): string[] {
  return Object.keys((kept ?? {}) as object);
}
