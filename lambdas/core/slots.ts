import { type Backfill, backfillSlot } from './backfill/backfill.ts';
import { type ScheduleId, splitScheduleId } from './ids.ts';
import { type Definition, isOneShot } from './schedule.ts';

/**
 * Overlap policies, shared concurrency keys and group limits are one mechanism: named slots with a limit. An
 * occurrence takes every slot that it needs in the transaction that claims it, and gives them back in the one
 * that settles it.
 */
export interface SlotNeed {
  /** Unique in the deployment: `schedule:g/n`, `key:database`, `group:billing`. */
  readonly slot: string;
  /** How many occurrences may hold it at once. */
  readonly limit: number;
}

/** What happens to an occurrence that comes due while another of its schedule runs. */
export type OverlapPolicy = 'allow' | 'skip' | 'buffer-one' | 'buffer-all' | 'cancel-other';

export const OVERLAP_POLICIES = [
  'allow',
  'skip',
  'buffer-one',
  'buffer-all',
  'cancel-other',
] as const satisfies readonly OverlapPolicy[];

/** A limit that several schedules share by naming the same key. */
export interface Concurrency {
  readonly key: string;
  readonly limit: number;
}

/** Most occurrences that wait for one slot; a longer queue would outgrow the slot's item. */
export const MAX_WAITING = 1_000;

const OWN = 'schedule:';

/**
 * The slots that an occurrence needs, its schedule's own first. `at(...)` comes due once and so has nothing to
 * overlap with: most one-shots are spared the cost of a slot, and a burst of them the time.
 */
export function slotNeeds(
  schedule: ScheduleId,
  definition: Pick<Definition, 'expression' | 'overlap' | 'concurrency'>,
  groupLimit: number | undefined,
): SlotNeed[] {
  const { overlap, concurrency } = definition;
  return [
    ...(overlap === 'allow' || isOneShot(definition) ? [] : [{ slot: `${OWN}${schedule}`, limit: 1 }]),
    ...(concurrency ? [{ slot: `key:${concurrency.key}`, limit: concurrency.limit }] : []),
    ...(groupLimit === undefined
      ? []
      : [{ slot: groupSlot(splitScheduleId(schedule).group), limit: groupLimit }]),
  ];
}

/**
 * The slots of a backfill's occurrence. Not its schedule's own: a run that is on time would be skipped, or wait, for
 * one that makes up for the past. What it shares with others, a key or its group, it does not exceed.
 */
export function backfillNeeds(
  schedule: ScheduleId,
  definition: Pick<Definition, 'expression' | 'concurrency'>,
  groupLimit: number | undefined,
  backfill: Pick<Backfill, 'id' | 'maxConcurrent'> | undefined,
): SlotNeed[] {
  return [
    ...(backfill ? [{ slot: backfillSlot(backfill), limit: backfill.maxConcurrent }] : []),
    ...slotNeeds(schedule, { ...definition, overlap: 'allow' }, groupLimit),
  ];
}

export function groupSlot(group: string): string {
  return `group:${group}`;
}

export type BlockedDecision =
  | { readonly kind: 'skip' }
  | {
      readonly kind: 'wait';
      /** At most this many wait. */
      readonly capacity: number;
      /** Whether what holds the slot is asked to stop, and what waited before gives up its place. */
      readonly cancelHolder: boolean;
    };

/**
 * What an occurrence does that found a slot full. The overlap policy is about its own schedule; a shared key or
 * a group limit is a throttle, and what meets one waits: to lose a run because of somebody else's schedule is
 * never what was meant.
 */
export function decideBlocked(need: SlotNeed, overlap: OverlapPolicy): BlockedDecision {
  const inLine = { kind: 'wait', capacity: MAX_WAITING, cancelHolder: false } as const;
  if (!need.slot.startsWith(OWN)) return inLine;
  switch (overlap) {
    case 'allow':
    case 'buffer-all':
      return inLine;
    case 'skip':
      return { kind: 'skip' };
    case 'buffer-one':
      return { kind: 'wait', capacity: 1, cancelHolder: false };
    case 'cancel-other':
      return { kind: 'wait', capacity: 1, cancelHolder: true };
  }
}
