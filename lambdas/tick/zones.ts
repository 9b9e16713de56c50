import pMap from 'p-map';
import { isOfOlderZones, nextNow } from '../core/follow-zones.ts';
import type { ScheduleId } from '../core/ids.ts';
import type { Materialisation, OccurrenceStore, PlanningStore } from '../core/ports.ts';
import type { Recurrence } from '../core/recurrence/types.ts';
import type { ScheduleHead } from '../core/schedule.ts';
import { type EpochMs, epochMs, MAX_INSTANT, MINUTE, SECOND } from '../core/time.ts';
import { isNewerZoneData } from '../core/zone-version.ts';

const CONCURRENCY = 16;
/** Of one shard in one tick, so that planning is not held up; the next tick goes on. What is due soon comes first. */
const WALK_LIMIT = 5 * SECOND;
/** So long after the last tick of an older runtime, a change of runtimes is over. */
const SETTLED = 10 * MINUTE;

export interface ZoneDeps {
  readonly store: Pick<PlanningStore, 'dueHeads' | 'materialise' | 'shardZones' | 'saveShardZones'>;
  readonly occurrences: Pick<OccurrenceStore, 'listOccurrences'>;
  readonly recurrenceOf: (head: ScheduleHead) => Recurrence;
  /** The version of the zone data that times are computed with; absent, it is not looked at. */
  readonly zoneData?: string;
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export interface Rezoned {
  /** Schedules whose next time was moved. */
  readonly moved: number;
  readonly failures: readonly { readonly schedule: ScheduleId; readonly error: unknown }[];
}

const NONE: Rezoned = { moved: 0, failures: [] };

/**
 * Once for each version of the zone data, walks the heads of a shard in the order of their next times and moves those
 * that the new data moves: a time that is now earlier than the index has it would otherwise be found too late. Walked
 * in pieces when there are many; the shard's item says how far.
 */
export async function followZones(deps: ZoneDeps, shard: number, now: EpochMs): Promise<Rezoned> {
  const { zoneData, store } = deps;
  if (zoneData === undefined) return NONE;
  const state = await store.shardZones(shard);
  const seen = [state.zoneData, state.walking].filter((version) => version !== undefined);
  if (seen.some((version) => isNewerZoneData(version, zoneData))) {
    // What this tick plans is of older data, behind the walk of the newer one: that has to come by once more.
    await store.saveShardZones(shard, { ...state, olderTickAt: now });
    return NONE;
  }
  const { olderTickAt = now } = state;
  if (state.zoneData === zoneData && state.walking === undefined && now - olderTickAt < SETTLED) return NONE;
  const from = state.walking === zoneData ? state.walkedTo : undefined;
  const stopAt = Math.min(deps.now() + WALK_LIMIT, deps.stopAt);
  let result = NONE;
  for await (const heads of store.dueHeads(shard, MAX_INSTANT, from)) {
    const { moved, failures } = await rezone(deps, heads, now);
    result = { moved: result.moved + moved.length, failures: [...result.failures, ...failures] };
    const last = heads.at(-1)?.nextDueAt;
    if (deps.now() < stopAt || last === undefined || last === null) continue;
    const walked = state.zoneData !== undefined && { zoneData: state.zoneData };
    await store.saveShardZones(shard, { ...walked, walking: zoneData, walkedTo: last });
    return result;
  }
  await store.saveShardZones(shard, { zoneData });
  return result;
}

/** Moves heads that were planned with older zone data; answers those that moved, as they now are. */
export async function rezone(deps: ZoneDeps, heads: readonly ScheduleHead[], now: EpochMs) {
  const others = heads.filter((head) => isOfOlderZones(head, deps.zoneData));
  const failures: Rezoned['failures'][number][] = [];
  const left = new Set<ScheduleId>();
  const plans = await pMap(
    others,
    async (head): Promise<Materialisation | undefined> => {
      const { id: schedule, nextDueAt: from, zoneData: before } = head;
      try {
        const to = await nextNow(deps.occurrences, head, deps.recurrenceOf(head), now);
        if (to === from) return undefined;
        const zoneMove = { from, to, ...(before !== undefined && { zoneData: before }) };
        return { head, create: [], records: [], nextDueAt: to, zoneData: deps.zoneData, zoneMove };
      } catch (error) {
        failures.push({ schedule, error });
        left.add(schedule);
        return undefined;
      }
    },
    { concurrency: CONCURRENCY },
  );
  const changes = plans.filter((plan) => plan !== undefined);
  const outcomes = await deps.store.materialise(changes, now);
  const moved: ScheduleHead[] = [];
  for (const [index, { head, nextDueAt, zoneMove }] of changes.entries()) {
    left.add(head.id);
    const outcome = outcomes[index];
    if (outcome?.kind === 'failed') failures.push({ schedule: head.id, error: outcome.error });
    if (outcome?.kind !== 'materialised' || !zoneMove) continue;
    moved.push({
      ...head,
      nextDueAt,
      zoneMove,
      ...(deps.zoneData !== undefined && { zoneData: deps.zoneData }),
    });
  }
  // One that was not moved after all waits for the next tick: as it was, it would be planned at the wrong time.
  return { moved, kept: heads.filter(({ id }) => !left.has(id)), failures };
}

/** The heads that are still due by `until` once those of older zone data have moved. */
export async function dueByZones(
  deps: ZoneDeps,
  heads: readonly ScheduleHead[],
  now: EpochMs,
  until: EpochMs,
): Promise<{ readonly due: readonly ScheduleHead[]; readonly failures: Rezoned['failures'] }> {
  if (!heads.some((head) => isOfOlderZones(head, deps.zoneData))) return { due: heads, failures: [] };
  const { moved, kept, failures } = await rezone(deps, heads, now);
  const due = moved.filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= epochMs(until));
  return { due: [...kept, ...due], failures };
}
