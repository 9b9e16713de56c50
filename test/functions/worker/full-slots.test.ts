import { describe, expect, it } from 'vitest';
import type { Stripe } from '../../../lambdas/core/slots/store.ts';
import { SECOND } from '../../../lambdas/core/time.ts';
import { createFullSlots } from '../../../lambdas/worker/full-slots.ts';
import { at, NOON } from '../../support/fixtures.ts';

const SLOT = 'key:database';

describe('a full slot', () => {
  const stripe = (name: string, number: number) => ({ slot: name, stripe: number }) as Stripe;

  it('is known for a moment, each stripe by itself', () => {
    const full = createFullSlots();
    full.note(stripe(SLOT, 3), NOON);
    expect(full.find({ slot: SLOT, stripe: 3 }, at(SECOND))).toBeDefined();
    expect(full.find({ slot: SLOT, stripe: 2 }, at(SECOND))).toBeUndefined();
    expect(full.find({ slot: SLOT, stripe: 3 }, at(2 * SECOND))).toBeUndefined();
  });

  it('is forgotten where there are very many', () => {
    const full = createFullSlots();
    for (let number = 0; number <= 1_000; number += 1) full.note(stripe(`key:${number}`, 0), NOON);
    expect(full.find({ slot: 'key:0', stripe: 0 }, NOON)).toBeUndefined();
    expect(full.find({ slot: 'key:1000', stripe: 0 }, NOON)).toBeDefined();
  });
});
