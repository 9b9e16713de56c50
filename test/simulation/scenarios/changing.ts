import { MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import type { Call } from '../world/calls.ts';
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

const isTickWriting = ({ process, effect }: Call) => process === 'tick' && effect === 'transaction';

const create = (world: World, expression: string) =>
  world.client.create(world.id('a'), scheduled(expression), 'key');

export const editDuringMaterialise: Scenario = {
  name: 'edit during materialise',
  async arrange(world) {
    const times = minutely(world.at(3 * MINUTE), 3);
    const edit = () => world.client.edit(world.id('a'), scheduled(times, { input: 'new' }));
    world.calls.before(isTickWriting, edit);
    await create(world, times);
  },
  async retryRequests(world) {
    const times = minutely(world.at(3 * MINUTE), 3);
    await orRefused(create(world, times));
    await world.client.edit(world.id('a'), scheduled(times, { input: 'new' }));
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['succeeded', 'succeeded', 'succeeded'])),
    ...callsAre(world, 3),
  ],
};

/** The edit has read the schedule and not written yet when a tick creates what the edit would rule out. */
export const tickDuringEdit: Scenario = {
  name: 'a tick that catches up during an edit',
  async arrange(world) {
    const times = minutely(world.at(3 * MINUTE), 5);
    await create(world, times);
    world.outage(5 * MINUTE);
    world.calls.before(
      ({ process, effect }) => process === 'api' && effect === 'transaction',
      () => world.tick(),
    );
    await world.client.edit(world.id('a'), scheduled(times, { input: 'new' }), 'cancel');
  },
  async retryRequests(world) {
    const times = minutely(world.at(3 * MINUTE), 5);
    await orRefused(create(world, times));
    await world.client.edit(world.id('a'), scheduled(times, { input: 'new' }), 'cancel');
  },
  expected: async (world) => [
    // What the tick had created of times that had passed was, as asked, cancelled with the edit, not by a worker that found it later.
    ...(await ledgerIs(
      world,
      'a',
      [
        'coalesced catch-up at 5',
        'cancelled superseded at 5',
        'cancelled superseded at 5',
        'cancelled superseded at 5',
        'succeeded at 6',
        'cancelled superseded at 5',
        'succeeded at 7',
      ],
      (item) => `${statusAndReason(item)} at ${((item.finished_at as number) - world.start) / MINUTE}`,
    )),
    ...callsAre(world, 2),
  ],
};

export const pauseDuringClaim: Scenario = {
  name: 'pause during claim, and resume',
  async arrange(world) {
    world.calls.before(isClaim, () => world.client.pause(world.id('a')));
    await create(world, minutely(world.at(MINUTE), 4));
    await minutes(world, 2);
    await world.client.resume(world.id('a'));
  },
  async retryRequests(world) {
    await orRefused(create(world, minutely(world.at(MINUTE), 4)));
    await world.client.pause(world.id('a'));
    await world.client.resume(world.id('a'));
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['cancelled paused', 'cancelled paused', 'succeeded', 'succeeded'])),
    ...callsAre(world, 2),
  ],
};

/** The pause comes after the claim, and before the worker has looked at the head. */
export const pauseAfterClaim: Scenario = {
  name: 'pause between claim and call',
  async arrange(world) {
    world.calls.before(isClaim, async () => {
      world.calls.before(
        ({ process, what }) => process === 'worker' && what === 'GetItem',
        () => world.client.pause(world.id('a')),
      );
    });
    await create(world, once(world.at(MINUTE)));
  },
  async retryRequests(world) {
    await orRefused(create(world, once(world.at(MINUTE))));
    await world.client.pause(world.id('a'));
  },
  expected: async (world) => [...(await ledgerIs(world, 'a', ['cancelled paused'])), ...callsAre(world, 0)],
};

export const deleteWithPending: Scenario = {
  name: 'delete with pending',
  async arrange(world) {
    await create(world, minutely(world.at(MINUTE), 3));
    await minutes(world, 1);
    world.outage(10 * SECOND);
    await world.client.delete(world.id('a'));
  },
  async retryRequests(world) {
    await orRefused(create(world, minutely(world.at(MINUTE), 3)));
    await orRefused(world.client.delete(world.id('a')));
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['succeeded', 'cancelled deleted', 'cancelled deleted'])),
    ...callsAre(world, 1),
  ],
};
