import { type ScheduleId, splitScheduleId } from '../ids.ts';
import { type Concurrency, type Definition, isOneShot, type OverlapPolicy } from '../schedule/definition.ts';
import type { GroupState } from '../schedule/group.ts';
import { type EpochMs, epochMs } from '../time.ts';

/**
 * Overlap policies, shared concurrency keys, group limits and backfills are one mechanism: named slots with a limit. An
 * attempt takes a place in every slot that it needs, one after the other in their order, and then claims its occurrence;
 * whoever ends it gives them back (lambdas/core/slots).
 */
export interface SlotNeed {
  /** Unique in the deployment: `schedule:g/n`, `key:database`, `group:billing`. */
  readonly slot: string;
  /** How many occurrences may hold it at once. */
  readonly limit: number;
  /** When that was decided: of several limits for one slot the latest is in force. */
  readonly since: EpochMs;
  /** Held until the occurrence has ended, over retries: what comes after it does not start in between. */
  readonly kept?: boolean;
  /** Nobody has used it before, as far as can be told. */
  readonly isNew?: boolean;
}

export interface GroupLimit {
  readonly limit: number;
  readonly since: EpochMs;
}

/** Undefined when there is none: then nobody takes a place. */
export function limitOf(group: Pick<GroupState, 'settings'> | undefined): GroupLimit | undefined {
  const { concurrencyLimit: limit, limitSince = epochMs(0) } = group?.settings ?? {};
  return limit === undefined ? undefined : { limit, since: limitSince };
}

const OWN = 'schedule:';

export const ownSlot = (schedule: ScheduleId): string => `${OWN}${schedule}`;
export const isOwnSlot = (slot: string): boolean => slot.startsWith(OWN);
export const keySlot = (key: string): string => `key:${key}`;
export const groupSlot = (group: string): string => `group:${group}`;

/** What slots a definition asks for; of its revision, which is as old as its limits are. */
export interface SlotTerms {
  readonly definition: Pick<Definition, 'expression' | 'overlap' | 'concurrency'>;
  readonly createdAt: EpochMs;
  readonly keySince?: EpochMs;
}

/** Of the limit that a definition gives its shared key. */
export const keyTerms = (
  { key, limit }: Concurrency,
  { createdAt, keySince = createdAt }: Pick<SlotTerms, 'createdAt' | 'keySince'>,
) => ({ slot: keySlot(key), limit, since: keySince });

/**
 * The slots that an occurrence needs, in the order in which they are taken. Nobody waits for an earlier one with a later in
 * hand, and all that share slots take them in the same order.
 */
export function slotNeeds(
  schedule: ScheduleId,
  terms: SlotTerms,
  groupLimit: GroupLimit | undefined,
): SlotNeed[] {
  const { definition } = terms;
  const { overlap, concurrency } = definition;
  const shared = [
    ...(concurrency ? [keyTerms(concurrency, terms)] : []),
    ...(groupLimit ? [{ slot: groupSlot(splitScheduleId(schedule).group), ...groupLimit }] : []),
  ];
  if (overlap === 'allow') return shared;
  const own = { slot: ownSlot(schedule), limit: 1, since: epochMs(0), kept: true };
  // That of a one-shot is new when it comes due, unless somebody has triggered it. Last, so that a flood of them that
  // waits for a shared slot does not make and give back so many.
  return isOneShot(definition) ? [...shared, { ...own, isNew: true }] : [own, ...shared];
}

/**
 * Whether an occurrence keeps its schedule's own slot while it waits for a slot that it shares with others. With `skip`
 * it does not: a run that comes due meanwhile would be lost because of somebody else's schedule.
 */
export function keepsOwnWhileWaiting(overlap: OverlapPolicy): boolean {
  return overlap !== 'skip';
}
