import { MINUTE } from '../../../lambdas/core/time.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { callsAre, ledgerIs, minutely, once, orRefused, scheduled } from './definitions.ts';

const CATCH_UP = { mode: 'all', maxAge: 'PT1H', maxRuns: 2, spreadOver: 'PT1M' } as const;

const createMissed = (world: World) =>
  world.client.create(
    world.id('a'),
    scheduled(minutely(world.at(3 * MINUTE), 8), { catchUp: CATCH_UP }),
    'key',
  );

export const catchUp: Scenario = {
  name: 'catch-up after an outage',
  async arrange(world) {
    await createMissed(world);
    world.outage(9 * MINUTE);
  },
  retryRequests: createMissed,
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['coalesced catch-up', 'succeeded', 'succeeded', 'succeeded'])),
    ...callsAre(world, 3),
  ],
};

const createLong = (world: World) =>
  world.client.create(
    world.id('a'),
    scheduled(minutely(world.at(3 * MINUTE), 12, 2), { catchUp: CATCH_UP }),
    'key',
  );

/**
 * One tick has planned and not written yet when another, a minute later, plans the same times otherwise. Neither
 * comes to the end of the schedule, so that nothing but the place of the head tells the first that it is late.
 */
export const twoTicks: Scenario = {
  name: 'two ticks that catch up at once',
  async arrange(world) {
    await createLong(world);
    world.outage(12 * MINUTE);
    world.calls.before(
      ({ process, effect }) => process === 'tick' && effect === 'transaction',
      async () => {
        world.outage(MINUTE);
        await world.tick('other tick', { ignoreShardLease: true });
      },
    );
  },
  retryRequests: createLong,
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['coalesced catch-up', ...Array<string>(8).fill('succeeded')])),
    ...callsAre(world, 8),
  ],
};

const createTriggered = async (world: World) => {
  await orRefused(world.client.create(world.id('a'), scheduled(once(world.at(2 * MINUTE))), 'key'));
  await world.client.trigger(world.id('a'), 'now');
};

export const triggerManually: Scenario = {
  name: 'trigger manually',
  arrange: createTriggered,
  retryRequests: createTriggered,
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['succeeded', 'succeeded'])),
    ...callsAre(world, 2),
  ],
};

export const lateStart: Scenario = {
  name: 'start deadline passed',
  async arrange(world) {
    await world.client.create(
      world.id('a'),
      scheduled(once(world.at(MINUTE)), { startDeadline: 'PT30S' }),
      'key',
    );
    world.outage(3 * MINUTE);
  },
  retryRequests: (world) =>
    orRefused(
      world.client.create(
        world.id('a'),
        scheduled(once(world.at(MINUTE)), { startDeadline: 'PT30S' }),
        'key',
      ),
    ),
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['missed start-deadline'])),
    ...callsAre(world, 0),
  ],
};
