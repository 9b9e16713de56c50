import type { OccurrenceKey } from '../ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../occurrence/occurrence.ts';
import type { HandOverMemory } from '../occurrence/redispatch-pace.ts';
import type { EpochMs } from '../time.ts';

/** What is looked through by itself: what nobody claims of one kind must not stand before what died of another. */
export type SweepPart =
  /** One shard of what our workers start. */
  | { readonly kind: 'work'; readonly shard: number }
  /** One shard of what outside workers claim. */
  | { readonly kind: 'pull'; readonly shard: number };

export const partName = ({ kind, shard }: SweepPart): string => `${kind}-${shard}`;

/** A place in a part: to go on behind it. */
export interface OpenPosition {
  /** Opaque. */
  readonly key: string;
  readonly at: EpochMs;
}

export interface OpenPage {
  readonly keys: readonly OccurrenceKey[];
  /** Absent at the end. */
  readonly next?: OpenPosition;
}

/** What a sweep leaves for the next one. */
export interface SweepMemory {
  /** For each part that was not looked through to its end, where to go on. */
  readonly positions: Readonly<Record<string, OpenPosition>>;
  /** For each shard of the index of what waits in which not every slot was looked at, the last that was. */
  readonly slots?: Readonly<Record<string, string>>;
  readonly handOver: HandOverMemory;
}

export interface SweepStore {
  /** Keys of what is open in a part and due by `until`, soonest due first. */
  openPage(part: SweepPart, until: EpochMs, after?: OpenPosition): Promise<OpenPage>;
  /** Those that are open, read consistently: the index may be behind. */
  readOpen(keys: readonly OccurrenceKey[]): Promise<readonly (PendingOccurrence | RunningOccurrence)[]>;
  /** Under a name: what is asked for by hand does not disturb what goes on by itself. */
  readMemory(name: string): Promise<SweepMemory | undefined>;
  writeMemory(name: string, memory: SweepMemory): Promise<void>;
}
