import {
  type Dispatched,
  type OccurrenceId,
  type OccurrenceKey,
  occurrenceId,
  parseOccurrenceId,
} from '../../core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../core/occurrence.ts';
import type { ClaimResult, LeaseTerms, Settlement, SettleResult, WaitResult } from '../../core/ports.ts';
import type { SlotNeed } from '../../core/slots.ts';
import type { EpochMs } from '../../core/time.ts';
import type { StoreContext } from './client.ts';
import {
  and,
  conditioned,
  dispatchSeqIs,
  type Expression,
  expression,
  isAbsent,
  isPending,
  placeholders,
} from './conditions.ts';
import type { Item } from './head-items.ts';
import { occurrenceItemKey, slotKey } from './keys.ts';
import { occurrenceOf } from './occurrence-items.ts';
import { claimAs, mayEndAs, refusedEnd } from './occurrence-moves.ts';
import { claimUpdate, isClaimable, settlementUpdate } from './occurrence-updates.ts';
import { newSlotItem, readNamed, readSlots, type Slot } from './slot-items.ts';
import { dropFromLine, placeInLine, readLine } from './slot-line.ts';
import { transact, type WriteAction } from './transact.ts';

/**
 * Moves that take or give back slots, each one transaction over the occurrence and its slots. A round reads the
 * slots, decides, and writes on the condition that what it saw still holds; a round that lost is repeated.
 */
const MAX_ROUNDS = 10;
/** Rounds that only drop left-over entries and lose to nobody; enough for a line that is full of them. */
const MAX_CLEARINGS = 40;

const contended = (what: string) =>
  new Error(`${what} kept losing to others; its message comes again and the sweep looks after it.`);

function update(
  context: StoreContext,
  key: { pk: string; sk: string },
  write: Expression,
  condition: Expression,
): WriteAction {
  return {
    Update: {
      TableName: context.occurrencesTable,
      Key: key,
      UpdateExpression: write.text,
      ConditionExpression: condition.text,
      ...placeholders(write, condition),
    },
  };
}

const entry = (text: string, id: OccurrenceId, values: Record<string, unknown> = {}): Expression => ({
  text,
  names: { '#id': id },
  values,
});

// ---- claim -------------------------------------------------------------------------------------------------

/** pending and due → running, taking every slot that it needs; or the slot that is full and who holds it. */
export async function claimWithSlots(
  context: StoreContext,
  key: Dispatched,
  lease: LeaseTerms,
  now: EpochMs,
  needs: readonly SlotNeed[],
): Promise<ClaimResult> {
  const id = occurrenceId(key);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Mostly there is room, so the first round does not look and lets the conditions say whether there is.
    const plan =
      round === 0
        ? { actions: needs.map((need) => takeFree(context, need, id, lease.holder)) }
        : await planTakes(context, needs, id, lease.holder, now);
    if ('by' in plan) return blockedOrGone(context, key, plan.need, plan.by);
    const claim = update(
      context,
      occurrenceItemKey(key),
      claimUpdate(
        lease,
        now,
        needs.map(({ slot }) => slot),
      ),
      isClaimable(key, now),
    );
    const result = await transact(context.client, [claim, ...plan.actions]);
    const found = (await readNamed(context, [id])).get(id);
    const occurrence = found && occurrenceOf(found);
    if (result.kind === 'committed' || result.failed.has(0)) return claimAs(key, lease, occurrence);
  }
  throw contended(`The claim of ${id}`);
}

async function blockedOrGone(
  context: StoreContext,
  key: OccurrenceKey,
  need: SlotNeed,
  by: OccurrenceId,
): Promise<ClaimResult> {
  const id = occurrenceId(key);
  const item = (await readNamed(context, [id])).get(id);
  const occurrence = item && occurrenceOf(item);
  if (occurrence?.status !== 'pending') return { kind: 'not-claimable', occurrence };
  return { kind: 'blocked', need, by, occurrence };
}

