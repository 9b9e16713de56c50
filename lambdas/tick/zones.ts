import pMap from 'p-map';
import type { ScheduleId } from '../core/ids.ts';
import type { OccurrenceStore } from '../core/ports/occurrence-store.ts';
import type { Materialisation, PlanningStore } from '../core/ports/planning-store.ts';
import type { Recurrence } from '../core/recurrence/types.ts';
import type { ScheduleHead, ScheduleState } from '../core/schedule/head.ts';
import { type EpochMs, epochMs, MAX_INSTANT, MINUTE, SECOND } from '../core/time.ts';
import { decisionsByZones, isOfOlderZones, nextNow } from '../core/zones/follow-zones.ts';
import { isNewerZoneData } from '../core/zones/zone-version.ts';

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
    const { moved, lost, failures } = await rezone(deps, heads, now);
    result = { moved: result.moved + moved, failures: [...result.failures, ...failures] };
    const last = heads.at(-1)?.nextDueAt;
    const again = lost[0]?.nextDueAt;
    if (again === undefined && (deps.now() < stopAt || last === undefined || last === null)) continue;
    // Of one that somebody has changed meanwhile it is not known where it stands: the next tick looks again.
    const walkedTo = again ?? last ?? undefined;
    const walked = state.zoneData !== undefined && { zoneData: state.zoneData };
    await store.saveShardZones(shard, {
      ...walked,
      walking: zoneData,
      ...(walkedTo != null && { walkedTo }),
    });
    return result;
  }
  await store.saveShardZones(shard, { zoneData });
  return result;
}

/**
 * Moves heads that were planned with older zone data, and what people decided about their coming times; answers those
 * that were written, as they now are.
 */
export async function rezone(
  deps: ZoneDeps,
  heads: readonly ScheduleHead[],
  now: EpochMs,
  states: readonly ScheduleState[] = ['enabled'],
) {
  const failures: Rezoned['failures'][number][] = [];
  const changed: Materialisation[] = [];
  const left = new Set<ScheduleId>();
  const lost: ScheduleHead[] = [];
  const plans = await pMap(
    heads.filter((head) => isOfOlderZones(head, deps.zoneData, states)),
    async (head) => {
      try {
        return await piecesOf(deps, head, now);
      } catch (error) {
        failures.push({ schedule: head.id, error });
        left.add(head.id);
        return [];
      }
    },
    { concurrency: CONCURRENCY },
  );
  // The pieces of a head one after the other, the last of them with its next time.
  for (let round = 0; plans.some((pieces) => pieces.length > round); round += 1) {
    const batch = plans
      .filter(([first]) => first && !left.has(first.head.id))
      .flatMap((pieces) => pieces[round] ?? []);
    const outcomes = await deps.store.materialise(batch, now);
    for (const [index, piece] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome?.kind === 'materialised') {
        if (piece.zoneData !== undefined) changed.push(piece);
        continue;
      }
      // It waits for the next tick: as it was, it would be planned at the wrong time.
      left.add(piece.head.id);
      if (outcome?.kind === 'failed') failures.push({ schedule: piece.head.id, error: outcome.error });
      else lost.push(piece.head);
    }
  }
  for (const { head } of changed) left.add(head.id);
  const written = changed.map(
    ({ head, nextDueAt, zoneMove }): ScheduleHead => ({
      ...head,
      nextDueAt,
      ...(zoneMove && { zoneMove }),
      ...(deps.zoneData !== undefined && { zoneData: deps.zoneData }),
    }),
  );
  const moved = changed.filter(({ head, nextDueAt }) => head.nextDueAt !== nextDueAt).length;
  return { written, moved, lost, kept: heads.filter(({ id }) => !left.has(id)), failures };
}

/** What is to be written of a head: nothing where neither its next time nor a decision moves. */
async function piecesOf(
  { occurrences, recurrenceOf, zoneData }: ZoneDeps,
  head: ScheduleHead & { readonly nextDueAt: EpochMs },
  now: EpochMs,
): Promise<Materialisation[]> {
  const { nextDueAt: from, zoneData: before } = head;
  const recurrence = recurrenceOf(head);
  const isPaused = head.state === 'paused';
  const to = isPaused ? from : await nextNow(occurrences, head, recurrence, now);
  const decided = await decisionsByZones(occurrences, head, recurrence, to, now);
  if (to === from && decided.length === 0) return [];
  const standing = {
    head,
    create: [],
    records: [],
    nextDueAt: from,
    ...(isPaused && { staysPaused: true as const }),
  };
  const zoneMove = { from, to, ...(before !== undefined && { zoneData: before }) };
  const last = {
    ...standing,
    nextDueAt: to,
    zoneData,
    ...(to === from ? head.zoneMove && { zoneMove: head.zoneMove } : { zoneMove }),
  };
  const pieces = decided.map((decisions) => ({ ...standing, decisions }));
  return [...pieces.slice(0, -1), { ...pieces.at(-1), ...last }];
}

/** A pause that ends by itself is over once the tick comes by. */
const PLANNED: readonly ScheduleState[] = ['enabled', 'paused'];

/** The heads that are still due by `until` once those of older zone data have moved. */
export async function dueByZones(
  deps: ZoneDeps,
  heads: readonly ScheduleHead[],
  now: EpochMs,
  until: EpochMs,
): Promise<{ readonly due: readonly ScheduleHead[]; readonly failures: Rezoned['failures'] }> {
  if (!heads.some((head) => isOfOlderZones(head, deps.zoneData, PLANNED)))
    return { due: heads, failures: [] };
  const { written, kept, failures } = await rezone(deps, heads, now, PLANNED);
  const due = written.filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= epochMs(until));
  return { due: [...kept, ...due], failures };
}
