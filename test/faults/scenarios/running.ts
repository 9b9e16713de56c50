import { MINUTE } from '../../../lambdas/core/time.ts';
import { never } from '../../support/faults/life.ts';
import type { Scenario } from '../../support/faults/scenario.ts';
import { failsTimes, succeeds } from '../../support/faults/target.ts';
import { callsAre, ledgerIs, once, scheduled } from './definitions.ts';

export const fireOnce: Scenario = {
  name: 'fire once',
  async story(world) {
    await world.client.create(world.id('a'), scheduled(once(world.at(3 * MINUTE))), 'key');
  },
  again: (world) => world.client.create(world.id('a'), scheduled(once(world.at(3 * MINUTE))), 'key'),
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 1)],
};

export const twoRetries: Scenario = {
  name: 'two retries',
  async story(world) {
    world.behaviour = failsTimes(2);
    await world.client.create(world.id('a'), scheduled(once(world.at(MINUTE))), 'key');
  },
  again: fireOnceAgain,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 3)],
};

function fireOnceAgain(world: Parameters<NonNullable<Scenario['again']>>[0]): Promise<void> {
  return world.client.create(world.id('a'), scheduled(once(world.at(MINUTE))), 'key');
}

export const leaseExpiry: Scenario = {
  name: 'lease expiry',
  async story(world) {
    world.behaviour = (invocation, tools) => {
      if (tools.nth > 1) return succeeds(invocation, tools);
      tools.worker.life.kill();
      return never();
    };
    await world.client.create(world.id('a'), scheduled(once(world.at(MINUTE))), 'key');
  },
  again: fireOnceAgain,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};
