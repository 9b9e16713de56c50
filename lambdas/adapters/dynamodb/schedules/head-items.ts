import { isReserved, shardOf, splitScheduleId } from '../../../core/ids.ts';
import { MAX_CATCH_UP_DAYS, type PurgeTime, purgeTime } from '../../../core/occurrence/retention.ts';
import type { PinnedCalendar } from '../../../core/schedule/calendar.ts';
import type { CatchUpPolicy, Definition } from '../../../core/schedule/definition.ts';
import type { Counted } from '../../../core/schedule/group.ts';
import type {
  MakingUp,
  PlanningPolicy,
  ScheduleHead,
  ScheduleState,
  ZoneMove,
} from '../../../core/schedule/head.ts';
import type { Pause } from '../../../core/schedule/pause.ts';
import type { Revision } from '../../../core/schedule/revision.ts';
import type { EpochMs } from '../../../core/time.ts';
import { pinOf, pinText } from '../calendars/calendar-items.ts';
import type { Item } from '../item.ts';
import { headKey, type ItemKey, revisionKey, revisionNumberOf, scheduleIdOf } from '../keys.ts';

/** A tombstone outlives every occurrence record of its schedule by a week; a skip may be a year ahead. */
const TOMBSTONE_EXTRA_DAYS = 366 + MAX_CATCH_UP_DAYS + 7;
export const IDEMPOTENCY_DAYS = 1;

/** A tombstone outlives every record of its schedule. */
export function tombstonePurgeAt(
  { policy }: Pick<ScheduleHead, 'policy'>,
  retentionDays: number,
  now: EpochMs,
): PurgeTime {
  return purgeTime([now], Math.max(retentionDays, policy.retentionDays ?? 0) + TOMBSTONE_EXTRA_DAYS);
}

/**
 * A head as stored. `shard` and `next_due_at` are there only while a tick is to come by (index `due` is
 * sparse), `group` and `name` only while it is to be listed (index `by_group`), which what is our own never is.
 */
export function headItem(head: ScheduleHead, shardCount: number, retentionDays: number): Item {
  const { group, name } = splitScheduleId(head.id);
  const due = head.nextDueAt !== null && head.state !== 'deleted';
  return {
    ...headKey(head.id),
    state: head.state,
    revision: head.revision,
    version: head.version,
    ...(head.firstRevision !== undefined && { first_revision: head.firstRevision }),
    ...timesItem(head.policy),
    ...(head.policy.startDeadline !== undefined && { start_deadline: head.policy.startDeadline }),
    catch_up: head.policy.catchUp,
    ...(head.policy.pullQueue !== undefined && { pull_queue: head.policy.pullQueue }),
    ...(head.policy.retentionDays !== undefined && { retention_days: head.policy.retentionDays }),
    ...(head.policy.deleteAfterCompletion && { delete_after_completion: true }),
    ...(head.policy.expectSuccessWithin !== undefined && {
      expect_success_within: head.policy.expectSuccessWithin,
    }),
    ...(head.policy.metrics && { metrics: true }),
    anchor: head.anchor,
    created_at: head.createdAt,
    updated_at: head.updatedAt,
    ...(head.oldestRevision !== undefined && { oldest_revision: head.oldestRevision }),
    ...(head.adoptedThrough !== undefined && { adopted_through: head.adoptedThrough }),
    ...(head.counted && head.state !== 'deleted' && { counted: head.counted }),
    ...(head.pause && { pause: head.pause }),
    ...(head.makingUp && { making_up: head.makingUp }),
    ...(head.remainingRuns !== undefined && { remaining_runs: head.remainingRuns }),
    ...(head.lastRunAt !== undefined && { last_run_at: head.lastRunAt }),
    ...(head.zoneData !== undefined && { zone_data: head.zoneData }),
    ...(head.zoneMove && { zone_move: head.zoneMove }),
    ...(due && { next_due_at: head.nextDueAt, shard: shardOf(head.id, shardCount) }),
    ...(!isReserved(head.id) &&
      (head.state === 'deleted'
        ? { purge_at: tombstonePurgeAt(head, retentionDays, head.updatedAt) }
        : { group, name })),
  };
}

/**
 * Bytes of the parts without a bound (texts, exclusions, calendars) that a head holds itself. Beyond it they are read
 * from the revision, which never changes: the head stays under 1 KB, and every advance pays for its size.
 */
const MAX_TIMES_BYTES = 256;

function timesItem({ expression, timezone, dst, exclude, calendars, ...policy }: PlanningPolicy): Item {
  const pins = calendars?.map(pinText);
  const unbounded = { expression, ...(exclude && { exclude }), ...(pins && { calendars: pins }) };
  const isLong = Buffer.byteLength(JSON.stringify(Object.values(unbounded))) > MAX_TIMES_BYTES;
  return {
    ...(isLong ? { spec_in_revision: true } : unbounded),
    timezone,
    ...(dst && { dst }),
    ...(policy.dayRule !== undefined && { day_rule: policy.dayRule }),
    ...(policy.onExcluded !== undefined && { on_excluded: policy.onExcluded }),
    ...(policy.startAt !== undefined && { start_at: policy.startAt }),
    ...(policy.endAt !== undefined && { end_at: policy.endAt }),
    ...(policy.window !== undefined && { window: policy.window }),
  };
}

