import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OccurrenceId, occurrenceId } from '../../lambdas/core/ids.ts';
import { DAY, epochMs, MINUTE, toIso } from '../../lambdas/core/time.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { minutes } from '../support/faults/course.ts';
import { openLane } from '../support/faults/lane.ts';
import { purge } from '../support/faults/purge.ts';
import { World } from '../support/faults/world.ts';
import { scheduled } from './scenarios/definitions.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const open = async () => World.open(await openLane(engine));

/** A schedule of three days, the first in three days, whose records are kept for a day. */
async function runsIn(world: World, decide: (id: OccurrenceId) => Promise<void>): Promise<string[]> {
  const schedule = world.id('a');
  const time = world.at(3 * DAY);
  const start = toIso(time).slice(0, 19).replace(/[-:]/g, '');
  const expression = `DTSTART:${start}Z\nRRULE:FREQ=DAILY;COUNT=3`;
  await world.client.create(schedule, scheduled(expression, { retention: 'P1D' }));
  await decide(occurrenceId({ schedule, scheduledTime: time, revision: 1, kind: 'scheduled' }));
  await minutes(world, 4);
  world.outage(epochMs(time - 3 * MINUTE) - world.time.now());
  await purge(world);
  await minutes(world, 6);
  const runs = world.targetCalls.filter(({ invocation }) => invocation.scheduledTime === time);
  return runs.map(({ invocation }) => `attempt ${invocation.attempt}, token ${invocation.fencingToken}`);
}

it('a time that was moved forward runs once, whatever is purged before it comes', async () => {
  const world = await open();
  const runs = await runsIn(world, () =>
    world.client.move(world.id('a'), world.at(3 * DAY), world.at(MINUTE)),
  );
  expect(runs).toEqual(['attempt 1, token 1']);
});

it('a coming time that was moved and cancelled does not run, whatever is purged before it comes', async () => {
  const world = await open();
  const runs = await runsIn(world, async (id) => {
    await world.client.move(world.id('a'), world.at(3 * DAY), world.at(3 * DAY + MINUTE));
    await world.client.cancel(id);
  });
  expect(runs).toEqual([]);
});

it('a time that was skipped does not run after an outage that outlasts its retention', async () => {
  const world = await open();
  const id = world.id('a');
  const catchUp = { mode: 'all', maxAge: 'P30D', maxRuns: 10, spreadOver: 'PT0S' } as const;
  const start = toIso(world.at(DAY)).slice(0, 19).replace(/[-:]/g, '');
  const expression = `DTSTART:${start}Z\nRRULE:FREQ=DAILY;COUNT=3`;
  await world.client.create(id, scheduled(expression, { retention: 'P1D', catchUp }));
  await world.client.skip(id, world.at(DAY));
  world.outage(9 * DAY);
  await purge(world);
  await minutes(world, 3);
  const days = world.targetCalls.map(({ invocation }) => (invocation.scheduledTime - world.at(0)) / DAY);
  expect(days.toSorted()).toEqual([2, 3]);
});
