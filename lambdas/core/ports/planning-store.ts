import type { CatchUpTally } from '../planning/catch-up-tally.ts';
import type { Decisions } from '../planning/decisions.ts';
import type { PlannedOccurrence, PlannedRecord } from '../planning/planner.ts';
import type { ScheduleHead, ZoneMove } from '../schedule/head.ts';
import type { Revival } from '../schedule/revival.ts';
import type { EpochMs } from '../time.ts';
import type { FencedResult } from './fenced-result.ts';

/** One schedule's progress: occurrences to create and where its head then stands. A paused one is resumed by it. */
export interface Materialisation {
  readonly head: ScheduleHead;
  readonly create: readonly PlannedOccurrence[];
  readonly records: readonly PlannedRecord[];
  readonly nextDueAt: EpochMs | null;
  /** Of one with `maxRuns` (planner.ts). */
  readonly remainingRuns?: number;
  readonly lastRunAt?: EpochMs;
  /** The version of the zone data that this was planned with. */
  readonly zoneData?: string | undefined;
  /** Present when nothing but other zone data moves it. */
  readonly zoneMove?: ZoneMove;
  /** What a person decided about times that other zone data has moved. */
  readonly decisions?: Decisions;
  /** A paused one stays so: nothing but `decisions` is written. */
  readonly staysPaused?: true;
  /** Of one that creates late runs: with them, as long as nobody has written it since. */
  readonly tally?: CatchUpTally;
}

/** How far a shard has been walked for a version of the zone data. */
export interface ShardZones {
  /** The version that all its heads have been looked at with. */
  readonly zoneData?: string;
  /** The version that they are being looked at with, up to this next time. */
  readonly walking?: string;
  readonly walkedTo?: EpochMs;
  /** When a tick with older data last planned here. */
  readonly olderTickAt?: EpochMs;
}

export type MaterialiseResult =
  | { readonly kind: 'materialised' }
  /** Another tick or an edit was first. Normal. */
  | { readonly kind: 'lost-race' }
  /** A fault that met this schedule only; the others of its batch went on. */
  | { readonly kind: 'failed'; readonly error: unknown };

export interface PlanningStore {
  /**
   * Heads of one shard that the tick is to come back to by `until`, oldest first, read consistently: stale index
   * entries drop out. Enabled ones have times to create, paused ones resume, completed ones may be retired.
   */
  dueHeads(shard: number, until: EpochMs, from?: EpochMs): AsyncIterable<readonly ScheduleHead[]>;
  shardZones(shard: number): Promise<ShardZones>;
  saveShardZones(shard: number, zones: ShardZones): Promise<void>;
  /** Results in the order given. Small ones share a transaction; a cancelled pack is retried apart. */
  materialise(batch: readonly Materialisation[], now: EpochMs): Promise<readonly MaterialiseResult[]>;
  /** What pauses held that are over, and the schedules as they are now; due by `until`. */
  dueRevivals(
    shard: number,
    until: EpochMs,
  ): AsyncIterable<readonly { readonly revival: Revival; readonly head: ScheduleHead | undefined }[]>;
  /** Has the tick come back at its `lookAt`. */
  putOffRevival(revival: Revival): Promise<void>;
  endRevival(revival: Revival, now: EpochMs): Promise<void>;
  /** completed → deleted, if nothing has changed it; the ledger stays. */
  retire(head: ScheduleHead, now: EpochMs): Promise<FencedResult>;
  /** Has the tick come back to a completed schedule later. */
  retireLater(head: ScheduleHead, at: EpochMs): Promise<FencedResult>;
  /** Records that `count` shards are in use and answers the largest count ever used. */
  recordShardCount(count: number): Promise<number>;
  /** Saves cost, not correctness: two scanners of one shard do no harm. */
  acquireShard(shard: number, lease: { holder: string; expiresAt: EpochMs }, now: EpochMs): Promise<boolean>;
  /** Up to where each of these shards was scanned, in their order; undefined: never to its end. */
  watermarks(shards: readonly number[]): Promise<readonly (EpochMs | undefined)[]>;
  /** Gives the shard back and notes up to when it was scanned (null: it was not finished). */
  releaseShard(shard: number, holder: string, scannedThrough: EpochMs | null): Promise<void>;
}
