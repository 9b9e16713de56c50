import { headKey, occurrenceKeyOf, schedulePk } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { headOf } from '../../../lambdas/adapters/dynamodb/schedules/head-items.ts';
import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import { type OccurrenceId, occurrenceId, type ScheduleId, shardOf } from '../../../lambdas/core/ids.ts';
import { isTerminal, type OccurrenceStatus } from '../../../lambdas/core/occurrence/occurrence.ts';
import type { Revision } from '../../../lambdas/core/schedule/revision.ts';
import type { Item } from '../world/observer.ts';
import type { TargetCall } from '../world/target.ts';
import type { World } from '../world/world.ts';
import { accountFaults } from './accounts.ts';
import { attemptFaults, outcomeFaults } from './attempts.ts';
import { illegalMoves, replaysOf } from './audit.ts';
import { backfillFaults } from './backfills.ts';
import { ledgersOf } from './ledger.ts';
import { purgeFaults } from './retention.ts';
import { holdersOf, slotsOf } from './slots-read.ts';
import { startFaults } from './starts.ts';
import { triggerFaults } from './triggers.ts';

/** Every promise of docs/guarantees.md that can be read from tables, stream and target once a world is at rest. */
export async function faultsAtRest(world: World): Promise<string[]> {
  const { history, observer } = world;
  const faults = faultsSoFar(world);
  const ledgers = await ledgersOf(world);
  faults.push(...startFaults(world, ledgers));
  const calls = Map.groupBy(world.targetCalls, ({ invocation }) => invocation.id);
  const [allDue, allOpen] = await Promise.all([observer.due(), observer.open()]);
  for (const id of history.schedules) {
    const [head, backfills] = await Promise.all([observer.headItem(id), observer.backfills(id)]);
    const { items, revisions } = ledgers.get(id) ?? { items: [], revisions: [] };
    const due = (allDue.get(schedulePk(id)) ?? []).filter(({ sk }) => sk === headKey(id).sk);
    const open = allOpen.get(schedulePk(id)) ?? [];
    const eras = history.eras.get(id) ?? [];
    faults.push(
      ...items.filter((item) => !isTerminal(item.status as OccurrenceStatus)).map(stuck),
      ...items.filter(isStillOffered).map(offered),
      ...accountFaults(
        eras,
        head && headOf(head),
        items,
        world.time.now(),
        calls,
        history.askedToMakeUp.has(id),
      ),
      ...endFaults(calls, revisions, items),
      ...replayFaults(items, history),
      ...backfillFaults(backfills, eras, items),
      ...triggerFaults(items, history.triggersOf(id)),
      ...dueFaults(head, due, id, world.shardCounts),
      ...open.map(({ pk, sk }) => `${pk} ${sk} is in \`open\` although all is at rest`),
      ...(await slotFaults(world, id, revisions, backfills)),
    );
  }
  return faults;
}

/** What must hold at any moment. */
export function faultsSoFar(world: World): string[] {
  const { claims, history, outbox, targetCalls } = world;
  const own = new Set(history.schedules.map(schedulePk));
  const records = outbox.seen.filter(({ dynamodb }) => own.has(dynamodb?.Keys?.pk?.S ?? ''));
  return [
    ...illegalMoves(records, expired(world)),
    ...purgeFaults(records),
    ...attemptFaults(targetCalls, history, claims),
    ...world.slots.faults,
  ];
}

function expired({ ttl }: World): ReadonlySet<string> {
  return new Set(ttl.removed.map(({ pk, sk }) => `${pk} ${sk}`));
}

/** Where outside workers look for what they may claim. */
const isStillOffered = ({ attention_day: bucket }: Item) => String(bucket).startsWith('pull#');
const offered = ({ pk, sk, status }: Item) => `${pk} ${sk} is ${status} and offered to outside workers`;

const stuck = (item: Item) => `${item.pk} ${item.sk} is ${item.status} for ever`;

type Calls = ReadonlyMap<OccurrenceId, readonly TargetCall[]>;

function endFaults(calls: Calls, revisions: readonly Revision[], items: readonly Item[]): string[] {
  return items.flatMap((item) => {
    const key = occurrenceKeyOf(item as never);
    if (!revisions.some(({ revision }) => revision === key.revision))
      return [`${item.pk} ${item.sk} is of a revision that is not in the table`];
    // After an edit it may have gone on by a later definition.
    const possible = revisions.filter(({ revision }) => revision >= key.revision);
    const limits = possible.map(({ definition }) => definition.retry.maxAttempts);
    return outcomeFaults(item, calls.get(occurrenceId(key)) ?? [], {
      least: Math.min(...limits),
      most: Math.max(...limits),
    });
  });
}

function replayFaults(items: readonly Item[], { replaysAsked }: World['history']): string[] {
  return items.flatMap((item) => {
    const asked = replaysAsked.get(occurrenceId(occurrenceKeyOf(item as never))) ?? 0;
    const replays = replaysOf(item);
    return replays > asked
      ? [`${item.pk} ${item.sk} was replayed ${replays} times, and asked for ${asked} times`]
      : [];
  });
}

/** A head is in `due` exactly while a tick is to come back to it, and in the right place. */
function dueFaults(
  head: Item | undefined,
  due: readonly Item[],
  id: ScheduleId,
  shardCounts: readonly number[],
): string[] {
  const wanted = head !== undefined && head.state !== 'deleted' && head.next_due_at !== undefined;
  if (wanted !== due.length > 0) return [`${id} is ${head?.state} and ${due.length} times in \`due\``];
  if (!wanted) return [];
  const right = due.every(
    ({ shard, next_due_at }) =>
      shardCounts.some((count) => shard === shardOf(id, count)) && next_due_at === head?.next_due_at,
  );
  return right ? [] : [`${id} is in the wrong place of \`due\``];
}

/** Nothing runs, so nobody may hold a slot: entries of what has ended were left by a process that died, and go when somebody comes. */
async function slotFaults(
  { observer }: World,
  id: ScheduleId,
  revisions: readonly Revision[],
  backfills: readonly Backfill[],
): Promise<string[]> {
  const definitions = revisions.map(({ definition }) => definition);
  const faults: string[] = [];
  for (const slot of slotsOf(id, definitions, backfills)) {
    const holders = await holdersOf(observer, slot);
    if (holders.length > 0) faults.push(`slot ${slot} is still held by ${holders.join(', ')}`);
  }
  return faults;
}
