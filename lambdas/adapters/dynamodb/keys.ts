import { type OccurrenceKey, type ScheduleId, scheduleId, splitScheduleId } from '../../core/ids.ts';
import type { Place } from '../../core/slots/store.ts';
import { type EpochMs, epochMs, toIso } from '../../core/time.ts';

/** Keys of the two tables. Text order of a sort key is time order. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

const SCHEDULE_PREFIX = 'S#';
const OCCURRENCE_PREFIX = 'O#';

export function schedulePk(id: ScheduleId): string {
  return `${SCHEDULE_PREFIX}${id}`;
}

export function scheduleIdOf(pk: string): ScheduleId {
  const { group, name } = splitScheduleId(pk.slice(SCHEDULE_PREFIX.length) as ScheduleId);
  return scheduleId(group, name);
}

export function headKey(id: ScheduleId): ItemKey {
  return { pk: schedulePk(id), sk: 'HEAD' };
}

export const REVISION_PREFIX = 'R#';

/** Padded to ten digits so that revisions sort by number. */
export function revisionKey(id: ScheduleId, revision: number): ItemKey {
  return { pk: schedulePk(id), sk: `${REVISION_PREFIX}${String(revision).padStart(10, '0')}` };
}

export function revisionNumberOf({ sk }: ItemKey): number {
  return Number(sk.slice(REVISION_PREFIX.length));
}

const BACKFILL_PREFIX = 'B#';

export function backfillKey(id: ScheduleId, backfill: string): ItemKey {
  return { pk: schedulePk(id), sk: `${BACKFILL_PREFIX}${backfill}` };
}

export function isBackfillKey({ sk }: ItemKey): boolean {
  return sk.startsWith(BACKFILL_PREFIX);
}

/** The dead man's switch of a schedule that asks for one. */
export function watchKey(id: ScheduleId): ItemKey {
  return { pk: schedulePk(id), sk: 'WATCH' };
}

export function shardKey(shard: number): ItemKey {
  return { pk: `SHARD#${shard}`, sk: 'LEASE' };
}

/** In the table of occurrences: which late times of the schedule run. */
export function catchUpTallyKey(id: ScheduleId): ItemKey {
  return { pk: schedulePk(id), sk: 'CATCH-UP' };
}

export const SHARD_COUNT_KEY: ItemKey = { pk: 'SHARDS', sk: 'COUNT' };

/** What a sweep leaves for the next one. */
export function sweepMemoryKey(name: string): ItemKey {
  return { pk: 'SHARDS', sk: `SWEEP#${name}` };
}

export function idempotencyItemKey(key: string): ItemKey {
  return { pk: `I#${key}`, sk: 'IDEMPOTENCY' };
}

export function groupKey(group: string): ItemKey {
  return { pk: `G#${group}`, sk: 'GROUP' };
}

/** One of the items that a slot is made of. */
export function stripeKey({ slot, stripe }: Place): ItemKey {
  return { pk: `C#${slot}#${stripe}`, sk: 'SLOT' };
}

/** `O#<time>#<revision>`, with `#<kind>#<token>` behind it for one that a person asked for, and for a range. */
export function occurrenceItemKey(key: OccurrenceKey): ItemKey {
  const base = `${OCCURRENCE_PREFIX}${toIso(key.scheduledTime)}#${key.revision}`;
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
    low: `${OCCURRENCE_PREFIX}${from === undefined ? '' : toIso(from)}`,
    // '~' sorts after every character of the suffix, so that all revisions and kinds at `to` are inside.
    high: `${OCCURRENCE_PREFIX}${to === undefined ? '~' : `${toIso(to)}~`}`,
  };
}
