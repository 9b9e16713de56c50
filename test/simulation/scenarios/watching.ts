import { HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { watchFaults } from '../oracles/watches.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { callsAre, ledgerIs, once, scheduled } from './definitions.ts';

const create = (world: World) =>
  world.client.create(
    world.id('a'),
    // Longer than any fault holds a settlement up.
    scheduled(once(world.at(MINUTE)), { expectSuccessWithin: 'PT10M' }),
    'key',
  );

/** What a sweep says an hour after it ran out of times. */
const namedRightly = async (world: World) => {
  world.outage(HOUR);
  const faults = await watchFaults(world);
  // The tables are shared with the worlds that come after this one.
  await world.client.delete(world.id('a'));
  return [...faults, ...(await watchFaults(world))];
};

/** Its successes are noted after they are settled: a process may die in between. */
export const watchedSuccess: Scenario = {
  name: 'a watched schedule that succeeds',
  arrange: create,
  retryRequests: create,
  holds: namedRightly,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 1)],
};

export const watchedFailure: Scenario = {
  name: 'a watched schedule that never succeeds',
  async arrange(world) {
    world.behaviour = async () => ({ kind: 'failed', retryable: false, detail: 'status 400' });
    await create(world);
  },
  retryRequests: create,
  holds: namedRightly,
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['failed not-retryable'])),
    ...callsAre(world, 1),
  ],
};
