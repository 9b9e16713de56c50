import type { OverlapPolicy } from '../../../lambdas/core/schedule/definition.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { live } from '../world/live.ts';
import type { Scenario } from '../world/scenario.ts';
import type { Behaviour } from '../world/target.ts';
import type { World } from '../world/world.ts';
import { callsAre, ledgerIs, minutely, once, orRefused, scheduled } from './definitions.ts';

/** Longer than from one time to the next; shorter than two. */
const takesLong: Behaviour = async (_, { worker, signal }) => {
  await worker.clock.until(epochMs(worker.clock.now() + 80 * SECOND), signal);
  return signal.aborted
    ? { kind: 'failed', retryable: true, detail: 'aborted' }
    : { kind: 'succeeded', detail: 'done' };
};

function overlapping(overlap: OverlapPolicy, expected: readonly string[]): Scenario {
  const create: NonNullable<Scenario['retryRequests']> = (world) =>
    world.client.create(
      world.id('a'),
      scheduled(minutely(world.at(MINUTE), 3), { overlap, timeout: 'PT5M' }),
      'key',
    );
  return {
    name: `overlap ${overlap}`,
    async arrange(world) {
      world.behaviour = takesLong;
      await create(world);
      await live(world, world.at(HOUR), { workers: 3 });
    },
    retryRequests: (world) => orRefused(create(world)),
    expected: (world) => ledgerIs(world, 'a', expected),
  };
}

export const overlaps = [
  overlapping('allow', ['succeeded', 'succeeded', 'succeeded']),
  overlapping('skip', ['succeeded', 'skipped overlap', 'succeeded']),
  overlapping('buffer-one', ['succeeded', 'succeeded', 'succeeded']),
  overlapping('buffer-all', ['succeeded', 'succeeded', 'succeeded']),
  overlapping('cancel-other', ['cancelled overlap', 'cancelled overlap', 'succeeded']),
];

const createTwo = async (world: World) => {
  await world.client.limitGroup(world.group, 1);
  for (const name of ['a', 'b']) {
    const definition = scheduled(once(world.at(MINUTE)), { timeout: 'PT5M' });
    await orRefused(world.client.create(world.id(name), definition, 'key'));
  }
};

/** Two schedules of a group that one may run of at a time: the other waits, and is woken. */
export const groupLimit: Scenario = {
  name: 'a group limit',
  async arrange(world) {
    world.behaviour = takesLong;
    await createTwo(world);
    await live(world, world.at(HOUR), { workers: 2 });
  },
  retryRequests: createTwo,
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['succeeded'])),
    ...(await ledgerIs(world, 'b', ['succeeded'])),
    ...callsAre(world, 2),
  ],
};
