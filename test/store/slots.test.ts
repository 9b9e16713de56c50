import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSlots } from '../../lambdas/adapters/dynamodb/slot-items.ts';
import { type OccurrenceKey, occurrenceId } from '../../lambdas/core/ids.ts';
import type { RunningOccurrence } from '../../lambdas/core/occurrence.ts';
import type { ClaimResult } from '../../lambdas/core/ports.ts';
import { epochMs, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, freshId, NOON } from '../support/fixtures.ts';
import { dispatched, keyOf, readPending, seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const need = (limit = 1) => ({ slot: `key:${freshId()}`, limit });
type Need = ReturnType<typeof need>;

function claim(key: OccurrenceKey, needs: Need[], now = NOON, holder = 'w1'): Promise<ClaimResult> {
  return stores.occurrences.claim(dispatched(key), { holder, expiresAt: epochMs(now + MINUTE) }, now, needs);
}

async function started(
  key: OccurrenceKey,
  needs: Need[],
  now = NOON,
  holder = 'w1',
): Promise<RunningOccurrence> {
  const result = await claim(key, needs, now, holder);
  if (result.kind !== 'claimed') throw new Error(`It is ${result.kind}.`);
  return result.occurrence;
}

async function blockedOn(key: OccurrenceKey, needs: Need[], now = NOON) {
  const result = await claim(key, needs, now, 'w2');
  if (result.kind !== 'blocked') throw new Error(`It is ${result.kind}.`);
  return result;
}

function succeed(running: RunningOccurrence, now = at(SECOND)) {
  const record = { attempt: 1, startedAt: NOON, finishedAt: now, outcome: 'succeeded' as const };
  return stores.occurrences.settle(running, { kind: 'succeeded', record }, now);
}

async function pendingKeys(count: number): Promise<OccurrenceKey[]> {
  const times = Array.from({ length: count }, (_, i) => at(-i));
  const of = await seedSchedule(stores, times);
  return times.reverse().map((time) => keyOf(of, time));
}

async function slotNow(of: Need) {
  const [slot] = await readSlots(stores.context, [of.slot]);
  return { holders: [...(slot?.holders.keys() ?? [])], waiting: [...(slot?.waiting.keys() ?? [])] };
}

describe('a slot', () => {
  it('is taken with the claim and given back with the settlement', async () => {
    const [a] = (await pendingKeys(1)) as [OccurrenceKey];
    const slot = need();
    const running = await started(a, [slot]);
    expect(running.slots).toEqual([slot.slot]);
    expect(await slotNow(slot)).toEqual({ holders: [occurrenceId(a)], waiting: [] });
    expect(await succeed(running)).toEqual({ kind: 'done' });
    expect(await slotNow(slot)).toEqual({ holders: [], waiting: [] });
  });

  it('blocks who comes when it is full, and says who holds it', async () => {
    const [a, b] = (await pendingKeys(2)) as [OccurrenceKey, OccurrenceKey];
    const slot = need();
    await started(a, [slot]);
    expect(await blockedOn(b, [slot])).toMatchObject({
      need: slot,
      by: occurrenceId(a),
      occurrence: { status: 'pending' },
    });
  });

  it('is held by as many as its limit says, however many claim at once', async () => {
    const keys = await pendingKeys(12);
    const slot = need(3);
    const claims = await Promise.all(keys.map((key, i) => claim(key, [slot], NOON, `w${i}`)));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(3);
    expect((await slotNow(slot)).holders).toHaveLength(3);
  });

  it('of several is taken only with all the others', async () => {
    const [a, b] = (await pendingKeys(2)) as [OccurrenceKey, OccurrenceKey];
    const [shared, own] = [need(), need()];
    await started(a, [shared]);
    await blockedOn(b, [own, shared]);
    expect((await slotNow(own)).holders).toEqual([]);
  });

  it('is taken over from a holder whose lease has expired, and not before', async () => {
    const [a, b] = (await pendingKeys(2)) as [OccurrenceKey, OccurrenceKey];
    const slot = need();
    const dead = await started(a, [slot]);
    await blockedOn(b, [slot], at(MINUTE));
    const next = await started(b, [slot], at(MINUTE + 1), 'w2');
    expect((await slotNow(slot)).holders).toEqual([occurrenceId(b)]);
    // The sweep then ends the dead attempt, which must not give back a slot that is another's by now.
    const record = {
      attempt: 1,
      startedAt: NOON,
      finishedAt: at(2 * MINUTE),
      outcome: 'lease-expired' as const,
    };
    await stores.occurrences.expire(dead, { kind: 'retry', record, dueAt: at(3 * MINUTE) }, at(2 * MINUTE));
    expect((await slotNow(slot)).holders).toEqual([occurrenceId(b)]);
    await succeed(next);
    expect((await slotNow(slot)).holders).toEqual([]);
  });

  it('is not freed by a settlement that lost its lease', async () => {
    const [a] = (await pendingKeys(1)) as [OccurrenceKey];
    const slot = need();
    const running = await started(a, [slot]);
    const stale = { ...running, fencingToken: running.fencingToken - 1 };
    expect(await succeed(stale)).toEqual({ kind: 'lost-lease' });
    expect((await slotNow(slot)).holders).toEqual([occurrenceId(a)]);
  });
});

describe('the line for a slot', () => {
  it('wakes the one that waited longest when the slot is given back', async () => {
    const [a, b, c] = (await pendingKeys(3)) as [OccurrenceKey, OccurrenceKey, OccurrenceKey];
    const slot = need();
    const running = await started(a, [slot]);
    for (const key of [c, b]) {
      const { occurrence } = await blockedOn(key, [slot]);
      expect(await stores.occurrences.waitForSlot(occurrence, slot, 10)).toEqual({ kind: 'waiting' });
    }
    expect(await readPending(stores, b)).toMatchObject({ waitingFor: slot.slot, dispatchSeq: 1 });
    await succeed(running);
    const woken = await readPending(stores, b);
    expect(woken.dispatchSeq).toBe(2);
    expect(woken.waitingFor).toBeUndefined();
    expect((await readPending(stores, c)).dispatchSeq).toBe(1);
    expect(await slotNow(slot)).toEqual({ holders: [], waiting: [occurrenceId(c)] });
  });

  it('takes nobody when the slot was given back meanwhile', async () => {
    const [a, b] = (await pendingKeys(2)) as [OccurrenceKey, OccurrenceKey];
    const slot = need();
    const running = await started(a, [slot]);
    const { occurrence } = await blockedOn(b, [slot]);
    await succeed(running);
    expect(await stores.occurrences.waitForSlot(occurrence, slot, 10)).toEqual({ kind: 'free' });
  });

  it('has as many places as the policy gives, and says who is first', async () => {
    const [a, b, c] = (await pendingKeys(3)) as [OccurrenceKey, OccurrenceKey, OccurrenceKey];
    const slot = need();
    await started(a, [slot]);
    const first = await blockedOn(b, [slot]);
    await stores.occurrences.waitForSlot(first.occurrence, slot, 1);
    const second = await blockedOn(c, [slot]);
    expect(await stores.occurrences.waitForSlot(second.occurrence, slot, 1)).toEqual({
      kind: 'full',
      by: occurrenceId(b),
    });
    // Asking again for a place that one has is no second place.
    expect(await stores.occurrences.waitForSlot(first.occurrence, slot, 1)).toEqual({ kind: 'waiting' });
  });

  it('loses the place of one that is no longer pending', async () => {
    const [a, b, c] = (await pendingKeys(3)) as [OccurrenceKey, OccurrenceKey, OccurrenceKey];
    const slot = need();
    const running = await started(a, [slot]);
    const first = await blockedOn(b, [slot]);
    await stores.occurrences.waitForSlot(first.occurrence, slot, 1);
    await stores.occurrences.skip(await readPending(stores, b), 'user', undefined, NOON);
    const second = await blockedOn(c, [slot]);
    expect(await stores.occurrences.waitForSlot(second.occurrence, slot, 1)).toEqual({ kind: 'waiting' });
    await succeed(running);
    expect((await readPending(stores, c)).dispatchSeq).toBe(2);
  });

  it('wakes the next when the first was cancelled while it waited', async () => {
    const [a, b, c] = (await pendingKeys(3)) as [OccurrenceKey, OccurrenceKey, OccurrenceKey];
    const slot = need();
    const running = await started(a, [slot]);
    for (const key of [b, c]) {
      await stores.occurrences.waitForSlot((await blockedOn(key, [slot])).occurrence, slot, 10);
    }
    await stores.occurrences.skip(await readPending(stores, b), 'user', undefined, NOON);
    expect(await succeed(running)).toEqual({ kind: 'done' });
    expect((await readPending(stores, c)).dispatchSeq).toBe(2);
    expect(await slotNow(slot)).toEqual({ holders: [], waiting: [] });
  });

  it('is left without a wake-up lost, whoever comes to wait while the slot is given back', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = (await pendingKeys(2)) as [OccurrenceKey, OccurrenceKey];
      const slot = need();
      const running = await started(a, [slot]);
      const { occurrence } = await blockedOn(b, [slot]);
      const [waited] = await Promise.all([
        stores.occurrences.waitForSlot(occurrence, slot, 10),
        succeed(running),
      ]);
      const after = await readPending(stores, b);
      // Either it was told that the slot is free, or it was woken.
      if (waited.kind === 'waiting') expect(after.dispatchSeq).toBe(2);
      else expect(waited.kind).toBe('free');
    }
  });
});

describe('a request to cancel', () => {
  it('is found by the holder at its next renewal', async () => {
    const [a] = (await pendingKeys(1)) as [OccurrenceKey];
    const running = await started(a, []);
    expect(await stores.occurrences.requestCancel(a, 'user')).toEqual({ kind: 'done' });
    expect(await stores.occurrences.renew(running, at(2 * MINUTE), NOON)).toEqual({
      kind: 'cancel-requested',
      reason: 'user',
    });
  });

  it('is refused for what does not run', async () => {
    const [a] = (await pendingKeys(1)) as [OccurrenceKey];
    expect(await stores.occurrences.requestCancel(a, 'user')).toEqual({ kind: 'lost-lease' });
  });
});