/** Whether a head says only that its revision has its planning policy. */
export function isSpecInRevision(head: Item): boolean {
  return head.spec_in_revision === true;
}

/** The calendars that a head or a revision was made with, as `name#version`. */
export function pinsIn(item: Item): readonly string[] {
  return (item.calendars as string[] | undefined) ?? [];
}

type Calendars = ReadonlyMap<string, PinnedCalendar>;

function pinned(item: Item, calendars: Calendars): { readonly calendars?: readonly PinnedCalendar[] } {
  const pins = pinsIn(item);
  if (pins.length === 0) return {};
  return { calendars: pins.map((pin) => calendars.get(pin) ?? { ...pinOf(pin), definition: undefined }) };
}

/** `whole` is the policy of a head that says only where it is. */
export function headOf(item: Item, calendars: Calendars = new Map(), whole?: PlanningPolicy): ScheduleHead {
  return {
    id: scheduleIdOf(item.pk as string),
    state: item.state as ScheduleState,
    revision: item.revision as number,
    version: item.version as number,
    ...(item.first_revision !== undefined && { firstRevision: item.first_revision as number }),
    policy: whole ?? {
      // Of a head that says only where they are, and whose revision is gone: no expression can be read.
      expression: (item.expression as Definition['expression'] | undefined) ?? '',
      timezone: item.timezone as string,
      ...(item.dst !== undefined && { dst: item.dst as NonNullable<Definition['dst']> }),
      ...(item.day_rule !== undefined && { dayRule: item.day_rule as NonNullable<Definition['dayRule']> }),
      ...(item.exclude !== undefined && { exclude: item.exclude as string[] }),
      ...pinned(item, calendars),
      ...(item.on_excluded !== undefined && {
        onExcluded: item.on_excluded as NonNullable<Definition['onExcluded']>,
      }),
      ...(item.start_at !== undefined && { startAt: item.start_at as string }),
      ...(item.end_at !== undefined && { endAt: item.end_at as string }),
      ...(item.window !== undefined && { window: item.window as string }),
      ...(item.start_deadline !== undefined && { startDeadline: item.start_deadline as string }),
      catchUp: item.catch_up as CatchUpPolicy,
      ...(item.pull_queue !== undefined && { pullQueue: item.pull_queue as string }),
      ...(item.retention_days !== undefined && { retentionDays: item.retention_days as number }),
      ...(item.delete_after_completion !== undefined && { deleteAfterCompletion: true }),
      ...(item.expect_success_within !== undefined && {
        expectSuccessWithin: item.expect_success_within as string,
      }),
      ...(item.metrics !== undefined && { metrics: true }),
    },
    anchor: item.anchor as EpochMs,
    nextDueAt: (item.next_due_at as EpochMs | undefined) ?? null,
    createdAt: item.created_at as EpochMs,
    updatedAt: item.updated_at as EpochMs,
    ...(item.oldest_revision !== undefined && { oldestRevision: item.oldest_revision as number }),
    ...(item.adopted_through !== undefined && { adoptedThrough: item.adopted_through as EpochMs }),
    ...(item.counted !== undefined && { counted: item.counted as Counted }),
    ...(item.pause !== undefined && { pause: item.pause as Pause }),
    ...(item.making_up !== undefined && { makingUp: item.making_up as MakingUp }),
    ...(item.remaining_runs !== undefined && { remainingRuns: item.remaining_runs as number }),
    ...(item.last_run_at !== undefined && { lastRunAt: item.last_run_at as EpochMs }),
    ...(item.zone_data !== undefined && { zoneData: item.zone_data as string }),
    ...(item.zone_move !== undefined && { zoneMove: item.zone_move as ZoneMove }),
  };
}

export function revisionItem(revision: Revision): Item {
  return {
    ...revisionKey(revision.schedule, revision.revision),
    // Text, so that any JSON comes back as it went in: a DynamoDB number has 38 digits and a map 32 levels.
    definition: JSON.stringify(revision.definition),
    ...(revision.calendars && { calendars: revision.calendars.map(pinText) }),
    created_at: revision.createdAt,
    created_by: revision.createdBy,
    ...(revision.keySince !== undefined && { key_since: revision.keySince }),
  };
}

export function revisionOf(item: Item, calendars: Calendars = new Map()): Revision {
  return {
    schedule: scheduleIdOf(item.pk as string),
    revision: revisionNumberOf(item as unknown as ItemKey),
    definition: JSON.parse(item.definition as string) as Definition,
    ...pinned(item, calendars),
    createdAt: item.created_at as EpochMs,
    createdBy: item.created_by as string,
    ...(item.key_since !== undefined && { keySince: item.key_since as EpochMs }),
  };
}
