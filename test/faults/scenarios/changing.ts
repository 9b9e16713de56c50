import { MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import type { Call } from '../../support/faults/calls.ts';
import type { Scenario } from '../../support/faults/scenario.ts';
import type { World } from '../../support/faults/world.ts';
import { callsAre, ledgerIs, minutely, once, orRefused, scheduled } from './definitions.ts';

const isTickWriting = ({ process, effect }: Call) => process === 'tick' && effect === 'transaction';
const isClaim = ({ process, effect }: Call) => process === 'worker' && effect === 'write';

const create = (world: World, expression: string) =>
  world.client.create(world.id('a'), scheduled(expression), 'key');

export const editDuringMaterialise: Scenario = {
  name: 'edit during materialise',
  async story(world) {
    const times = minutely(world.at(3 * MINUTE), 3);
    const edit = () => world.client.edit(world.id('a'), scheduled(times, { input: 'new' }));
    world.calls.before(isTickWriting, edit);
    await create(world, times);
  },
  async again(world) {
    const times = minutely(world.at(3 * MINUTE), 3);
    await orRefused(create(world, times));
    await world.client.edit(world.id('a'), scheduled(times, { input: 'new' }));
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['succeeded', 'succeeded', 'succeeded'])),
    ...callsAre(world, 3),
  ],
};

export const pauseDuringClaim: Scenario = {
  name: 'pause during claim, and resume',
  async story(world) {
    world.calls.before(isClaim, () => world.client.pause(world.id('a')));
    await create(world, minutely(world.at(MINUTE), 4));
    await world.minutes(2);
    await world.client.resume(world.id('a'));
  },
  async again(world) {
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
  async story(world) {
    world.calls.before(isClaim, async () => {
      world.calls.before(
        ({ process, what }) => process === 'worker' && what === 'GetItem',
        () => world.client.pause(world.id('a')),
      );
    });
    await create(world, once(world.at(MINUTE)));
  },
  async again(world) {
    await orRefused(create(world, once(world.at(MINUTE))));
    await world.client.pause(world.id('a'));
  },
  expected: async (world) => [...(await ledgerIs(world, 'a', ['cancelled paused'])), ...callsAre(world, 0)],
};

export const deleteWithPending: Scenario = {
  name: 'delete with pending',
  async story(world) {
    await create(world, minutely(world.at(MINUTE), 3));
    await world.minutes(1);
    world.outage(10 * SECOND);
    await world.client.delete(world.id('a'));
  },
  async again(world) {
    await orRefused(create(world, minutely(world.at(MINUTE), 3)));
    await orRefused(world.client.delete(world.id('a')));
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['succeeded', 'cancelled deleted', 'cancelled deleted'])),
    ...callsAre(world, 1),
  ],
};
