import { shardOf } from '../../../core/ids.ts';
import { retireAt } from '../../../core/planning/retirement.ts';
import type { Materialisation } from '../../../core/ports/planning-store.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { StoreContext } from '../client.ts';
import type { Expression } from '../conditions.ts';

/**
 * What the tick writes to a head: where planning stands, and for one whose pause ends by itself that it is over.
 * The shard is written each time, so that a changed shard count reaches every schedule without a migration.
 */
export function headProgress(
  context: Pick<StoreContext, 'shardCount'>,
  { head, create, nextDueAt, remainingRuns, lastRunAt, zoneData, zoneMove, staysPaused }: Materialisation,
  now: EpochMs,
): Expression {
  const completed = nextDueAt === null;
  const wakes = head.state === 'paused' && !staysPaused;
  const comeBack = completed ? retireAt(head, create, now) : nextDueAt;
  const sets: Record<string, unknown> = {
    ...(completed ? { state: 'completed' } : wakes && { state: 'enabled' }),
    ...(comeBack !== null && { next_due_at: comeBack, shard: shardOf(head.id, context.shardCount) }),
    ...(wakes && { updated_at: now }),
    ...(remainingRuns !== undefined && { remaining_runs: remainingRuns }),
    ...(lastRunAt !== undefined && { last_run_at: lastRunAt }),
    ...(zoneMove && { zone_move: zoneMove }),
    ...(zoneData !== undefined && zoneData !== head.zoneData && { zone_data: zoneData }),
  };
  const removes = [
    ...(comeBack === null ? ['next_due_at', 'shard'] : []),
    ...(wakes ? ['pause'] : []),
    ...(head.makingUp && (nextDueAt === null || nextDueAt > head.makingUp.asOf) ? ['making_up'] : []),
    ...(head.zoneMove && !zoneMove ? ['zone_move'] : []),
  ];
  // A change like a resume by a person: the ETag moves.
  const adds = wakes ? ['version'] : [];
  const names = [...Object.keys(sets), ...removes, ...adds];
  const set = Object.keys(sets).map((name) => `#${name} = :next_${name}`);
  const remove = removes.map((name) => `#${name}`);
  return {
    text: [
      set.length > 0 ? `SET ${set.join(', ')}` : '',
      remove.length > 0 ? `REMOVE ${remove.join(', ')}` : '',
      wakes ? 'ADD #version :one' : '',
    ].join(' '),
    names: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    values: {
      ...Object.fromEntries(Object.entries(sets).map(([name, value]) => [`:next_${name}`, value])),
      ...(wakes && { ':one': 1 }),
    },
  };
}
