import { LAST_SUCCESS_ATTRIBUTE, TTL_ATTRIBUTE } from '../../../contract/tables.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { WatchSetting } from '../../../core/ports/schedule-store.ts';
import type { Watch } from '../../../core/schedule/watch.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import { expression, placeholders } from '../conditions.ts';
import type { Item } from '../item.ts';
import { scheduleIdOf, watchKey } from '../keys.ts';
import type { WriteAction } from '../transact.ts';

/**
 * The partition of the index `due` that belongs to watches. Those of schedules count from 0 up, however many there
 * are: the tick never meets a watch, and the sweep nothing else. One is enough: it takes 1,000 writes a second, and a
 * watch is moved in it by changes of its schedule and otherwise once in the time that it allows.
 */
export const WATCH_SHARD = -1;

/**
 * Sets a watch, in the transaction of a change. `last_success_at` is left alone, and is written by nobody but those
 * who see a success: neither makes the other wait or forget.
 */
export function watchAction(
  { schedulesTable }: Pick<StoreContext, 'schedulesTable'>,
  id: ScheduleId,
  { lookAt, fresh }: WatchSetting,
): WriteAction {
  const update = expression(
    `SET #shard = :shard, next_due_at = :look_at REMOVE ${TTL_ATTRIBUTE}${fresh ? `, ${LAST_SUCCESS_ATTRIBUTE}` : ''}`,
    ['shard'],
    { ':shard': WATCH_SHARD, ':look_at': lookAt },
  );
  return {
    Update: {
      TableName: schedulesTable,
      Key: watchKey(id),
      UpdateExpression: update.text,
      ...placeholders(update),
    },
  };
}

export function watchOf(item: Item): Watch {
  const lastSuccessAt = item[LAST_SUCCESS_ATTRIBUTE];
  return {
    schedule: scheduleIdOf(item.pk as string),
    lookAt: item.next_due_at as EpochMs,
    ...(lastSuccessAt !== undefined && { lastSuccessAt: lastSuccessAt as EpochMs }),
  };
}