/** The writes that take all slots, or the first that is full. */
async function planTakes(
  context: StoreContext,
  needs: readonly SlotNeed[],
  id: OccurrenceId,
  holder: string,
  now: EpochMs,
): Promise<{ readonly actions: WriteAction[] } | { readonly need: SlotNeed; readonly by: OccurrenceId }> {
  const slots = await readSlots(
    context,
    needs.map(({ slot }) => slot),
  );
  const actions: WriteAction[] = [];
  for (const [index, need] of needs.entries()) {
    const take = await planTake(context, slots[index] as Slot, need, id, holder, now);
    if ('by' in take) return { need, by: take.by };
    actions.push(take.action);
  }
  return { actions };
}

const TAKE = 'SET holders.#id = :lease_holder';

/** Takes a slot that was used before, if it has room. */
function takeFree(context: StoreContext, need: SlotNeed, id: OccurrenceId, holder: string): WriteAction {
  const exists = expression('attribute_exists(holders)');
  const room = entry('attribute_exists(holders.#id) OR size(holders) < :limit', id, { ':limit': need.limit });
  const write = entry(`${TAKE} REMOVE waiting.#id, purge_at`, id, { ':lease_holder': holder });
  return update(context, slotKey(need.slot), write, and(exists, room));
}

/** Takes a slot that nobody has used yet. */
function takeNew(context: StoreContext, need: SlotNeed, id: OccurrenceId, holder: string): WriteAction {
  const Item = newSlotItem(need.slot, id, holder);
  return { Put: { TableName: context.occurrencesTable, Item, ...conditioned(isAbsent) } };
}

/**
 * The write that takes a slot: into free room, or in place of a holder that no longer runs (its worker died and
 * its lease expired, or its record is gone). A wedged slot is thereby impossible. One that was to be purged stays:
 * its item must not go while somebody holds it.
 */
async function planTake(
  context: StoreContext,
  slot: Slot,
  need: SlotNeed,
  id: OccurrenceId,
  holder: string,
  now: EpochMs,
): Promise<{ readonly action: WriteAction } | { readonly by: OccurrenceId }> {
  if (!slot.exists) return { action: takeNew(context, need, id, holder) };
  const others = [...slot.holders.keys()].filter((other) => other !== id);
  if (others.length < need.limit) return { action: takeFree(context, need, id, holder) };
  const named = await readNamed(context, others);
  const stale = others.find((other) => !holdsValidly(named.get(other), slot.holders.get(other), now));
  const [first] = others;
  if (stale === undefined) return { by: first as OccurrenceId };
  const seen: Expression = {
    text: 'holders.#stale = :stale_holder AND size(holders) <= :limit',
    names: { '#stale': stale },
    values: { ':stale_holder': slot.holders.get(stale), ':limit': need.limit },
  };
  const write = entry(`${TAKE} REMOVE holders.#stale, waiting.#id, purge_at`, id, {
    ':lease_holder': holder,
  });
  return { action: update(context, slotKey(slot.slot), write, seen) };
}

function holdsValidly(item: Item | undefined, holder: string | undefined, now: EpochMs): boolean {
  return item?.status === 'running' && item.holder === holder && (item.lease_expires_at as number) >= now;
}

// ---- settle ------------------------------------------------------------------------------------------------

/** Ends an attempt, gives its slots back, and wakes the occurrence that waited longest for each. */
export async function settleWithSlots(
  context: StoreContext,
  running: RunningOccurrence,
  settlement: Settlement,
  condition: Expression,
  now: EpochMs,
): Promise<SettleResult> {
  const id = occurrenceId(running);
  const settle = update(
    context,
    occurrenceItemKey(running),
    settlementUpdate(context, running, settlement, now),
    and(condition, mayEndAs(settlement)),
  );
  let cleared = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Mostly nobody waits, so the first round does not look and lets the conditions say whether somebody does.
    const slots = round === 0 ? running.slots.map(withoutLine) : await readSlots(context, running.slots);
    const lines = await Promise.all(slots.map((slot) => clearedLine(context, slot, id)));
    if (lines.some((line) => line === undefined) && cleared < MAX_CLEARINGS) {
      cleared += 1;
      round -= 1;
      continue;
    }
    const next = lines.map((line) => line?.[0]);
    const releases = slots.map((slot, index) => releaseOf(context, slot, id, next[index]));
    const wakes = slots.flatMap(({ slot }, index) => {
      const one = next[index];
      return one === undefined ? [] : [wakeOf(context, one, slot)];
    });
    const result = await transact(context.client, [settle, ...releases, ...wakes]);
    if (result.kind === 'committed') return { kind: 'done' };
    if (result.failed.has(0)) {
      const found = (await readNamed(context, [id])).get(id);
      return refusedEnd(running, settlement, found);
    }
  }
  throw contended(`The settlement of ${id}`);
}

