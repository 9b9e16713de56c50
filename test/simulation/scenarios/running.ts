import { MINUTE } from '../../../lambdas/core/time.ts';
import type { Scenario } from '../world/scenario.ts';
import { failsTimes } from '../world/target.ts';
import { callsAre, createInAMinute, ledgerIs, once, scheduled } from './definitions.ts';

export const fireOnce: Scenario = {
  name: 'fire once',
  async arrange(world) {
    await world.client.create(world.id('a'), scheduled(once(world.at(3 * MINUTE))), 'key');
  },
  retryRequests: (world) => world.client.create(world.id('a'), scheduled(once(world.at(3 * MINUTE))), 'key'),
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 1)],
};

export const twoRetries: Scenario = {
  name: 'two retries',
  async arrange(world) {
    world.behaviour = failsTimes(2);
    await createInAMinute(world);
  },
  retryRequests: createInAMinute,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 3)],
};

/** SQS delivers an old message once more, while the occurrence waits for its next attempt. */
export const oldMessage: Scenario = {
  name: 'a message again while a retry waits',
  async arrange(world) {
    world.behaviour = (invocation, tools) => {
      const { id, scheduledTime: dueAt } = invocation;
      if (tools.nth === 1) world.queue.put(JSON.stringify({ id, seq: 1, dueAt }), 1);
      return failsTimes(1)(invocation, tools);
    };
    await createInAMinute(world);
  },
  retryRequests: createInAMinute,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};

export const lostQueue: Scenario = {
  name: 'a work queue that lost everything',
  losesMessages: true,
  async arrange(world) {
    await createInAMinute(world);
    await world.relay();
    world.queue.purge();
  },
  retryRequests: createInAMinute,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 1)],
};
