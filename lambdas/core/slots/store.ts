import type { Dispatched, OccurrenceId, Places, ScheduleId } from '../ids.ts';
import type { Dispatch } from '../occurrence/dispatch.ts';
import type { Occurrence, PendingOccurrence, RunningOccurrence } from '../occurrence/occurrence.ts';
import type { EpochMs } from '../time.ts';
import type { SlotNeed } from './needs.ts';

/** One of the items that a slot is made of: each takes at most `MAX_PLACES` entries. */
export interface Place {
  readonly slot: string;
  readonly stripe: number;
}

/** A place belongs to an attempt, not to a process: a copy of its message finds its own entry there. */
export interface Entry {
  readonly id: OccurrenceId;
  readonly seq: number;
}

/** Places in one stripe: its item stays about 1 KB, which is one write unit. */
export const MAX_PLACES = 10;

export const stripesFor = (limit: number): number => Math.max(1, Math.ceil(limit / MAX_PLACES));

export interface Stripe extends Place {
  /** Its share of the limit. */
  readonly cap: number;
  /** Of the whole slot, as of `since`; absent when the limit was removed: then nobody needs a place. */
  readonly limit: number | undefined;
  readonly since: EpochMs;
  /** Stripes that the slot is made of. */
  readonly stripes: number;
  readonly entries: ReadonlyMap<OccurrenceId, number>;
  /** Somebody waits, as far as is known: who comes now does not pass. */
  readonly hasLine: boolean;
  /** Since when nobody was found to wait, although there is said to be a line. */
  readonly idleSince: EpochMs | undefined;
  /** Counts changes of the limit. In the first stripe: whether the last one has been carried out. */
  readonly epoch: number;
  readonly isSettled: boolean;
  /** Nominal time of the last that took a schedule's own slot: where a look for earlier ones begins. */
  readonly through: EpochMs | undefined;
}

export const hasRoom = ({ entries, cap }: Stripe): boolean => entries.size < cap;

export type Candidate =
  | { readonly kind: 'candidate'; readonly waiting: Waiting }
  /** Whoever the index shows is being woken by others. Whether somebody is behind them is not known. */
  | { readonly kind: 'taken' }
  /** The index shows nobody. */
  | { readonly kind: 'nobody' };

export interface WakeOptions {
  /** Whoever wakes it starts it at once, so that no message is sent for it. Outside workers are not started by anybody. */
  readonly startsIt?: boolean;
}

/** Who waits for a slot, as the index shows: it may have moved on. */
export interface Waiting extends Dispatched {
  readonly pullQueue?: string;
}

export type Taken =
  | { readonly kind: 'taken' }
  /** The stripe as it was met; undefined when there is none yet. */
  | { readonly kind: 'refused'; readonly stripe: Stripe | undefined };

export type Removed =
  | { readonly kind: 'removed'; readonly stripe: Stripe }
  | { readonly kind: 'refused'; readonly stripe: Stripe | undefined };

/** A limit of a slot and when it was decided: of two, the later one is in force. */
export type LimitTerms = Pick<SlotNeed, 'slot' | 'since'> & { readonly limit: number | undefined };

export interface TakeOptions {
  /** For one that was woken, whom the line does not hold up. */
  readonly passing?: boolean;
  /** There are more behind it. */
  readonly marksLine?: boolean;
  /** Noted as the nominal time of the last that took it. */
  readonly through?: EpochMs;
}

/** What a look for those that have to start before one has found. */
export interface Before {
  /** One that is due and stands before it: by when they were first due, as in the line. */
  readonly earlier?: PendingOccurrence | RunningOccurrence;
  /** The first nominal time of one that is not due yet, or stands behind: a later look has to see it again. */
  readonly left?: EpochMs;
}

/**
 * The writes of the protocol for slots (docs/adr/0018-slots-without-transactions.md). Each is one conditional
 * write of one item, and each tells by the item that it met whether it had been done before.
 */
