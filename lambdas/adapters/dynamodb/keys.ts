import { PARTITION, SORT } from '../../contract/tables.ts';
import { type OccurrenceKey, type ScheduleId, scheduleId, splitScheduleId } from '../../core/ids.ts';
import type { Place } from '../../core/slots/store.ts';
import { type EpochMs, epochMs, toIso } from '../../core/time.ts';

/** Keys of the two tables. Text order of a sort key is time order. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export function schedulePk(id: ScheduleId): string {
  return `${PARTITION.schedule}${id}`;
}

export function scheduleIdOf(pk: string): ScheduleId {
  const { group, name } = splitScheduleId(pk.slice(PARTITION.schedule.length) as ScheduleId);
  return scheduleId(group, name);
}

export function headKey(id: ScheduleId): ItemKey {
  return { pk: schedulePk(id), sk: SORT.head };
}

export const REVISION_PREFIX = SORT.revision;

/** Padded to ten digits so that revisions sort by number. */
export function revisionKey(id: ScheduleId, revision: number): ItemKey {
  return { pk: schedulePk(id), sk: `${REVISION_PREFIX}${String(revision).padStart(10, '0')}` };
}

export function revisionNumberOf({ sk }: ItemKey): number {
  return Number(sk.slice(REVISION_PREFIX.length));
}

export function backfillKey(id: ScheduleId, backfill: string): ItemKey {
  return { pk: schedulePk(id), sk: `${SORT.backfill}${backfill}` };
}

export function isBackfillKey({ sk }: ItemKey): boolean {
  return sk.startsWith(SORT.backfill);
}

const REVIVAL_PREFIX = 'H#';

/** What a pause that began then held (lambdas/core/pause/revival.ts). */
export function revivalKey({ id, since }: { readonly id: ScheduleId; readonly since: EpochMs }): ItemKey {
  return { pk: schedulePk(id), sk: `${REVIVAL_PREFIX}${since}` };
}

export function isRevivalKey({ sk }: ItemKey): boolean {
  return sk.startsWith(REVIVAL_PREFIX);
}

/** The dead man's switch of a schedule that asks for one. */
export function watchKey(id: ScheduleId): ItemKey {
  return { pk: schedulePk(id), sk: SORT.watch };
}

export function shardKey(shard: number): ItemKey {
  return { pk: `${PARTITION.shard}${shard}`, sk: SORT.shardLease };
}

/** In the table of occurrences: which late times of the schedule run. */
export function catchUpTallyKey(id: ScheduleId): ItemKey {
  return { pk: schedulePk(id), sk: SORT.catchUpTally };
}

export const SHARD_COUNT_KEY: ItemKey = { pk: PARTITION.shards, sk: SORT.shardCount };

/** What a sweep leaves for the next one. */
export function sweepMemoryKey(name: string): ItemKey {
  return { pk: PARTITION.shards, sk: `${SORT.sweepMemory}${name}` };
}

export function idempotencyItemKey(key: string): ItemKey {
  return { pk: `${PARTITION.idempotency}${key}`, sk: SORT.idempotency };
}

export function groupKey(group: string): ItemKey {
  return { pk: `${PARTITION.group}${group}`, sk: SORT.group };
}

/** One of the items that a slot is made of. */
export function stripeKey({ slot, stripe }: Place): ItemKey {
  return { pk: `${PARTITION.slot}${slot}#${stripe}`, sk: SORT.slot };
}

/** `O#<time>#<revision>`, with `#<kind>#<token>` behind it for one that a person asked for, and for a range. */
export function occurrenceItemKey(key: OccurrenceKey): ItemKey {
  const base = `${SORT.occurrence}${toIso(key.scheduledTime)}#${key.revision}`;
  const sk = key.kind === 'scheduled' ? base : `${base}#${key.kind}#${key.token ?? ''}`;
  return { pk: schedulePk(key.schedule), sk };
}

export function occurrenceKeyOf(item: ItemKey): OccurrenceKey {
  const [, time, revision, kind, token] = item.sk.split('#');
  const base = {
    schedule: scheduleIdOf(item.pk),
    scheduledTime: epochMs(Date.parse(time ?? '')),
    revision: Number(revision),
  };
  const named = kind === 'manual' || kind === 'backfill' || kind === 'range';
  return named && token !== undefined ? { ...base, kind, token } : { ...base, kind: 'scheduled' };
}

/** Sort-key bounds of the occurrences from `from` to `to`, both inclusive. */
export function occurrenceRange(
  from?: EpochMs,
  to?: EpochMs,
): { readonly low: string; readonly high: string } {
  return {
    low: `${SORT.occurrence}${from === undefined ? '' : toIso(from)}`,
    // '~' sorts after every character of the suffix, so that all revisions and kinds at `to` are inside.
    high: `${SORT.occurrence}${to === undefined ? '~' : `${toIso(to)}~`}`,
  };
}
