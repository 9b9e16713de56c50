import { epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import type { Call } from '../../support/faults/calls.ts';
import { never, startLife } from '../../support/faults/life.ts';
import { live } from '../../support/faults/live.ts';
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

/** SQS delivers an old message once more, while the occurrence waits for its next attempt. */
export const oldMessage: Scenario = {
  name: 'a message again while a retry waits',
  async story(world) {
    world.behaviour = (invocation, tools) => {
      const { id, scheduledTime: dueAt } = invocation;
      if (tools.nth === 1) world.queue.put(JSON.stringify({ id, seq: 1, dueAt }), 1);
      return failsTimes(1)(invocation, tools);
    };
    await world.client.create(world.id('a'), scheduled(once(world.at(MINUTE))), 'key');
  },
  again: fireOnceAgain,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};

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

/**
 * A worker freezes after its target has answered, until long after its lease: by then another one is at it, and
 * what the first has to say must not end that attempt.
 */
export const lateWorker: Scenario = {
  name: 'a worker that settles after its lease',
  async story(world) {
    world.behaviour = async (invocation, tools) => {
      const { clock } = tools.worker;
      if (tools.nth > 1) await clock.until(epochMs(clock.now() + MINUTE), tools.signal);
      return succeeds(invocation, tools);
    };
    const isSettle = ({ process, effect }: Call) =>
      world.targetCalls.length === 1 && process.startsWith('worker-') && effect === 'write';
    const { until } = world.time.clock(startLife());
    world.calls.before(isSettle, () => until(epochMs(world.time.now() + 100 * SECOND)));
    await world.client.create(world.id('a'), scheduled(once(world.at(MINUTE))), 'key');
    await live(world, world.at(HOUR), { workers: 2 });
  },
  again: fireOnceAgain,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};
