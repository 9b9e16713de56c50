import { afterAll, beforeAll, expect, it } from 'vitest';
import { resumeSchedule } from '../../lambdas/api/schedules/resume-schedule.ts';
import { type OccurrenceId, occurrenceId, parseOccurrenceId } from '../../lambdas/core/ids.ts';
import { DAY, epochMs, HOUR, MINUTE, SECOND, toIso } from '../../lambdas/core/time.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { faultsAtRest } from './oracles/invariants.ts';
import { minutely, once, scheduled } from './scenarios/definitions.ts';
import { minutes, settle } from './world/course.ts';
import { apiDeps } from './world/functions.ts';
import { openLane } from './world/lane.ts';
import { startLife } from './world/life.ts';
import { live } from './world/live.ts';
import type { Message } from './world/queue.ts';
import { World } from './world/world.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** A world in which whatever is to be purged goes as soon as it may. */
async function open(): Promise<World> {
  const world = await World.open(await openLane(engine));
  world.ttl.expiry = 'at-once';
  return world;
}

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
  await minutes(world, 3);
  const days = world.targetCalls.map(({ invocation }) => (invocation.scheduledTime - world.at(0)) / DAY);
  expect(days.toSorted()).toEqual([2, 3]);
});

const RETRY = {
  maxAttempts: 3,
  initialDelay: 'PT5M',
  factor: 1,
  maxDelay: 'PT5M',
  jitter: 0,
  maxAge: 'PT1H',
};
const SKIPPED = { status: 'cancelled', reason: 'deleted' };

it('nothing of a deleted schedule starts once another of its name is there, made in the same millisecond', async () => {
  const world = await open();
  const id = world.id('a');
  let answered = Number.POSITIVE_INFINITY;
  world.behaviour = async ({ input }) => {
    if (input === 'new') return { kind: 'succeeded' };
    // While the first attempt is under way.
    await world.client.delete(id);
    await world.client.create(id, scheduled(once(world.at(DAY)), { input: 'new' }));
    answered = world.time.now();
    return { kind: 'failed', retryable: true, detail: 'status 503' };
  };
  await world.client.create(id, scheduled(once(world.at(DAY)), { input: 'old', retry: RETRY }));
  await world.client.trigger(id, 'key');
  await minutes(world, 8);
  expect(
    world.targetCalls.filter(({ at, invocation }) => at > answered && invocation.input === 'old'),
  ).toEqual([]);
  const items = await world.observer.occurrences(id);
  expect(items.filter(({ sk }) => String(sk).includes('#manual#'))).toMatchObject([SKIPPED]);
});

it('a replay of what a deleted schedule ran is refused by the next of its name', async () => {
  const world = await open();
  const id = world.id('a');
  await world.client.create(id, scheduled(once(world.at(MINUTE))));
  await minutes(world, 3);
  await world.client.delete(id);
  await world.client.create(id, scheduled(once(world.at(DAY))));
  const ran = occurrenceId({ schedule: id, scheduledTime: world.at(MINUTE), revision: 1, kind: 'scheduled' });
  await expect(world.client.replay(ran)).rejects.toMatchObject({ code: 'occurrence.deleted-schedule' });
});

it('a name can be used again when nothing is left of its schedule but its revisions', async () => {
  const world = await open();
  const id = world.id('a');
  for (const year of [0, 3, 6]) {
    await world.client.create(id, scheduled(once(world.at(year * 366 * DAY + DAY))));
    await world.client.delete(id);
    world.outage(3 * 366 * DAY);
    await world.ttl.pass();
    expect(await world.observer.head(id)).toBeUndefined();
  }
  await world.client.create(id, scheduled(once(epochMs(world.time.now() + DAY))));
  expect(await world.observer.head(id)).toMatchObject({ state: 'enabled', revision: 4, firstRevision: 4 });
});

it('a trigger that an edit overtakes makes an occurrence of what is in force then', async () => {
  const world = await open();
  const id = world.id('a');
  await world.client.create(id, scheduled(once(world.at(DAY)), { input: 'old' }));
  world.calls.before(
    ({ process, effect }) => process === 'api' && effect === 'transaction',
    () => world.client.edit(id, scheduled(once(world.at(DAY)), { input: 'new' })),
  );
  await world.client.trigger(id, 'key');
  await minutes(world, 2);
  expect(world.targetCalls.map(({ invocation }) => invocation.input)).toEqual(['new']);
});

