import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashFraction } from '../../lambdas/core/hash.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { faultsAtRest } from './oracles/invariants.ts';
import { minutely, scheduled } from './scenarios/definitions.ts';
import { openLane } from './world/lane.ts';
import { never } from './world/life.ts';
import { live } from './world/live.ts';
import { LONG } from './world/runs.ts';
import type { Behaviour } from './world/target.ts';
import { World } from './world/world.ts';

const SCHEDULES = 100;
const OCCURRENCES = LONG ? 10_000 : 1_000;
/** Milliseconds for one of them: nine calls of the engine, about 25 ms on two cores; several times that on a busy machine. */
const EACH_TIMEOUT = 120;
const SIZE = { ticks: 4, sweeps: 2, workers: 8 };

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/**
 * One call in ten fails, one in a hundred takes its worker with it and all that it was at, one in twenty takes a
 * while. Which ones is a hash, so that it is the same in each run.
 */
const troublesome: Behaviour = async ({ id }, { nth, worker }) => {
  const chance = hashFraction(`${id}#${nth}`);
  if (chance < 0.01) {
    worker.life.kill();
    return never();
  }
  if (chance < 0.1) return { kind: 'failed', retryable: true, detail: 'status 503' };
  if (chance < 0.15) await worker.clock.until(epochMs(worker.clock.now() + 20 * SECOND));
  return { kind: 'succeeded' };
};

describe('4 ticks, 8 workers and 2 sweeps at once', () => {
  it(`lose none of ${OCCURRENCES} occurrences, double none and leave none running`, {
    timeout: OCCURRENCES * EACH_TIMEOUT,
  }, async () => {
    const lane = await openLane(engine, { shardCount: 8 });
    const world = await World.open(lane);
    world.behaviour = troublesome;
    const each = OCCURRENCES / SCHEDULES;
    const retry = {
      maxAttempts: 6,
      initialDelay: 'PT2S',
      factor: 2,
      maxDelay: 'PT1M',
      jitter: 0.5,
      maxAge: 'PT2H',
    };
    for (let index = 0; index < SCHEDULES; index += 1) {
      const times = minutely(world.at((1 + (index % 7)) * MINUTE), each);
      await world.client.create(world.id(`s${index}`), scheduled(times, { retry }));
    }

    await live(world, world.at(6 * HOUR), SIZE);

    expect(await faultsAtRest(world)).toEqual([]);
    expect(world.troubles).toEqual([]);
    const ledgers = world.history.schedules.map((id) => world.observer.occurrences(id));
    const statuses = (await Promise.all(ledgers)).flat().map(({ status }) => status);
    expect(statuses).toHaveLength(OCCURRENCES);
    expect(new Set(statuses)).toEqual(new Set(['succeeded']));
    expect(world.targetCalls.length).toBeGreaterThan(OCCURRENCES);
    lane.close();
  });
});
