import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ChangeCharge } from '../../../core/ports/schedule-store.ts';
import type { GroupSettings, GroupState } from '../../../core/schedule/group.ts';
import {
  type Counted,
  type GroupCharge,
  type GroupCount,
  type GroupQuotas,
  minuteOf,
  startedIn,
} from '../../../core/schedule/group.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import type { EpochMs } from '../../../core/time.ts';
import { getItem } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import {
  and,
  conditioned,
  type Expression,
  expression,
  isLiveSchedule,
  placeholders,
} from '../conditions.ts';
import type { Item } from '../item.ts';
import { groupKey, headKey } from '../keys.ts';
import { transact, type WriteAction } from '../transact.ts';

type Tables = Pick<StoreContext, 'client' | 'schedulesTable'>;

/** Attributes of the settings, and of what is counted. */
const SETTINGS = {
  concurrencyLimit: 'concurrency_limit',
  maxSchedules: 'max_schedules',
  maxFiresPerMinute: 'max_fires_per_minute',
  maxInputBytes: 'max_input_bytes',
} as const satisfies Record<keyof GroupSettings, string>;
const COUNTS = ['use_schedules', 'use_fires', 'use_bytes', 'started_minute', 'started_fires'] as const;

export async function readGroup(
  { client, schedulesTable }: Tables,
  group: string,
): Promise<GroupState | undefined> {
  const item = await getItem(client, schedulesTable, groupKey(group));
  if (!item) return undefined;
  const known = Object.entries(SETTINGS).filter(([, name]) => typeof item[name] === 'number');
  const given = Object.fromEntries(known.map(([key, name]) => [key, item[name]])) as GroupSettings;
  // Counted, and not told by a clock: of two changes in one moment, or by clocks that are apart, the later one holds.
  const settings = { ...given, limitSince: item.version as EpochMs };
  return { settings, count: item.epoch === undefined ? undefined : countOf(item) };
}

function countOf(item: Item): GroupCount {
  return {
    epoch: item.epoch as EpochMs,
    version: item.version as number,
    schedules: item.use_schedules as number,
    fires: item.use_fires as number,
    bytes: item.use_bytes as number,
    started: {
      minute: (item.started_minute as number | undefined) ?? 0,
      fires: (item.started_fires as number | undefined) ?? 0,
    },
  };
}

const hasQuota = ({ concurrencyLimit: _, ...quotas }: GroupSettings) => Object.keys(quotas).length > 0;

/**
 * Replaces the settings. The count begins with the first quota, at nothing and under an epoch of its own, and ends
 * with the last: what heads say of an earlier epoch means nothing then.
 */
export async function writeGroup(
  { client, schedulesTable }: Tables,
  group: string,
  settings: GroupSettings,
  now: EpochMs,
): Promise<void> {
  const names = Object.entries(SETTINGS) as [keyof GroupSettings, string][];
  const set = names.filter(([key]) => settings[key] !== undefined);
  const gone = names.filter(([key]) => settings[key] === undefined).map(([, name]) => name);
  const counts = hasQuota(settings);
  const begins = ['epoch', 'use_schedules', 'use_fires', 'use_bytes'];
  const sets = [
    ...set.map(([, name]) => `#${name} = :${name}`),
    ...(counts ? begins.map((name) => `#${name} = if_not_exists(#${name}, :${name})`) : []),
  ];
  const removes = counts ? gone : [...gone, 'epoch', ...COUNTS];
  const update = expression(
    `ADD #version :one${sets.length > 0 ? ` SET ${sets.join(', ')}` : ''}` +
      `${removes.length > 0 ? ` REMOVE ${removes.map((name) => `#${name}`).join(', ')}` : ''}`,
    ['version', ...set.map(([, name]) => name), ...(counts ? begins : []), ...removes],
    {
      ':one': 1,
      ...Object.fromEntries(set.map(([key, name]) => [`:${name}`, settings[key]])),
      ...(counts && { ':epoch': now, ':use_schedules': 0, ':use_fires': 0, ':use_bytes': 0 }),
    },
  );
  await client.send(
    new UpdateCommand({
      TableName: schedulesTable,
      Key: groupKey(group),
      UpdateExpression: update.text,
      ...placeholders(update),
    }),
  );
}

const isCountedSince = (epoch: EpochMs): Expression => expression('epoch = :epoch', [], { ':epoch': epoch });
const isAtVersion = (version: number): Expression =>
  expression('#version = :seen_version', ['version'], { ':seen_version': version });

/** The quotas that a charge was checked against, as conditions on what is counted when it is written. */
function hasRoom(quotas: GroupQuotas, charge: GroupCharge, started: number): Expression[] {
  const dimensions = [
    ['use_schedules', quotas.maxSchedules, charge.schedules, charge.grows.schedules],
    ['use_fires', quotas.maxFiresPerMinute, charge.fires + started, charge.grows.fires],
    ['use_bytes', quotas.maxInputBytes, charge.bytes, charge.grows.bytes],
  ] as const;
  return dimensions.flatMap(([name, limit, wanted, grows]) =>
    limit === undefined || !grows
      ? []
      : [expression(`${name} <= :most_${name}`, [], { [`:most_${name}`]: limit - wanted })],
  );
}

