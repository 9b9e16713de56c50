import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { PARTITION } from '../../../contract/tables.ts';
import type { CalendarStore, CalendarUser } from '../../../core/ports/calendar-store.ts';
import type { Calendar, PinnedCalendar } from '../../../core/schedule/calendar.ts';
import { batchGet, getItem } from '../batch-get.ts';
import type { StoreContext } from '../client.ts';
import { conditioned, type Expression, isAbsent, isCurrent, isDeletedAt } from '../conditions.ts';
import { decodeCursor, encodeCursor, refuseForeignCursor } from '../cursor.ts';
import type { Item } from '../item.ts';
import { headKey, scheduleIdOf } from '../keys.ts';
import { createWholeHeads, type WholeHeads } from '../schedules/head-reader.ts';
import { transact } from '../transact.ts';
import {
  CALENDARS_PK,
  calendarItem,
  calendarKey,
  calendarOf,
  calendarUserKey,
  calendarVersionItem,
  pinText,
} from './calendar-items.ts';

type Tables = Pick<StoreContext, 'client' | 'schedulesTable'>;

export function createCalendarStore(context: StoreContext): CalendarStore {
  const { client, schedulesTable: TableName } = context;
  const whole = createWholeHeads(context);

  const read = (name: string) => getItem(client, TableName, calendarKey(name));

  async function put(item: Item, condition: Expression): Promise<boolean> {
    try {
      await client.send(new PutCommand({ TableName, Item: item, ...conditioned(condition) }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  return {
    async readCalendar(name) {
      const item = await read(name);
      return item && (await withDefinitions(whole, [item]))[0];
    },

    async listCalendars({ limit, cursor }) {
      const start = cursor === undefined ? undefined : decodeCursor(CALENDARS_PK, cursor);
      const answer = await refuseForeignCursor(cursor, () =>
        client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': CALENDARS_PK },
            ConsistentRead: true,
            Limit: limit,
            ...(start && { ExclusiveStartKey: start }),
          }),
        ),
      );
      const items = await withDefinitions(whole, answer.Items ?? []);
      const next = answer.LastEvaluatedKey;
      return next ? { items, cursor: encodeCursor(CALENDARS_PK, next) } : { items };
    },

    async writeCalendar(next, seen) {
      // One that was deleted goes on counting: its versions are still what older revisions mean.
      const before = seen ?? (await read(next.name));
      const calendar: Calendar = { ...next, version: ((before?.version as number | undefined) ?? 0) + 1 };
      const unchanged = seen
        ? isCurrent(seen.version)
        : before
          ? isDeletedAt(before.version as number)
          : isAbsent;
      const result = await transact(client, [
        { Put: { TableName, Item: calendarItem(calendar), ...conditioned(unchanged) } },
        { Put: { TableName, Item: calendarVersionItem(calendar), ...conditioned(isAbsent) } },
      ]);
      return result.kind === 'committed' ? { kind: 'written', calendar } : { kind: 'conflict' };
    },

    async deleteCalendar(seen, now) {
      const item = calendarItem({ ...seen, updatedAt: now }, true);
      return (await put(item, isCurrent(seen.version))) ? 'deleted' : 'conflict';
    },

    async restoreCalendar(deleted) {
      await put(calendarItem(deleted), isDeletedAt(deleted.version));
    },

    async *usersOf(name) {
      let start: Record<string, unknown> | undefined;
      do {
        const answer = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: {
              ':pk': calendarUserKey(name, '/' as never).pk,
              ':prefix': PARTITION.schedule,
            },
            ConsistentRead: true,
            Limit: 100,
            ...(start && { ExclusiveStartKey: start }),
          }),
        );
        yield await liveUsers(context, (answer.Items ?? []).map(userOf));
        start = answer.LastEvaluatedKey;
      } while (start);
    },
  };
}

function userOf(item: Item): CalendarUser {
  return { schedule: scheduleIdOf(item.sk as string), version: item.version as number };
}

/** A schedule that the tick deleted once it was through leaves its entry behind. */
async function liveUsers({ client, schedulesTable }: Tables, users: readonly CalendarUser[]) {
  if (users.length === 0) return [];
  const heads = await batchGet(
    client,
    schedulesTable,
    users.map(({ schedule }) => headKey(schedule)),
  );
  const live = new Set(
    heads.filter(({ state }) => state !== 'deleted').map(({ pk }) => scheduleIdOf(pk as string)),
  );
  return users.filter(({ schedule }) => live.has(schedule));
}

/** Without those that were deleted. */
async function withDefinitions(whole: WholeHeads, items: readonly Item[]): Promise<Calendar[]> {
  const live = items.filter(({ deleted }) => deleted === undefined);
  const pin = (item: Item) => pinText({ name: item.sk as string, version: item.version as number });
  const known = await whole.calendars(live.map(pin));
  return live.map((item) => {
    const definition = known.get(pin(item))?.definition;
    if (!definition) throw new Error(`Calendar ${pin(item)} has no content.`);
    return calendarOf(item, definition);
  });
}

/** The calendars of these names as they are now, in that order; those that there are. */
export async function pinCalendars(
  { client, schedulesTable }: Tables,
  whole: WholeHeads,
  names: readonly string[],
): Promise<PinnedCalendar[]> {
  if (names.length === 0) return [];
  const items = await batchGet(client, schedulesTable, [...new Set(names)].map(calendarKey));
  const live = await withDefinitions(whole, items);
  return live.map(({ name, version, definition }) => ({ name, version, definition }));
}