const withoutLine = (slot: string): Slot => ({ slot, exists: true, holders: new Map(), waiting: new Map() });

/** Who waits, after what is left over in the line was dropped; undefined when it must be read again. */
async function clearedLine(
  context: StoreContext,
  slot: Slot,
  without: OccurrenceId,
): Promise<readonly OccurrenceId[] | undefined> {
  const { waiting, leftOver } = await readLine(context, slot, without);
  if (leftOver.length === 0) return waiting;
  await dropFromLine(context, slot, leftOver);
  return undefined;
}

/** Conditional on the line as it was seen: one that came to wait meanwhile would otherwise sleep on. */
function releaseOf(
  context: StoreContext,
  slot: Slot,
  id: OccurrenceId,
  next: OccurrenceId | undefined,
): WriteAction {
  const write = next === undefined ? 'REMOVE holders.#id' : 'REMOVE holders.#id, waiting.#next';
  const names = { '#id': id, ...(next !== undefined && { '#next': next }) };
  const seen: Expression =
    next === undefined
      ? {
          text: 'size(waiting) = :none OR attribute_exists(waiting.#id)',
          names: { '#id': id },
          values: { ':none': 0 },
        }
      : { text: 'attribute_exists(waiting.#next)', names: { '#next': next }, values: {} };
  return update(context, slotKey(slot.slot), { text: write, names, values: {} }, seen);
}

/** Has a waiting occurrence handed over again, which is how it is started. */
function wakeOf(context: StoreContext, id: OccurrenceId, slot: string): WriteAction {
  const key = parseOccurrenceId(id);
  if (!key) throw new Error(`A slot's line names ${id}, which is no occurrence id.`);
  const write = expression('ADD dispatch_seq :one REMOVE waiting_for', [], { ':one': 1 });
  const waits = expression('waiting_for = :slot', [], { ':slot': slot });
  return update(context, occurrenceItemKey(key), write, and(isPending, waits));
}

// ---- wait --------------------------------------------------------------------------------------------------

/** Puts a blocked occurrence in its slot's line, as long as the slot is full and the line is not. */
export async function waitForSlot(
  context: StoreContext,
  pending: PendingOccurrence,
  need: SlotNeed,
  capacity: number,
): Promise<WaitResult> {
  const id = occurrenceId(pending);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const room = entry('attribute_exists(waiting.#id) OR size(waiting) < :capacity', id, {
      ':capacity': capacity,
    });
    const taken = expression('size(holders) >= :limit', [], { ':limit': need.limit });
    const join = update(
      context,
      slotKey(need.slot),
      entry('SET waiting.#id = :due', id, { ':due': placeInLine(pending) }),
      and(taken, room),
    );
    const mark = update(
      context,
      occurrenceItemKey(pending),
      expression('SET waiting_for = :slot, arrived = :yes', [], { ':slot': need.slot, ':yes': true }),
      and(isPending, dispatchSeqIs(pending.dispatchSeq)),
    );
    const result = await transact(context.client, [join, mark]);
    if (result.kind === 'committed') return { kind: 'waiting' };
    if (result.failed.has(1)) return { kind: 'changed' };
    const [slot] = await readSlots(context, [need.slot]);
    if (!slot || slot.holders.size < need.limit) return { kind: 'free' };
    const { waiting, leftOver } = await readLine(context, slot, id);
    await dropFromLine(context, slot, leftOver);
    const [first] = waiting;
    // Not full for having been refused: the slot may have been free just then, and taken again since.
    const full = slot.waiting.size >= capacity;
    if (full && leftOver.length === 0 && first !== undefined) return { kind: 'full', by: first };
  }
  throw contended(`The place of ${id} in the line of ${need.slot}`);
}
