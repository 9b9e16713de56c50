import pMap from 'p-map';
import { revivalOf } from '../../../core/pause/revival.ts';
import { NO_DECISIONS } from '../../../core/planning/decisions.ts';
import type { Materialisation, MaterialiseResult } from '../../../core/ports/planning-store.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import { and, placeholders, plannable, versionIs } from '../conditions.ts';
import { headKey } from '../keys.ts';
import {
  type Create,
  commitCreating,
  createAction,
  createActions,
  putOf,
  recreateAction,
} from '../occurrences/creates.ts';
import { skippedItem } from '../occurrences/occurrence-items.ts';
import { cancelRequest } from '../schedules/schedule-changes.ts';
import { MAX_ACTIONS, transact, type WriteAction } from '../transact.ts';
import { headProgress } from './advance-head.ts';
import { tallyAction } from './catch-up-tallies.ts';
import { revivalAction } from './revivals.ts';

/** Schedules in one transaction. More saves little and makes one conflict undo more. */
const MAX_PACK = 20;
/** Transactions under way at once from one tick. */
const CONCURRENCY = 8;

interface Prepared {
  readonly index: number;
  /** The head, and the tally of late runs. */
  readonly required: readonly WriteAction[];
  readonly creates: readonly Create[];
}

/**
 * Creates occurrences and advances heads: per schedule all or nothing. Small schedules share a transaction,
 * which costs DynamoDB the same and the network less; when a pack is cancelled, each of it is tried apart.
 */
export async function materialise(
  context: StoreContext,
  batch: readonly Materialisation[],
  now: EpochMs,
): Promise<readonly MaterialiseResult[]> {
  const prepared = batch.map((entry, index) => prepare(context, entry, index, now));
  const results = new Array<MaterialiseResult>(batch.length);
  await pMap(
    packs(prepared),
    async (pack) => {
      for (const [index, result] of await commitPack(context, pack)) results[index] = result;
    },
    { concurrency: CONCURRENCY },
  );
  return results;
}

function prepare(context: StoreContext, entry: Materialisation, index: number, now: EpochMs): Prepared {
  const { head } = entry;
  if (head.nextDueAt === null) throw new Error(`${head.id} has no next time to materialise`);
  const { decisions = NO_DECISIONS } = entry;
  // What people decide grows the version: read with them, it says that these were all.
  const condition =
    entry.decisions || entry.zoneMove ? and(plannable(head), versionIs(head.version)) : plannable(head);
  // Of a paused one the next time is the end of its pause.
  const revival = entry.staysPaused ? undefined : revivalOf(head, head.nextDueAt);
  const update = headProgress(context, entry, now);
  return {
    index,
    required: [
      {
        Update: {
          TableName: context.schedulesTable,
          Key: headKey(head.id),
          UpdateExpression: update.text,
          ConditionExpression: condition.text,
          ...placeholders(update, condition),
        },
      },
      ...decisions.cancel.map((pending) => ({
        Update: cancelRequest(context, pending, 'superseded', now),
      })),
      ...(revival ? [revivalAction(context, revival)] : []),
      ...(entry.tally ? [tallyAction(context, head.id, entry.tally, now)] : []),
    ],
    creates: [
      ...createActions(context, entry.create, entry.records, now),
      ...decisions.create.map((moved) => recreateAction(context, moved, now)),
      ...decisions.skipped.map((key) => createAction(context, skippedItem(key, context, now))),
    ],
  };
}

/** First fit in order: the oldest due go first. */
function packs(prepared: readonly Prepared[]): Prepared[][] {
  const all: Prepared[][] = [];
  let pack: Prepared[] = [];
  let size = 0;
  for (const entry of prepared) {
    const actions = entry.required.length + entry.creates.length;
    if (pack.length > 0 && (size + actions > MAX_ACTIONS || pack.length >= MAX_PACK)) {
      all.push(pack);
      pack = [];
      size = 0;
    }
    pack.push(entry);
    size += actions;
  }
  if (pack.length > 0) all.push(pack);
  return all;
}

async function commitPack(
  context: StoreContext,
  pack: readonly Prepared[],
): Promise<[number, MaterialiseResult][]> {
  if (pack.length > 1 && (await commitTogether(context, pack))) {
    return pack.map(({ index }) => [index, { kind: 'materialised' }]);
  }
  return pMap(
    pack,
    async (entry): Promise<[number, MaterialiseResult]> => [entry.index, await commitApart(context, entry)],
    { concurrency: CONCURRENCY },
  );
}

async function commitTogether(context: StoreContext, pack: readonly Prepared[]): Promise<boolean> {
  try {
    const actions = pack.flatMap((entry) => [...entry.required, ...entry.creates.map(putOf)]);
    return (await transact(context.client, actions)).kind === 'committed';
  } catch {
    // One schedule's conflict or fault is not the others': apart, each meets its own.
    return false;
  }
}

async function commitApart(context: StoreContext, entry: Prepared): Promise<MaterialiseResult> {
  try {
    const outcome = await commitCreating(context, entry.required, entry.creates);
    return { kind: outcome === 'committed' ? 'materialised' : 'lost-race' };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