/** People have started no more in this minute than was seen. */
function isStarted(count: Pick<GroupCount, 'started'>, now: EpochMs): Expression {
  return expression(
    'attribute_not_exists(started_minute) OR started_minute < :minute OR started_fires <= :seen_started',
    [],
    { ':minute': minuteOf(now), ':seen_started': startedIn(count, now) },
  );
}

/** What a change adds to its group, on the condition that it is counted as it was and has room. */
export function chargeAction(
  { schedulesTable }: Tables,
  group: string,
  { charge, quotas, count }: ChangeCharge,
  now: EpochMs,
): WriteAction {
  const condition = and(
    isCountedSince(count.epoch),
    isAtVersion(count.version),
    ...hasRoom(quotas, charge, startedIn(count, now)),
    ...(charge.grows.fires ? [isStarted(count, now)] : []),
  );
  return { Update: addition(schedulesTable, group, charge, condition) };
}

function addition(
  TableName: string,
  group: string,
  { schedules, fires, bytes }: Pick<GroupCharge, 'schedules' | 'fires' | 'bytes'>,
  condition: Expression,
) {
  const update = expression('ADD use_schedules :schedules, use_fires :fires, use_bytes :bytes', [], {
    ':schedules': schedules,
    ':fires': fires,
    ':bytes': bytes,
  });
  return {
    TableName,
    Key: groupKey(group),
    UpdateExpression: update.text,
    ConditionExpression: condition.text,
    ...placeholders(update, condition),
  };
}

/** Gives back what the head of a schedule that is gone says was counted for it. */
export function refundAction({ schedulesTable }: Tables, group: string, counted: Counted): WriteAction {
  const back = { schedules: -1, fires: -counted.fires, bytes: -counted.bytes };
  return { Update: addition(schedulesTable, group, back, isCountedSince(counted.epoch)) };
}

/**
 * Counts schedules that are not counted yet: their heads and the sum in one transaction. Answers whether it was
 * written; otherwise one of them has changed meanwhile, or the group.
 */
export async function adoptSchedules(
  { client, schedulesTable: TableName }: Tables,
  group: string,
  epoch: EpochMs,
  adopted: readonly { readonly head: ScheduleHead; readonly counted: Counted }[],
): Promise<boolean> {
  const heads = adopted.map(({ head, counted }): WriteAction => {
    const update = expression('SET counted = :counted', [], { ':counted': counted });
    const condition = and(
      isLiveSchedule,
      expression('#version = :seen_version', ['version'], { ':seen_version': head.version }),
      expression('attribute_not_exists(counted) OR counted.epoch <> :epoch', [], { ':epoch': epoch }),
    );
    return {
      Update: {
        TableName,
        Key: headKey(head.id),
        UpdateExpression: update.text,
        ConditionExpression: condition.text,
        ...placeholders(update, condition),
      },
    };
  });
  const sum = {
    schedules: adopted.length,
    fires: adopted.reduce((total, { counted }) => total + counted.fires, 0),
    bytes: adopted.reduce((total, { counted }) => total + counted.bytes, 0),
  };
  const into: WriteAction = { Update: addition(TableName, group, sum, isCountedSince(epoch)) };
  return (await transact(client, [into, ...heads])).kind === 'committed';
}

/** Takes places in the minute of `now`; false when the count or the settings are no longer as they were seen. */
export async function takeStarts(
  { client, schedulesTable }: Tables,
  group: string,
  taken: { readonly count: GroupCount; readonly limit: number; readonly fires: number },
  now: EpochMs,
): Promise<boolean> {
  const { count, limit, fires } = taken;
  const minute = Math.max(minuteOf(now), count.started.minute);
  const isSame = count.started.minute === minute;
  const update = expression(
    isSame ? 'ADD started_fires :fires' : 'SET started_minute = :minute, started_fires = :fires',
    [],
    { ':fires': fires, ...(!isSame && { ':minute': minute }) },
  );
  const seen = count.started.minute === 0 ? 'attribute_not_exists(started_minute)' : 'started_minute = :seen';
  const condition = and(
    isAtVersion(count.version),
    // Declared fires may have become fewer, not more.
    expression('use_fires <= :use_fires', [], { ':use_fires': count.fires }),
    expression(seen, [], count.started.minute === 0 ? {} : { ':seen': count.started.minute }),
    ...(isSame ? [expression('started_fires <= :most', [], { ':most': limit - count.fires - fires })] : []),
  );
  try {
    await client.send(
      new UpdateCommand({
        TableName: schedulesTable,
        Key: groupKey(group),
        UpdateExpression: update.text,
        ...conditioned(condition),
        ...placeholders(update, condition),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
