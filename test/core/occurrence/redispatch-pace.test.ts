import { describe, expect, it } from 'vitest';
import {
  decideHandOver,
  type HandOverEvidence,
  type HandOverMemory,
  NO_HAND_OVER,
} from '../../../lambdas/core/occurrence/redispatch-pace.ts';
import { MINUTE } from '../../../lambdas/core/time.ts';
import { at, NOON } from '../../support/fixtures.ts';

const REDISPATCH = 2 * MINUTE;
const seen = (due: number, visible: number, inFlight = 0): HandOverEvidence => ({
  due,
  settled: due,
  queue: { visible, inFlight },
  hasArrived: undefined,
});

/** How many may be handed over in each of these passes, a minute apart. */
function limits(passes: readonly HandOverEvidence[], before: HandOverMemory = NO_HAND_OVER): number[] {
  let memory = before;
  return passes.map((evidence, minute) => {
    const decided = decideHandOver(memory, evidence, REDISPATCH, at(minute * MINUTE));
    // As if something was handed over each time that it was allowed.
    memory = decided.limit > 0 ? { ...decided.memory, last: { at: NOON, sample: [] } } : decided.memory;
    return decided.limit;
  });
}
const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

describe('what is handed over again', () => {
  it.each([
    ['waits in the queue', seen(60_000, 60_000)],
    ['waits in the queue, or is with workers', seen(60_000, 40_000, 20_000)],
    ['waits there as far as approximate counts can tell', seen(60_000, 50_000, 5_000)],
    ['is more than what one pass has seen', seen(20_000, 300_000)],
    ['is nothing', seen(0, 0)],
    ['has only just been sent', { ...seen(9_000, 4_000), settled: 4_000 }],
  ])('is nothing when what is due %s', (_, evidence) => {
    expect(limits(times(30, evidence))).toEqual(times(30, 0));
  });

  it('is what no message can be there for, once that has been so for a while', () => {
    expect(limits(times(4, seen(400, 0)))).toEqual([0, 0, 400, 400]);
    expect(limits(times(4, seen(60_000, 20_000, 10_000)))).toEqual([0, 0, 1_000, 1_000]);
  });

  it('begins anew when the queue held all of it in between', () => {
    const passes = [seen(100, 0), seen(100, 100), seen(100, 0), seen(100, 0), seen(100, 0)];
    expect(limits(passes)).toEqual([0, 0, 0, 0, 100]);
  });

  it('is what dead workers hold, once nothing waits: theirs is in flight and is not started', () => {
    expect(limits(times(4, seen(10, 0, 10)))).toEqual([0, 0, 10, 10]);
    // The last of a burst is in flight for a moment only.
    expect(limits([seen(5_000, 9_000, 4_000), seen(5_000, 1_000, 4_000), seen(0, 0)])).toEqual([0, 0, 0]);
    // Long jobs keep workers busy, and the rest waits its turn.
    expect(limits(times(20, seen(200, 200, 500)))).toEqual(times(20, 0));
  });

  it('grows as long as it gets to workers, and is next to nothing while it does not', () => {
    const lost = (hasArrived: boolean | undefined) => ({ ...seen(60_000, 0), hasArrived });
    const suspected = { ...NO_HAND_OVER, suspectSince: at(-REDISPATCH) };
    const gets = [lost(undefined), lost(true), lost(true), lost(true)];
    expect(limits(gets, suspected)).toEqual([1_000, 8_000, 10_000, 10_000]);
    const relayIsAway = [lost(undefined), lost(false), lost(false), lost(true), lost(true)];
    expect(limits(relayIsAway, suspected)).toEqual([1_000, 10, 10, 80, 640]);
  });

  it('is nothing while the queue does not answer', () => {
    const silent = { due: 1_000, settled: 1_000, queue: undefined, hasArrived: undefined };
    expect(limits(times(10, silent))).toEqual(times(10, 0));
  });
});
