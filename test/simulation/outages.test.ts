import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CatchUpPolicy } from '../../lambdas/core/schedule/definition.ts';
import { type EpochMs, epochMs, HOUR, MINUTE, SECOND, toIso } from '../../lambdas/core/time.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { faultsAtRest } from './oracles/invariants.ts';
import { scheduled } from './scenarios/definitions.ts';
import { minutes, settle } from './world/course.ts';
import { openLane } from './world/lane.ts';
import { LONG } from './world/runs.ts';
import { World } from './world/world.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const PARTS = ['tick', 'stream', 'queue', 'workers'] as const;
type Part = (typeof PARTS)[number];

/** Each `period`, so often: a schedule that comes to its end, so that the world comes to rest. */
function every(world: World, period: number, count: number): string {
  const start = toIso(world.at(period)).slice(0, 19).replace(/[-:]/g, '');
  return `DTSTART:${start}Z\nRRULE:FREQ=SECONDLY;INTERVAL=${period / SECOND};COUNT=${count}`;
}

/** Time passes without these parts. What the queue holds while it is away is lost. */
async function outage(world: World, until: EpochMs, step: number, away: readonly Part[]): Promise<void> {
  const is = (part: Part) => !away.includes(part);
  while (world.time.now() < until) {
    const isMinute = world.time.now() % MINUTE === 0;
    if (isMinute && is('tick')) await world.tick();
    if (isMinute && away.length < PARTS.length) await world.sweep();
    if (is('stream')) await world.relay();
    if (!is('queue')) world.queue.purge();
    if (is('workers')) while ((await world.work({ max: 100 })) > 0);
    world.time.moveTo(epochMs(world.time.now() + step));
  }
}

const POLICY = { maxAge: 'P2D', maxRuns: 5, spreadOver: 'PT20S' } as const;
const MODES = ['latest', 'skip', 'all'] as const satisfies readonly CatchUpPolicy['mode'][];
const BUDGET = { latest: 1, skip: 0, all: 5 };

async function openWorld(period: number, count: number, policy: Partial<CatchUpPolicy> = {}): Promise<World> {
  const world = await World.open(await openLane(engine));
  for (const mode of MODES) {
    const catchUp = { ...POLICY, ...policy, mode };
    await world.client.create(world.id(mode), scheduled(every(world, period, count), { catchUp }));
  }
  return world;
}

/** Runs of a schedule that started so late. */
const lateRuns = (world: World, mode: string, threshold: number) =>
  world.targetCalls.filter(
    ({ at, invocation }) =>
      invocation.schedule === world.id(mode) && at - invocation.scheduledTime > threshold,
  );

async function expectWithinBudget(world: World, threshold: number): Promise<void> {
  await settle(world, 240);
  // Each time has its record, and is in it once.
  expect(await faultsAtRest(world)).toEqual([]);
  for (const mode of MODES) {
    const late = lateRuns(world, mode, threshold);
    expect(late.length, mode).toBeLessThanOrEqual(BUDGET[mode]);
    for (const { invocation } of late) expect(invocation.isCatchUp).toBe(true);
  }
}

const OUTAGES: readonly (readonly [string, readonly Part[]])[] = [
  ['everything', PARTS],
  ['the workers', ['workers']],
  ['the queue', ['queue']],
  ['the stream', ['stream']],
  ['the tick', ['tick']],
];

describe.each(OUTAGES)(
  'an outage of %s',
  (_, away) => {
    it('for 90 s: schedules that fire each second run their budget late, and no more', async () => {
      const world = await openWorld(SECOND, 200);
      await minutes(world, 1);
      await outage(world, world.at(150 * SECOND), SECOND, away);
      await expectWithinBudget(world, 5 * SECOND);
    });

    // Without queue or stream it comes to the same as without workers, and takes as long.
    const isLong = away.length === 1 && (away.includes('queue') || away.includes('stream'));
    it.skipIf(isLong && !LONG)(
      'for a day: hourly schedules run the newest that their budget allows',
      async () => {
        const world = await openWorld(HOUR, 25);
        await minutes(world, 1);
        await outage(world, world.at(24 * HOUR + 5 * MINUTE), 4 * MINUTE, away);
        await expectWithinBudget(world, MINUTE);
        const times = (mode: string) =>
          // The sweep hands over again at times of its own.
          lateRuns(world, mode, MINUTE)
            .map(({ invocation }) => (invocation.scheduledTime - world.start) / HOUR)
            .sort((a, b) => a - b);
        expect(times('latest')).toEqual([24]);
        expect(times('all')).toEqual([20, 21, 22, 23, 24]);
      },
    );
  },
  120_000,
);
