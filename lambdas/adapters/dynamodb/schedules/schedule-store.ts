import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { BY_GROUP_INDEX } from '../../../contract/tables.ts';
import { purgeTime } from '../../../core/occurrence/retention.ts';
import type { Page } from '../../../core/ports/page.ts';
import type { ScheduleRecord, ScheduleStore } from '../../../core/ports/schedule-store.ts';
import type { ScheduleHead } from '../../../core/schedule/head.ts';
import { shownStateOf } from '../../../core/schedule/shown-state.ts';
import { sideBySide } from '../../../core/side-by-side.ts';
import { batchGet, getItem } from '../batch-get.ts';
import { pinCalendars } from '../calendars/calendar-store.ts';
import type { StoreContext } from '../client.ts';
import { decodeCursor, encodeCursor, refuseForeignCursor } from '../cursor.ts';
import { adoptSchedules, readGroup, takeStarts, writeGroup } from '../groups/group-items.ts';
import { writeIdempotency } from '../idempotency-records.ts';
import {
  headKey,
  type ItemKey,
  idempotencyItemKey,
  REVISION_PREFIX,
  revisionKey,
  revisionNumberOf,
} from '../keys.ts';
import { openOf } from '../occurrences/open-occurrences.ts';
import { createWholeHeads } from './head-reader.ts';
import { applyChange } from './schedule-changes.ts';

/** Index pages looked through for one answer when a filter leaves most of them out. */
const MAX_PAGES = 10;
/** Schedules of which it is read at once whether something is open. */
const STATES_AT_ONCE = 16;

export function createScheduleStore(context: StoreContext): ScheduleStore {
  const { client, schedulesTable } = context;
  const whole = createWholeHeads(context);

  const read = (key: ItemKey) => getItem(client, schedulesTable, key);

  async function readHead(id: ScheduleHead['id']) {
    const item = await read(headKey(id));
    return item && (await whole.heads([item]))[0];
  }

  async function readRevision(id: ScheduleHead['id'], revision: number) {
    const item = await read(revisionKey(id, revision));
    return item && (await whole.revisions([item]))[0];
  }

  /** Heads of an index page, then their revisions: both consistently, since the index may be behind. */
  async function readRecords(keys: readonly ItemKey[]): Promise<ScheduleRecord[]> {
    if (keys.length === 0) return [];
    const heads = (await whole.heads(await batchGet(client, schedulesTable, keys))).filter(isListed);
    const revisions = await batchGet(
      client,
      schedulesTable,
      heads.map((head) => revisionKey(head.id, head.revision)),
    );
    const byId = new Map((await whole.revisions(revisions)).map((revision) => [revision.schedule, revision]));
    return heads.flatMap((head) => {
      const revision = byId.get(head.id);
      return revision ? [{ head, revision }] : [];
    });
  }

  async function listSchedules(
    query: Parameters<ScheduleStore['listSchedules']>[0],
  ): Promise<Page<ScheduleRecord>> {
    const scope = `schedules:${query.group ?? ''}:${query.state ?? ''}`;
    let start = query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor);
    const items: ScheduleRecord[] = [];
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = {
        TableName: schedulesTable,
        IndexName: BY_GROUP_INDEX.indexName,
        Limit: query.limit - items.length,
        ...(start && { ExclusiveStartKey: start }),
      };
      const answer = await refuseForeignCursor(query.cursor, () =>
        query.group === undefined
          ? client.send(new ScanCommand(page))
          : client.send(
              new QueryCommand({
                ...page,
                KeyConditionExpression: '#group = :group',
                ExpressionAttributeNames: { '#group': BY_GROUP_INDEX.partitionKey.name },
                ExpressionAttributeValues: { ':group': query.group },
              }),
            ),
      );
      const records = await readRecords((answer.Items ?? []) as unknown as ItemKey[]);
      const { state } = query;
      const states = await sideBySide(records, STATES_AT_ONCE, async ({ head }) =>
        state === undefined ? undefined : shownStateOf(head, (id) => openOf(context, id)),
      );
      items.push(...records.filter((_, index) => states[index] === state));
      start = answer.LastEvaluatedKey;
      if (!start || items.length >= query.limit) break;
    }
    return start ? { items, cursor: encodeCursor(scope, start) } : { items };
  }

  return {
    readHead,
    readRevision,
    async lastRevision(id) {
      const { pk } = headKey(id);
      const answer = await client.send(
        new QueryCommand({
          TableName: schedulesTable,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :revision)',
          ExpressionAttributeValues: { ':pk': pk, ':revision': REVISION_PREFIX },
          ProjectionExpression: 'pk, sk',
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: 1,
        }),
      );
      const last = answer.Items?.[0];
      return last ? revisionNumberOf(last as ItemKey) : 0;
    },
    async readSchedule(id) {
      const head = await readHead(id);
      if (!head || !isListed(head)) return undefined;
      const revision = await readRevision(id, head.revision);
      return revision && { head, revision };
    },
    async readIdempotency(key, now) {
      const item = await read(idempotencyItemKey(key));
      if (!item || (item.purge_at as number) < purgeTime([now], 0)) return undefined;
      return { key, requestHash: item.request_hash as string, result: item.result as string };
    },
    writeIdempotency: (record, before, now) => writeIdempotency(context, record, before, now),
    readGroup: (group) => readGroup(context, group),
    writeGroup: (group, settings, now) => writeGroup(context, group, settings, now),
    adoptSchedules: (group, epoch, adopted) => adoptSchedules(context, group, epoch, adopted),
    takeStarts: (group, taken, now) => takeStarts(context, group, taken, now),
    listSchedules,
    pinCalendars: (names) => pinCalendars(context, whole, names),
    applyChange: (change) => applyChange(context, change),
  };
}

function isListed(head: ScheduleHead): boolean {
  return head.state !== 'deleted';
}