it.each([
  ['skip', 'skipped', (w: World) => w.client.skip(w.id('a'), w.at(30 * MINUTE))],
  ['latest', 'skipped', (w: World) => w.client.skip(w.id('a'), w.at(29 * MINUTE))],
  ['latest', 'moved', (w: World) => w.client.move(w.id('a'), w.at(29 * MINUTE), w.at(40 * MINUTE))],
] as const)(
  'each time of an outage has a record with catch-up %s, also when the last of them was %s',
  async (mode, _, decide) => {
    const world = await open();
    const catchUp = { mode, maxAge: 'PT24H', maxRuns: 10, spreadOver: 'PT0S' } as const;
    await world.client.create(world.id('a'), scheduled(minutely(world.at(MINUTE), 45), { catchUp }));
    await minutes(world, 2);
    await decide(world);
    world.outage(28.5 * MINUTE);
    await settle(world);
    expect(await faultsAtRest(world)).toEqual([]);
  },
);

it('a schedule can be paused and deleted while the tick is away and the last time that it missed was moved', async () => {
  const world = await open();
  const id = world.id('a');
  await world.client.create(id, scheduled(minutely(world.at(HOUR), 30, 60)));
  await world.client.move(id, world.at(2 * HOUR), world.at(2 * HOUR + 40 * MINUTE));
  world.outage(2 * HOUR + 5 * MINUTE);
  await world.client.pause(id);
  await world.client.delete(id);
  await settle(world);
  expect(await faultsAtRest(world)).toEqual([]);
});

it('a schedule can be resumed while what was moved forward waits for its retry', async () => {
  const world = await open();
  const id = world.id('a');
  const moved = world.at(9 * MINUTE);
  world.behaviour = async ({ scheduledTime }, { nth }) => {
    if (scheduledTime !== moved || nth > 1) return { kind: 'succeeded' };
    await world.client.pause(id);
    return { kind: 'failed', retryable: true, detail: 'status 503' };
  };
  await world.client.create(id, scheduled(minutely(world.at(MINUTE), 30), { retry: RETRY }));
  await world.client.move(id, moved, world.at(1.5 * MINUTE));
  await minutes(world, 3);
  await world.client.resume(id);
  await settle(world);
  const attempts = world.targetCalls.filter(({ invocation }) => invocation.scheduledTime === moved);
  expect(attempts.map(({ invocation }) => invocation.fencingToken)).toEqual([1, 2]);
});

it('maxRuns holds whatever is moved and skipped', async () => {
  const world = await open();
  const id = world.id('a');
  const start = 20 * MINUTE;
  await world.client.create(id, scheduled(minutely(world.at(start), 10), { maxRuns: 2 }));
  const beyond = { code: 'occurrence.not-coming' };
  await expect(
    world.client.move(id, world.at(start + 3 * MINUTE), world.at(2 * MINUTE)),
  ).rejects.toMatchObject(beyond);
  await expect(world.client.skip(id, world.at(start + 2 * MINUTE))).rejects.toMatchObject(beyond);
  await world.client.move(id, world.at(start + MINUTE), world.at(2 * MINUTE));
  await settle(world);
  const ran = world.targetCalls.map(
    ({ invocation }) => (invocation.scheduledTime - world.at(start)) / MINUTE,
  );
  expect(ran.toSorted()).toEqual([0, 1]);
});

it('what an edit of a completed schedule adds begins at once, also where it keeps what is pending', async () => {
  const world = await open();
  const id = world.id('a');
  const retry = { ...RETRY, maxAttempts: 2, initialDelay: 'PT12H', maxDelay: 'PT12H', maxAge: 'P2D' };
  world.behaviour = async ({ revision }) =>
    revision === 1 ? { kind: 'failed', retryable: true, detail: 'status 503' } : { kind: 'succeeded' };
  await world.client.create(id, scheduled(once(world.at(MINUTE)), { retry, deleteAfterCompletion: true }));
  await minutes(world, 4);
  await world.client.edit(id, scheduled(minutely(world.at(6 * MINUTE), 1000), { retry }), 'keep');
  await minutes(world, 10);
  const ran = world.targetCalls.filter(({ invocation }) => invocation.revision === 2);
  expect(ran.length).toBeGreaterThanOrEqual(7);
});

/** Fails once, whatever is done meanwhile; then succeeds. */
function failsOnce(world: World, meanwhile: () => Promise<unknown>): void {
  let calls = 0;
  world.behaviour = async () => {
    calls += 1;
    if (calls > 1) return { kind: 'succeeded' };
    await meanwhile();
    return { kind: 'failed', retryable: true, detail: 'status 503' };
  };
}
const seen = ({ targetCalls }: World) =>
  targetCalls.map(({ invocation: { input, attempt, revision } }) => [input, attempt, revision]);