export interface SlotStore {
  /** Asks that there is room and that the slot has no older limit than these terms. */
  take(place: Place, attempt: Dispatched, terms: LimitTerms, options?: TakeOptions): Promise<Taken>;
  /** Makes a slot of one stripe, with its first entry; false when it is there already. */
  create(terms: LimitTerms & { readonly limit: number }, attempt: Dispatched): Promise<boolean>;
  /**
   * Of an entry up to this sequence, all of which are dead. `ifNoLine`: refused where somebody waits. `now`: nobody is known
   * who would take the place, and a slot that may never be used again is purged when that stays so for long.
   */
  remove(
    place: Place,
    dead: Entry,
    options?: { readonly ifNoLine?: boolean; readonly now?: EpochMs },
  ): Promise<Removed>;
  /** Gives the place of a dead attempt to another; refused where the stripe holds more than its share. */
  replace(
    place: Place,
    dead: Entry,
    next: Entry,
    options?: Pick<TakeOptions, 'marksLine' | 'through'>,
  ): Promise<boolean>;
  /** Notes that somebody waits, as long as there is no room; false when there is. */
  markLine(place: Place): Promise<boolean>;
  /** Nobody was found to wait at a marked stripe; the second time, a minute apart, it is unmarked. */
  noteNoLine(stripe: Stripe, now: EpochMs): Promise<void>;
  /** Those that there are, in order. */
  readStripes(slot: string, stripes: readonly number[], consistent?: boolean): Promise<Stripe[]>;

  /** Writes the limit of a slot of one stripe; false when it is of several, or has a later limit. */
  writeLimit(terms: LimitTerms): Promise<boolean>;
  /** Begins a change of the limit of a slot of several stripes: the first stripe as it then is; undefined: a later one is in force. */
  beginLimit(terms: LimitTerms): Promise<Stripe | undefined>;
  /** Has a change that was left half-way done anew: whoever is still at it can write no more. Undefined: somebody else has. */
  restartLimit(first: Stripe): Promise<Stripe | undefined>;
  /** Sets the share of a stripe, and of how many stripes it is one, unless a later change has been at it. */
  share(
    place: Place,
    first: Stripe,
    cap: number,
    after: { readonly frozen: boolean; readonly stripes?: number },
  ): Promise<boolean>;
  /** Notes that a change has been carried out. */
  endLimit(first: Stripe, stripes: number): Promise<void>;

  /** Who waits, first in line first. */
  waiting(slot: string, limit: number): Promise<Waiting[]>;
  /** Who is to be woken next, which nobody else in this process is given; `isContended`: others were quicker. */
  nextWaiting(place: Place, now: EpochMs, isContended?: boolean): Promise<Candidate>;
  /** Every slot of one shard of the index that somebody waits for, in order; those behind `after` where it is given. */
  waitedFor(shard: number, after?: string): AsyncIterable<string>;

  /** pending → pending and waiting, under the next sequence; the places that it `holds` are kept. Undefined: it has moved on. */
  park(pending: PendingOccurrence, slot: string, holds: Places): Promise<PendingOccurrence | undefined>;
  /**
   * waiting → handed over, under the next sequence, with a place in this stripe to come. Undefined: it has moved on, be that by
   * this very request, whose answer was lost. It then finds no place and waits again where it stood; to believe of a wake-up
   * by somebody else that it was this one's would leave a place to nobody.
   */
  wake(waiting: Waiting, place: Place, now: EpochMs, options?: WakeOptions): Promise<Dispatch | undefined>;
  /**
   * pending → pending under the next sequence: what was promised to it in this slot is dead. What it keeps in others stays:
   * its work has begun, or it has waited long.
   */
  fence(pending: PendingOccurrence, slot: string, now: EpochMs): Promise<boolean>;

  /** Occurrences by id, read consistently; what is gone is left out. */
  readMany(ids: readonly OccurrenceId[]): Promise<ReadonlyMap<OccurrenceId, Occurrence>>;
  /** Who of its schedule has to start before this one: of nominal times from then on, read consistently. */
  lookBefore(pending: PendingOccurrence, from: EpochMs | undefined, now: EpochMs): Promise<Before>;
  /** Those of a schedule that wait for its own slot, from a nominal time on, read consistently. */
  ownWaiting(schedule: ScheduleId, slot: string, from: EpochMs | undefined): Promise<PendingOccurrence[]>;
}

/** What a process has seen of full slots a moment ago. */
export interface FullSlots {
  note(stripe: Stripe, now: EpochMs): void;
  find(place: Place, now: EpochMs): Stripe | undefined;
}
