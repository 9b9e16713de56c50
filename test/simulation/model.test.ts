import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { commands } from './model/commands.ts';
import { calendarOf, type Model, nothingYet, type PlanName, planOf } from './model/model.ts';
import { plan } from './model/requests.ts';
import { faultsAtRest } from './oracles/invariants.ts';
import { watchFaults } from './oracles/watches.ts';
import { orRefused } from './scenarios/definitions.ts';
import { minutes, settle } from './world/course.ts';
import { type Lane, openLane } from './world/lane.ts';
import { LONG, SEQUENCES } from './world/runs.ts';
import { succeeds } from './world/target.ts';
import { World } from './world/world.ts';

/**
 * The same sequences each time, so that a change that breaks nothing fails nothing; in a long run others each
 * time. A failure names the seed and the path that lead to it again.
 */
const PARAMETERS = { numRuns: SEQUENCES, ...(!LONG && { seed: 20_260_301 }) };
/** Milliseconds; what was tried by then without a counter-example counts. */
const TIME = LONG ? 900_000 : 20_000;

let engine: TestEngine;
let lane: Lane;
beforeAll(async () => {
  engine = await startEngine();
  lane = await openLane(engine);
});
afterAll(async () => {
  lane.close();
  await engine.stop();
});

/** A quiet while in which everything recovers; then all schedules go, and nothing may be left. */
async function comeToRest(world: World): Promise<void> {
  world.skews.clear();
  world.behaviour = succeeds;
  await minutes(world, 3);
  const watched = await watchFaults(world);
  for (const id of world.history.schedules) {
    const state = (await world.observer.head(id))?.state;
    if (state === undefined || state === 'deleted') continue;
    for (const backfill of await world.observer.backfills(id))
      await orRefused(world.client.changeBackfill(backfill, 'cancel'));
    await world.client.delete(id);
  }
  await settle(world);
  const faults = [...watched, ...(await faultsAtRest(world))];
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

async function holds(first: PlanName, sequence: Iterable<fc.AsyncCommand<Model, World>>): Promise<void> {
  const world = await World.open(lane);
  try {
    await world.client.putCalendar(calendarOf(world), []);
    world.outside.pullFrom(world.group, (nth) => ({
      lastsMs: 20_000,
      says: nth === 1 ? 'fail' : 'complete',
    }));
    // Most of what can go wrong goes wrong with a schedule that exists.
    await world.client.create(world.id('a'), planOf(world, first));
    const model = nothingYet();
    Object.assign(model.a, { state: 'enabled', revision: 1, plan: first });
    await fc.asyncModelRun(() => ({ model, real: world }), sequence);
    await comeToRest(world);
    world.leave();
  } catch (error) {
    // What this world leaves behind must not trouble the next one.
    lane.close();
    lane = await openLane(engine);
    throw error;
  }
}

describe('whatever clients, functions, machines and time do in whatever order', () => {
  it(
    'schedules are what their clients made them, and every invariant holds',
    { timeout: 2 * TIME + 60_000 },
    () =>
      fc.assert(fc.asyncProperty(plan, commands(LONG ? 50 : 20), holds), {
        ...PARAMETERS,
        interruptAfterTimeLimit: TIME,
        endOnFailure: false,
      }),
  );
});
