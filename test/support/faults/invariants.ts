import { headOf } from '../../../lambdas/adapters/dynamodb/head-items.ts';
import { occurrenceKeyOf, schedulePk } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { occurrenceId, type ScheduleId, shardOf } from '../../../lambdas/core/ids.ts';
import { isTerminal, type OccurrenceStatus } from '../../../lambdas/core/occurrence.ts';
import type { Revision } from '../../../lambdas/core/schedule.ts';
import { slotNeeds } from '../../../lambdas/core/slots.ts';
import { accountFaults } from './accounts.ts';
import { attemptFaults, outcomeFaults } from './attempts.ts';
import { illegalMoves } from './audit.ts';
import type { Item } from './observer.ts';
import type { World } from './world.ts';

/** Every invariant of the design that can be read from tables, stream and target once a world is at rest. */
export async function faultsAtRest(world: World): Promise<string[]> {
  const { history, observer } = world;
  const faults = faultsSoFar(world);
  const called = new Set(world.targetCalls.map(({ invocation }) => invocation.id));
  for (const id of history.schedules) {
    const [head, revisions, items, due, open] = await Promise.all([
      observer.headItem(id),
      observer.revisions(id),
      observer.occurrences(id),
      observer.due(id),
      observer.open(id),
    ]);
    const eras = history.eras.get(id) ?? [];
    faults.push(
      ...items.filter((item) => !isTerminal(item.status as OccurrenceStatus)).map((item) => stuck(item)),
      ...accountFaults(eras, head && headOf(head), items, world.time.now(), called),
      ...endFaults(world, revisions, items),
      ...dueFaults(head, due, id, world.lane.context.shardCount),
      ...open.map(({ pk, sk }) => `${pk} ${sk} is in \`open\` although all is at rest`),
      ...(await slotFaults(world, id, revisions)),
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
    ...illegalMoves(records),
    ...attemptFaults(
      targetCalls,
      ({ invocation }) => history.returned.get(invocation.schedule) ?? [],
      claims,
    ),
  ];
}

const stuck = (item: Item) => `${item.pk} ${item.sk} is ${item.status} for ever`;

function endFaults(world: World, revisions: readonly Revision[], items: readonly Item[]): string[] {
  return items.flatMap((item) => {
    const key = occurrenceKeyOf(item as never);
    const definition = revisions.find(({ revision }) => revision === key.revision)?.definition;
    if (!definition) return [`${item.pk} ${item.sk} is of a revision that is not in the table`];
    const calls = world.targetCalls.filter(({ invocation }) => invocation.id === occurrenceId(key));
    return outcomeFaults(item, calls, definition.retry.maxAttempts);
  });
}

/** A head is in `due` exactly while it is enabled and has a next time, and in the right place. */
function dueFaults(head: Item | undefined, due: readonly Item[], id: ScheduleId, shards: number): string[] {
  const wanted = head?.state === 'enabled' && head.next_due_at !== undefined;
  if (wanted !== due.length > 0) return [`${id} is ${head?.state} and ${due.length} times in \`due\``];
  if (!wanted) return [];
  const right = due.every(
    ({ shard, next_due_at }) => shard === shardOf(id, shards) && next_due_at === head?.next_due_at,
  );
  return right ? [] : [`${id} is in the wrong place of \`due\``];
}

/** Nothing runs, so nobody may hold a slot. */
async function slotFaults(world: World, id: ScheduleId, revisions: readonly Revision[]): Promise<string[]> {
  const needs = revisions.flatMap(({ definition }) => slotNeeds(id, definition, undefined));
  const names = new Set(needs.map(({ slot }) => slot));
  const faults: string[] = [];
  for (const name of names) {
    const holders = Object.keys(((await world.observer.slot(name))?.holders ?? {}) as object);
    if (holders.length > 0) faults.push(`slot ${name} is still held by ${holders.join(', ')}`);
  }
  return faults;
}
