import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Definition } from '../../lambdas/core/schedule/definition.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { faultsAtRest } from './oracles/invariants.ts';
import { once, scheduled, secondly } from './scenarios/definitions.ts';
import { openLane } from './world/lane.ts';
import { live } from './world/live.ts';
import { LONG } from './world/runs.ts';
import type { Behaviour } from './world/target.ts';
import { World } from './world/world.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const lasting =
  (ms: number): Behaviour =>
  async (_, { worker, signal }) => {
    await worker.clock.until(epochMs(worker.clock.now() + ms), signal);
    return { kind: 'succeeded' };
  };

/** Lets a world go on with as many workers as it wants, and answers how its occurrences ended. */
async function endsOf(world: World, minutes: number): Promise<Record<string, number>> {
  await live(world, world.at(minutes * MINUTE), { workers: 'any number', looksAtSlots: true });
  expect(await faultsAtRest(world)).toEqual([]);
  expect(world.troubles).toEqual([]);
  const ends: Record<string, number> = {};
  for (const id of world.history.schedules)
    for (const { status } of await world.observer.occurrences(id))
      ends[String(status)] = (ends[String(status)] ?? 0) + 1;
  return ends;
}

const open = async () => World.open(await openLane(engine, { shardCount: 4 }));

/** Jobs of schedules of their own, all due at once. */
async function createJobs(world: World, count: number, changes: Partial<Definition>): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await world.client.create(world.id(`j${index}`), scheduled(once(world.at(MINUTE)), changes));
}

describe('a limit of a shared key', () => {
  it.each([
    [1, 4],
    [3, 10],
    [11, LONG ? 150 : 24],
    [101, LONG ? 400 : 115],
  ])(
    'of %i is never exceeded, and no place of it stands free while %i jobs want it',
    {
      timeout: 240_000,
    },
    async (limit, jobs) => {
      const world = await open();
      world.behaviour = lasting(20 * SECOND);
      await createJobs(world, jobs, { concurrency: { key: `k-${world.group}`, limit } });

      expect(await endsOf(world, 60)).toEqual({ succeeded: jobs });
    },
  );

  it('holds while workers die in the middle of it', { timeout: 240_000 }, async () => {
    const world = await open();
    world.behaviour = async (invocation, tools) => {
      if (tools.nth === 1 && invocation.id.includes('j1')) tools.worker.life.kill();
      return lasting(20 * SECOND)(invocation, tools);
    };
    await createJobs(world, 20, { concurrency: { key: `k-${world.group}`, limit: 3 } });

    expect(await endsOf(world, 60)).toEqual({ succeeded: 20 });
  });
});

describe('a limit of a group', () => {
  it('is what was said last, also within one moment and by a clock that is behind', {
    timeout: 240_000,
  }, async () => {
    const world = await open();
    world.behaviour = lasting(20 * SECOND);
    await world.client.limitGroup(world.group, 11);
    await world.client.limitGroup(world.group, null);
    await world.client.limitGroup(world.group, 5);
    world.skews.set('api', -3 * SECOND);
    await world.client.limitGroup(world.group, 2);
    await createJobs(world, 6, {});

    expect(await endsOf(world, 60)).toEqual({ succeeded: 6 });
  });
});

describe('several slots an occurrence', () => {
  it('its own, a key and its group are all kept, and none stands free', { timeout: 240_000 }, async () => {
    const world = await open();
    world.behaviour = lasting(25 * SECOND);
    await world.client.limitGroup(world.group, 4);
    for (const [name, key, limit] of [
      ['a', 'x', 2],
      ['b', 'x', 2],
      ['c', 'y', 3],
      ['d', undefined, 0],
    ] as const) {
      const concurrency = key && { concurrency: { key: `${key}-${world.group}`, limit } };
      const times = secondly(world.at(2 * MINUTE), 8, 20);
      await world.client.create(world.id(name), scheduled(times, { overlap: 'buffer-all', ...concurrency }));
    }

    expect(await endsOf(world, 90)).toEqual({ succeeded: 32 });
  });
});

describe('a schedule that runs one after the other', () => {
  it('buffer-all starts them in the order of their times', { timeout: 240_000 }, async () => {
    const world = await open();
    world.behaviour = lasting(1_900);
    const count = LONG ? 300 : 40;
    await world.client.create(
      world.id('a'),
      scheduled(secondly(world.at(10 * SECOND), count), { overlap: 'buffer-all' }),
    );

    expect(await endsOf(world, 2 * (HOUR / MINUTE))).toEqual({ succeeded: count });
  });
});