it('an edit while a retry waits mends the very run that has failed', async () => {
  const world = await open();
  const id = world.id('a');
  failsOnce(world, () =>
    world.client.edit(id, scheduled(once(world.at(MINUTE)), { input: 'mended', retry: RETRY })),
  );
  await world.client.create(id, scheduled(once(world.at(MINUTE)), { input: 'broken', retry: RETRY }));
  await settle(world);
  expect(seen(world)).toEqual([
    ['broken', 1, 1],
    ['mended', 2, 2],
  ]);
  expect(await faultsAtRest(world)).toEqual([]);
});

it('an edit that asks for it drops what waits for a retry', async () => {
  const world = await open();
  const id = world.id('a');
  const edited = () => scheduled(once(world.at(HOUR)), { input: 'mended', retry: RETRY });
  failsOnce(world, () => world.client.edit(id, edited(), 'cancel'));
  await world.client.create(id, scheduled(once(world.at(MINUTE)), { input: 'broken', retry: RETRY }));
  await settle(world);
  expect(seen(world)).toEqual([
    ['broken', 1, 1],
    ['mended', 1, 2],
  ]);
});

it('an edit between the nominal time and the start within the window loses no run', async () => {
  const world = await open();
  const id = world.id('a');
  const daily = (input: string) =>
    scheduled(minutely(world.at(MINUTE), 2, 24 * 60), { window: 'PT1H', input });
  await world.client.create(id, daily('old'));
  await minutes(world, 2);
  expect(world.targetCalls).toEqual([]);
  await world.client.edit(id, daily('new'));
  await minutes(world, 62);
  expect(seen(world)).toEqual([['new', 1, 2]]);
});

it('a one-shot that is paused while it waits for its retry goes on with the resume', async () => {
  const world = await open();
  const id = world.id('a');
  failsOnce(world, () => world.client.pause(id));
  await world.client.create(id, scheduled(once(world.at(MINUTE)), { input: 'x', retry: RETRY }));
  await minutes(world, 20);
  expect(world.targetCalls).toHaveLength(1);
  await world.client.resume(id);
  await settle(world);
  expect(seen(world)).toEqual([
    ['x', 1, 1],
    ['x', 2, 1],
  ]);
  expect(await faultsAtRest(world)).toEqual([]);
});

const secondly = (world: World, count: number) =>
  `DTSTART:${toIso(world.at(SECOND)).slice(0, 19).replace(/[-:]/g, '')}Z\nRRULE:FREQ=SECONDLY;COUNT=${count}`;

it.each(['cancel', undefined] as const)(
  'no time runs under two definitions after an edit of a long backlog (pending=%s)',
  async (pending) => {
    const world = await open();
    const id = world.id('a');
    await world.client.create(id, scheduled(secondly(world, 400), { input: 'old' }));
    await world.tick();
    await world.relay();
    world.time.moveTo(world.at(150.5 * SECOND));
    await world.tick();
    await world.relay();
    const time = world.at(151 * SECOND);
    const isTime = ({ body }: Message) =>
      parseOccurrenceId((JSON.parse(body) as { id: string }).id)?.scheduledTime === time;
    const { until } = world.time.clock(startLife());
    world.calls.before(
      ({ process, effect }) => process === 'api' && effect === 'transaction',
      async () => {
        await until(time);
        await world.work({ max: 1, order: (all) => all.filter(isTime) });
      },
    );
    await world.client.edit(id, scheduled(secondly(world, 400), { input: 'new' }), pending);
    await live(world, world.at(4 * MINUTE), { workers: 2 });
    const ran = world.targetCalls.map(({ invocation }) => invocation.scheduledTime);
    expect(ran.filter((one) => one === time)).toHaveLength(1);
    expect(new Set(ran).size).toBe(ran.length);
  },
);

it('a resume that asks for a catch-up gets it, whatever waited when the pause began', async () => {
  const world = await open();
  const id = world.id('a');
  await world.client.create(id, scheduled('*/10 * * * * *', { input: 'x' }));
  while (world.time.now() < world.at(60 * MINUTE)) {
    await world.tick();
    world.time.moveTo(epochMs(world.time.now() + MINUTE));
  }
  await world.client.pause(id);
  world.outage(10 * MINUTE);
  const caller = { now: world.time.now(), requestId: 'r', principal: 'p' };
  const catchUp = { mode: 'all', maxAge: 'PT1H', maxRuns: 10, spreadOver: 'PT0S' } as const;
  await world.time.drive(() => resumeSchedule(apiDeps(world.process('api')), { id, caller, catchUp }));
  const items = await world.observer.occurrences(id);
  const [from, to] = [world.at(60 * MINUTE), world.time.now()].map(toIso) as [string, string];
  const during = items.filter(({ sk }) => String(sk).slice(2) > from && String(sk).slice(2) <= `${to}~`);
  expect(during.filter(({ status }) => status === 'pending')).toHaveLength(10);
});
