import { describe, expect, it } from 'vitest';
import { Candidates } from '../../../lambdas/adapters/dynamodb/slots/candidates.ts';
import type { Waiting } from '../../../lambdas/core/slots/store.ts';
import { SECOND } from '../../../lambdas/core/time.ts';
import { at, head, NOON } from '../../support/fixtures.ts';
import { planned } from '../../support/seed.ts';

const SLOT = 'key:database';

/** An index that shows the same line until it is told that some have gone. */
function index(count: number) {
  let line: Waiting[] = Array.from({ length: count }, (_, second) => ({
    ...planned(head(), at(second * SECOND)),
    dispatchSeq: 2,
  }));
  let looks = 0;
  const candidates = new Candidates(async (_, limit) => {
    looks += 1;
    return line.slice(0, limit);
  });
  const next = async (now = NOON, stripe = 0, isContended = false) => {
    const candidate = await candidates.next({ slot: SLOT, stripe }, now, isContended);
    return candidate.kind === 'candidate'
      ? (candidate.waiting.scheduledTime - NOON) / SECOND
      : candidate.kind;
  };
  return { next, looks: () => looks, leave: (some: number) => (line = line.slice(some)) };
}

describe('who is woken next', () => {
  it('differs for each that hands over in one process, in order, by one look at the index', async () => {
    const { next, looks } = index(30);
    const given = await Promise.all(Array.from({ length: 20 }, () => next()));
    expect(given).toEqual(Array.from({ length: 20 }, (_, place) => place));
    expect(looks()).toBe(1);
  });

  it('is looked up again after a moment, without those who are being woken', async () => {
    const { next, looks } = index(3);
    expect(await next()).toBe(0);
    expect(await next(at(SECOND / 2))).toBe(1);
    expect(looks()).toBe(2);
  });

  it('is given again where nothing came of it', async () => {
    const { next } = index(1);
    expect(await next()).toBe(0);
    expect(await next(at(SECOND / 2))).toBe('taken');
    expect(await next(at(2 * SECOND))).toBe(0);
  });

  it('is nobody only when the index shows nobody', async () => {
    const { next, leave } = index(2);
    expect([await next(), await next(), await next()]).toEqual([0, 1, 'taken']);
    leave(2);
    expect(await next()).toBe('nobody');
  });

  it('is not nobody by a look that began before the question', async () => {
    const answers = [Promise.withResolvers<Waiting[]>(), Promise.withResolvers<Waiting[]>()];
    let looks = 0;
    const candidates = new Candidates(() => {
      looks += 1;
      return answers[looks - 1]?.promise ?? Promise.resolve([]);
    });
    const place = { slot: SLOT, stripe: 0 };
    const first = candidates.next(place, NOON);
    const second = candidates.next(place, NOON);
    answers[0]?.resolve([]);
    answers[1]?.resolve([{ ...planned(head(), NOON), dispatchSeq: 2 }]);
    expect((await first).kind).toBe('nobody');
    expect((await second).kind).toBe('candidate');
  });

  it('is elsewhere in the line, by stripe, for one that found others quicker', async () => {
    const { next } = index(30);
    expect(await next(NOON, 1)).toBe(0);
    expect(await next(NOON, 1, true)).toBe(6);
    expect(await next(NOON, 2, true)).toBe(12);
    expect(await next(NOON, 2)).toBe(1);
  });
});
