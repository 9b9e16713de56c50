import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { faultsAtRest } from './oracles/invariants.ts';
import { minutely, once, scheduled, secondly, statusAndReason } from './scenarios/definitions.ts';
import type { Call, Fault } from './world/calls.ts';
import { minutes, settle } from './world/course.ts';
import { openLane } from './world/lane.ts';
import { Crashed } from './world/life.ts';
import { World } from './world/world.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const open = async () => World.open(await openLane(engine));

const RETRY = {
  maxAttempts: 2,
  initialDelay: 'PT20M',
  factor: 1,
  maxDelay: 'PT20M',
  jitter: 0,
  maxAge: 'PT5H',
};

/** All of a schedule have failed once and wait for their retries. */
async function retriesOf(count: number): Promise<World> {
  const world = await open();
  world.behaviour = async ({ attempt }) =>
    attempt === 1 ? { kind: 'failed', retryable: true, detail: 'status 503' } : { kind: 'succeeded' };
  await world.client.create(world.id('a'), scheduled(secondly(world.at(SECOND), count), { retry: RETRY }));
  await minutes(world, Math.ceil(count / 60) + 1);
  return world;
}

/** Whatever the next calls of the API are: `fault` at the `nth` that matches. */
function failApi(world: World, nth: number, fault: Fault, matches: (call: Call) => boolean): void {
  let met = 0;
  world.calls.faults = {
    of(call) {
      if (call.process !== 'api' || !matches(call)) return undefined;
      met += 1;
      return met === nth ? fault : undefined;
    },
  };
}

const isWrite = ({ effect }: Call) => effect === 'write' || effect === 'transaction';

async function dies(world: World, request: Promise<unknown>): Promise<void> {
  await expect(request).rejects.toBeInstanceOf(Crashed);
  await world.restart();
}

async function ends(world: World): Promise<Record<string, number>> {
  await settle(world);
  const counts: Record<string, number> = {};
  for (const item of await world.observer.occurrences(world.id('a'))) {
    counts[statusAndReason(item)] = (counts[statusAndReason(item)] ?? 0) + 1;
  }
  expect(await faultsAtRest(world)).toEqual([]);
  return counts;
}

/** More than a page are in `test/functions/api/schedules/held.test.ts`. */
const HELD = 5;

describe(`a resume of ${HELD} that a pause held`, () => {
  it('brings back all of them', async () => {
    const world = await retriesOf(HELD);
    await world.client.pause(world.id('a'));
    await minutes(world, 1);
    await world.client.resume(world.id('a'));
    expect(await ends(world)).toEqual({ succeeded: HELD });
  });

  it.each([1, 2, 4, 6])(
    'brings back all of them when it dies after its write %i, repeated or not',
    async (nth) => {
      for (const isRepeated of [true, false]) {
        const world = await retriesOf(HELD);
        await world.client.pause(world.id('a'));
        await minutes(world, 1);
        failApi(world, nth, 'crash-after', isWrite);
        await dies(world, world.client.resume(world.id('a')));
        if (isRepeated) await world.client.resume(world.id('a'));
        expect(await ends(world)).toEqual({ succeeded: HELD });
      }
    },
  );

  it('brings back all of them when the pause died after its transaction', async () => {
    const world = await retriesOf(HELD);
    failApi(world, 1, 'crash-after', ({ effect }) => effect === 'transaction');
    await dies(world, world.client.pause(world.id('a')));
    await world.client.resume(world.id('a'));
    expect(await ends(world)).toEqual({ succeeded: HELD });
  });

  it('that died is made good after a second pause', async () => {
    const world = await retriesOf(HELD);
    await world.client.pause(world.id('a'));
    await minutes(world, 1);
    failApi(world, 3, 'crash-after', isWrite);
    await dies(world, world.client.resume(world.id('a')));
    await world.client.pause(world.id('a'));
    await minutes(world, 2);
    await world.client.resume(world.id('a'));
    await minutes(world, 12);
    expect(await ends(world)).toEqual({ succeeded: HELD });
  });
});

describe('a pause that ends by itself', () => {
  it('brings back what it held', async () => {
    const world = await retriesOf(3);
    await world.client.pause(world.id('a'), world.at(10 * MINUTE));
    expect(await ends(world)).toEqual({ succeeded: 3 });
  });

  it('brings nothing back before its end', async () => {
    const world = await open();
    const short = { ...RETRY, initialDelay: 'PT2M', maxDelay: 'PT2M' };
    world.behaviour = async ({ attempt }) =>
      attempt === 1 ? { kind: 'failed', retryable: true, detail: 'status 503' } : { kind: 'succeeded' };
    await world.client.create(world.id('a'), scheduled(minutely(world.at(MINUTE), 2, 9), { retry: short }));
    await minutes(world, 2);
    await world.client.pause(world.id('a'), world.at(9 * MINUTE));
    await settle(world);
    const retry = world.targetCalls.find(({ invocation }) => invocation.attempt === 2);
    expect(retry?.at).toBeGreaterThanOrEqual(world.at(9 * MINUTE));
  });

  it.each([
    ['by itself', true],
    ['by a person', false],
  ])('leaves a time that was moved beyond its end where it was moved to (%s)', async (_, isByItself) => {
    const world = await open();
    const id = world.id('a');
    await world.client.create(id, scheduled(minutely(world.at(3 * MINUTE), 2, 5)));
    await world.client.move(id, world.at(3 * MINUTE), world.at(20 * MINUTE));
    await world.client.pause(id, isByItself ? world.at(6 * MINUTE) : undefined);
    await minutes(world, 6);
    if (!isByItself) await world.client.resume(id);
    await settle(world);
    const ran = world.targetCalls.map(({ at, invocation }) => [
      (invocation.scheduledTime - world.start) / MINUTE,
      Math.round((at - world.start) / MINUTE),
    ]);
    expect(ran).toEqual([
      [8, 8],
      [3, 20],
    ]);
    expect(await faultsAtRest(world)).toEqual([]);
  });

  it('lets a one-shot run that was moved beyond its end', async () => {
    const world = await open();
    const id = world.id('a');
    await world.client.create(id, scheduled(once(world.at(3 * MINUTE))));
    await world.client.move(id, world.at(3 * MINUTE), world.at(20 * MINUTE));
    await world.client.pause(id, world.at(6 * MINUTE));
    await settle(world);
    expect(world.targetCalls.map(({ at }) => Math.round((at - world.start) / MINUTE))).toEqual([20]);
  });
});
