import { MINUTE } from '../../../lambdas/core/time.ts';
import { minutes } from '../world/course.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import {
  callsAre,
  isClaim,
  ledgerIs,
  minutely,
  once,
  orRefused,
  scheduled,
  statusAndReason,
} from './definitions.ts';

const create = (world: World) =>
  orRefused(world.client.create(world.id('a'), scheduled(minutely(world.at(MINUTE), 5)), 'key'));

const move = (world: World) => world.client.move(world.id('a'), world.at(5 * MINUTE), world.at(5.5 * MINUTE));

/** What a person decided about a time before the pause holds after it. */
export const pausedUntil: Scenario = {
  name: 'a pause that ends by itself',
  async arrange(world) {
    await create(world);
    await minutes(world, 1);
    await move(world);
    await world.client.pause(world.id('a'), world.at(4 * MINUTE));
  },
  async retryRequests(world) {
    await create(world);
    await orRefused(move(world));
    await orRefused(world.client.pause(world.id('a'), world.at(4 * MINUTE)));
  },
  expected: async (world) => [
    ...(await ledgerIs(
      world,
      'a',
      [
        'succeeded at 1',
        'cancelled paused at 2',
        'cancelled paused at 3',
        'succeeded at 4',
        'succeeded at 5.5',
      ],
      (item) => `${statusAndReason(item)} at ${((item.due_at as number) - world.start) / MINUTE}`,
    )),
    ...callsAre(world, 3),
  ],
};

const createMoved = async (world: World) => {
  const [id, time] = [world.id('a'), world.at(3 * MINUTE)];
  await orRefused(world.client.create(id, scheduled(once(time)), 'key'));
  await orRefused(world.client.move(id, time, world.at(MINUTE)));
};

/**
 * A time that was to start earlier is claimed and given up for the pause, and made again by the resume, since it is
 * still to come: a late end of the old claim must not fit the new one.
 */
export const pausedAfterClaim: Scenario = {
  name: 'pause between claim and call, and resume in time',
  async arrange(world) {
    world.calls.before(isClaim, async () => {
      world.calls.before(
        ({ process, what }) => process === 'worker' && what === 'GetItem',
        () => world.client.pause(world.id('a')),
      );
    });
    await createMoved(world);
    await minutes(world, 1);
    await world.client.resume(world.id('a'));
  },
  async retryRequests(world) {
    await createMoved(world);
    await world.client.resume(world.id('a'));
  },
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 1)],
};

const createFailing = (world: World) =>
  orRefused(
    world.client.create(
      world.id('a'),
      scheduled(minutely(world.at(MINUTE), 4), { pauseAfterFailures: 2 }),
      'key',
    ),
  );

export const pausesItself: Scenario = {
  name: 'a schedule that pauses itself after two failures',
  async arrange(world) {
    world.behaviour = async () => ({ kind: 'failed', retryable: false, detail: 'status 400' });
    await createFailing(world);
  },
  retryRequests: createFailing,
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', [
      'failed not-retryable',
      'failed not-retryable',
      'cancelled paused',
      'cancelled paused',
    ])),
    ...callsAre(world, 2),
  ],
};
