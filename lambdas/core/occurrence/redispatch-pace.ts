import type { OccurrenceId } from '../ids.ts';
import type { EpochMs } from '../time.ts';

/**
 * How many overdue occurrences a sweep may hand over again. What is merely queued must not be: an overload would be
 * given as much again, and again. What was lost must be, soon. The queue says how many messages it holds; what is due
 * and not explained by that is taken for lost, once that has been so for a while.
 */

/** What a worker may take now, and what workers have taken and are not done with. */
export interface QueueCounts {
  readonly visible: number;
  readonly inFlight: number;
}

export interface HandOverMemory {
  /** Since when the queue has held too little for what is due. */
  readonly suspectSince?: EpochMs;
  /** How many may be handed over in one pass. */
  readonly window: number;
  /** The last hand-over, and some of those that it handed over. */
  readonly last?: { readonly at: EpochMs; readonly sample: readonly OccurrenceId[] };
}

export interface HandOverEvidence {
  /** Due, pending, and to be in the queue: at least so many. */
  readonly due: number;
  /** Those of them whose message was sent a while ago. */
  readonly settled: number;
  /** Undefined when the queue did not say. */
  readonly queue: QueueCounts | undefined;
  /** Whether most of the last sample has got to a worker; undefined when there is none. */
  readonly hasArrived: boolean | undefined;
}

/** At first, so that a mistake is a small one. */
const FIRST_WINDOW = 1_000;
/** As long as what was handed over gets to workers. */
const GROWTH = 8;
const LARGEST_WINDOW = 10_000;
/** When it does not: the relay may be behind, and would get the more to do the longer it is. */
const PROBE = 10;
/** The queue's counts are approximate; and what is taken while they are read is in neither. */
const TOLERANCE = 0.1;
/** Fewer visible than that for each in flight: workers have taken nearly all there is. */
const CALM = 0.5;
/** So few are none, however little is in flight. */
const CALM_VISIBLE = 10;

export interface HandOverDecision {
  readonly limit: number;
  /**
   * How many of those that hold a place in a slot, and do not come to it. A place stands idle for them, so that they are
   * not suspected for a while first; there are never more of them than places.
   */
  readonly promised: number;
  readonly memory: HandOverMemory;
}

export const NO_HAND_OVER: HandOverMemory = { window: FIRST_WINDOW };

export function decideHandOver(
  before: HandOverMemory,
  { due, settled, queue, hasArrived }: HandOverEvidence,
  redispatchMs: number,
  now: EpochMs,
): HandOverDecision {
  const none = { limit: 0, promised: 0 };
  // Without the counts nothing new is known: what was suspected before has to be seen again.
  if (!queue) return { ...none, memory: NO_HAND_OVER };
  const missing = missingFrom({ due, settled }, queue);
  if (missing === undefined) return { ...none, memory: NO_HAND_OVER };
  const suspectSince = before.suspectSince ?? now;
  if (missing === 0) return { ...none, memory: { ...NO_HAND_OVER, suspectSince } };
  const window =
    hasArrived === undefined
      ? before.window
      : hasArrived
        ? Math.min(LARGEST_WINDOW, before.window * GROWTH)
        : PROBE;
  const limit = now - suspectSince >= redispatchMs ? Math.min(missing, window) : 0;
  return { limit, promised: Math.min(missing, window), memory: { ...before, suspectSince, window } };
}

/** How many of those due the queue does not hold; undefined when it holds enough for all of them. */
function missingFrom(
  { due, settled }: Pick<HandOverEvidence, 'due' | 'settled'>,
  { visible, inFlight }: QueueCounts,
): number | undefined {
  // Nothing waits for a worker, so nothing that has long been due is about to be taken either. What is in flight and
  // still pending was taken by a worker that died.
  if (visible <= Math.max(CALM_VISIBLE, CALM * inFlight)) return Math.max(0, due - visible);
  const missing = settled - visible - inFlight;
  return missing > TOLERANCE * settled ? missing : undefined;
}
