import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { faultsAtRest } from './oracles/invariants.ts';
import { once, scheduled } from './scenarios/definitions.ts';
import { openLane } from './world/lane.ts';
import { live } from './world/live.ts';
import { World } from './world/world.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const open = async () => World.open(await openLane(engine));

describe('clocks that are apart', () => {
  /** Of processes that renew, take over and begin. */
  const APART = [
    { 'sweep-1': 20, 'worker-1': -10 },
    { 'sweep-1': -20, 'worker-2': 15, 'worker-3': -15 },
    { 'tick-1': 15, 'worker-1': 20, 'worker-2': 20 },
  ];

  it.each(APART)('let no two run in a slot of one: %o', { timeout: 120_000 }, async (apart) => {
    const world = await open();
    for (const [name, seconds] of Object.entries(apart)) world.skews.set(name, seconds * SECOND);
    // The first of each stalls for longer than its lease, before it goes on as if nothing were.
    world.behaviour = async (_, { nth, worker, signal }) => {
      const { clock } = worker;
      await clock.until(epochMs(clock.now() + (nth === 1 ? 75 : 20) * SECOND), signal);
      return signal.aborted ? { kind: 'failed', retryable: true, detail: 'aborted' } : { kind: 'succeeded' };
    };
    const changes = { timeout: 'PT5M', concurrency: { key: `k-${world.group}`, limit: 1 } };
    for (const [index, name] of ['a', 'b', 'c'].entries())
      await world.client.create(world.id(name), scheduled(once(world.at((index + 2) * MINUTE)), changes));
    const { until } = world.time.clock(world.process('api').life);
    const isRenewal =
      () =>
      ({ process, what }: { process: string; what: string }) =>
        process.startsWith('worker-') && what === 'UpdateItem' && world.targetCalls.length > 0;
    for (let count = 0; count < 3; count += 1)
      world.calls.before(isRenewal(), () => until(epochMs(world.time.now() + 35 * SECOND)));
    await live(world, world.at(2 * HOUR), { workers: 3, looksAtSlots: true });

    expect(await faultsAtRest(world)).toEqual([]);
  });
});
