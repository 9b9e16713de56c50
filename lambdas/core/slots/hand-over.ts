import { type Dispatched, occurrenceId, type Places } from '../ids.ts';
import type { Dispatch } from '../occurrence/dispatch.ts';
import type { PendingOccurrence, RunningOccurrence } from '../occurrence/occurrence.ts';
import { sideBySide } from '../side-by-side.ts';
import { type EpochMs, epochMs } from '../time.ts';
import { type Held, heldBy } from './entries.ts';
import { isOwnSlot } from './needs.ts';
import {
  type Entry,
  hasRoom,
  type Place,
  type SlotStore,
  type Stripe,
  type Taken,
  type Waiting,
} from './store.ts';

/** Of those that wait, until the place is left to the sweep: others hand places over at the same time. */
const MAX_TRIED = 40;
const CONCURRENCY = 8;

/**
 * Gives back the places of an attempt that is dead, each to the first that waits for it. It is dead before, so that a
 * crash anywhere in here loses nothing: the sweep finds the entries dead, and whoever waits still waiting.
 */
export async function giveBack(
  slots: SlotStore,
  held: readonly Held[],
  now: EpochMs,
  from: From = {},
  startNext?: StartNext,
): Promise<void> {
  await Promise.all(held.map((one) => giveBackPlace(slots, one, from, now, startNext)));
}

/** Starts one that was woken, and that `holds` these places; without it whoever is woken is sent to the work queue. */
export type StartNext = (woken: Dispatch, holds: Places) => void;

interface From {
  /** It has stood in a line itself, so that somebody behind it is likely. */
  readonly waited?: boolean;
  /** Nominal time of one that has started. */
  readonly through?: EpochMs;
}

/**
 * After an end that is written, and whoever asked for that is answered whatever becomes of this: should it fail, the sweep
 * finds the entries of what has ended.
 */
export async function giveBackQuietly(
  slots: SlotStore,
  before: PendingOccurrence | RunningOccurrence,
  now: EpochMs,
  keeps: Readonly<Record<string, unknown>> = {},
  startNext?: StartNext,
): Promise<void> {
  const held = heldBy(before).filter(({ slot }) => !(slot in keeps));
  if (held.length === 0) return;
  const from =
    before.status === 'running' ? { waited: before.waited === true, through: throughOf(before) } : {};
  await giveBack(slots, held, now, from, startNext).catch(() => undefined);
}

const throughOf = ({ through, scheduledTime, attemptStartedAt }: RunningOccurrence): EpochMs =>
  through ?? epochMs(Math.min(scheduledTime, attemptStartedAt));

async function giveBackPlace(
  slots: SlotStore,
  held: Held,
  { waited = false, through }: From,
  now: EpochMs,
  startNext?: StartNext,
): Promise<void> {
  let met: Stripe | undefined;
  if (!waited) {
    const removed = await slots.remove(held, held, { now, ifNoLine: true });
    if (removed.kind === 'removed')
      return removed.stripe.stripes > 1 ? void (await fill(slots, held, now, startNext)) : undefined;
    met = removed.stripe;
    const seq = met?.entries.get(held.id);
    // One that is kept over retries is of an earlier sequence.
    if (seq === undefined || seq > held.seq) return;
  }
  const isOver = met !== undefined && met.entries.size > met.cap;
  const first = isOver ? undefined : await wakeFirst(slots, held, now, startNext !== undefined);
  const after = through !== undefined && isOwnSlot(held.slot) ? { through } : {};
  if (first?.kind === 'woken') {
    const { woken } = first;
    // Refused where the dead entry is gone already, too: then there is room.
    const isGiven =
      (await slots.replace(held, held, entryOf(woken), after)) ||
      (await takeFor(slots, held, woken, { marksLine: true })).kind === 'taken';
    startIfMine(woken, isGiven ? { [held.slot]: held.stripe } : {}, startNext);
    if (isGiven) return;
  }
  const { kind, stripe: left } = await slots.remove(held, held, { now });
  if (!left || !first) return;
  // Free now: for whoever comes after one that has found a place by itself, and for whoever came to wait after the look
  // and saw the place still taken. Who comes from now on sees it free.
  const isFree = kind === 'removed' && hasRoom(left) && (first.kind === 'woken' || left.hasLine);
  const again = isFree ? await fill(slots, held, now, startNext) : first.kind;
  if (first.kind === 'nobody' && again === 'nobody' && left.hasLine) await slots.noteNoLine(left, now);
}

function startIfMine({ pullQueue, dispatch }: Woken, holds: Places, startNext: StartNext | undefined): void {
  if (pullQueue === undefined) startNext?.(dispatch, holds);
}

/** Of many stripes only those know of a line that a hand-over has come by: the index knows of it. */
async function fill(
  slots: SlotStore,
  place: Held,
  now: EpochMs,
  startNext?: StartNext,
): Promise<First['kind']> {
  const first = await wakeFirst(slots, place, now, startNext !== undefined);
  if (first.kind !== 'woken') return first.kind;
  const { kind } = await takeFor(slots, place, first.woken, { marksLine: true });
  startIfMine(first.woken, kind === 'taken' ? { [place.slot]: place.stripe } : {}, startNext);
  return 'woken';
}

/** For another, which is told or will come. Where there is no room any more it waits, in the place that is its due. */
export function takeFor(
  slots: SlotStore,
  place: Place,
  attempt: Dispatched,
  { marksLine = false }: { readonly marksLine?: boolean } = {},
): Promise<Taken> {
  const terms = { slot: place.slot, limit: undefined, since: epochMs(0) };
  return slots.take(place, attempt, terms, { passing: true, marksLine });
}

const entryOf = (one: Dispatched): Entry => ({ id: occurrenceId(one), seq: one.dispatchSeq });

/** As it is once it was woken: under the next sequence. */
interface Woken extends Waiting {
  readonly dispatch: Dispatch;
}

const wokenAs = (one: Waiting, dispatch: Dispatch): Woken => ({
  ...one,
  dispatchSeq: dispatch.seq,
  dispatch,
});

type First =
  | { readonly kind: 'woken'; readonly woken: Woken }
  /** All that the index shows have moved on. Whether somebody is behind them is not known. */
  | { readonly kind: 'gone' }
  /** The index shows nobody. */
  | { readonly kind: 'nobody' };

/** Wakes the first that waits for a place in this stripe. */
async function wakeFirst(slots: SlotStore, held: Held, now: EpochMs, startsIt: boolean): Promise<First> {
  for (let tried = 0; tried < MAX_TRIED; tried += 1) {
    const candidate = await slots.nextWaiting(held, now, tried > 0);
    if (candidate.kind === 'nobody') return candidate;
    if (candidate.kind === 'taken') continue;
    const { waiting } = candidate;
    const dispatch = await slots.wake(waiting, held, now, { startsIt });
    if (dispatch) return { kind: 'woken', woken: wokenAs(waiting, dispatch) };
  }
  return { kind: 'gone' };
}

/**
 * Hands out the room that there is in these stripes of a slot to those that wait for it, first come first. Who is woken
 * and then finds no room comes, and waits again in its old place. Answers how many were woken.
 */
export async function handOut(
  slots: SlotStore,
  slot: string,
  stripes: readonly Stripe[],
  now: EpochMs,
  more: readonly Waiting[] = [],
): Promise<number> {
  const places = stripes.flatMap((stripe) =>
    Array.from({ length: Math.max(0, stripe.cap - stripe.entries.size) }, () => stripe),
  );
  if (places.length === 0) return 0;
  const shown = await slots.waiting(slot, places.length + 2);
  const isShown = new Set(shown.map(occurrenceId));
  const line = [...shown, ...more.filter((one) => !isShown.has(occurrenceId(one)))];
  let handed = 0;
  let next = 0;
  await sideBySide(places, CONCURRENCY, async (place) => {
    for (;;) {
      const one = line[next];
      if (!one) return;
      next += 1;
      const dispatch = await slots.wake(one, place, now);
      if (!dispatch) continue;
      handed += 1;
      await takeFor(slots, place, wokenAs(one, dispatch), { marksLine: line.length > places.length });
      return;
    }
  });
  return handed;
}

/**
 * Looks at the stripe that was full again, after one has come to wait for it: it may have been given back in between, and
 * then nobody would wake anybody. Where there is no room the line is marked, and whoever gives a place back sees it.
 */
export async function lookAgain(
  slots: SlotStore,
  place: Place,
  parked: Waiting,
  now: EpochMs,
): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const [stripe] = await slots.readStripes(place.slot, [place.stripe]);
    if (!stripe) return;
    const id = occurrenceId(parked);
    const own = stripe.entries.get(id);
    if (own !== undefined && own < parked.dispatchSeq) {
      // Promised to it while it was about to wait: an attempt that is no more.
      await slots.remove(place, { id, seq: own });
    } else if (hasRoom(stripe)) {
      if ((await handOut(slots, place.slot, [stripe], now, [parked])) > 0) return;
    } else if ((stripe.hasLine && stripe.idleSince === undefined) || (await slots.markLine(place))) return;
  }
}
