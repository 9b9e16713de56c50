import { MINUTE } from '../../../lambdas/core/time.ts';
import { minutes } from '../world/course.ts';
import type { Scenario } from '../world/scenario.ts';
import { failsTimes } from '../world/target.ts';
import type { World } from '../world/world.ts';
import { callsAre, ledgerIs, minutely, orRefused, scheduled } from './definitions.ts';

const RETRY_LATER = {
  maxAttempts: 2,
  initialDelay: 'PT3M',
  factor: 1,
  maxDelay: 'PT3M',
  jitter: 0,
  maxAge: 'PT1H',
};

const NAMES = ['a', 'b', 'c'];

async function createAll(world: World): Promise<void> {
  for (const name of NAMES) {
    const times = minutely(world.at(MINUTE), 4, 2);
    const definition = scheduled(times, { retry: RETRY_LATER, deleteAfterCompletion: true });
    await orRefused(world.client.create(world.id(name), definition, 'key'));
  }
}

/** Schedules, backlogs and retries of one shard count are found under the next, and nothing is retired too soon. */
export const shardsChange: Scenario = {
  name: 'shard counts that change',
  async arrange(world) {
    world.behaviour = failsTimes(1);
    await createAll(world);
    await minutes(world, 2);
    world.redeploy(5);
    await minutes(world, 2);
    world.redeploy(2);
    await world.client.pause(world.id('b'));
    await world.client.resume(world.id('b'));
    await minutes(world, 2);
    world.redeploy(3);
  },
  async retryRequests(world) {
    await createAll(world);
    world.redeploy(3);
    await orRefused(world.client.resume(world.id('b')));
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', Array(4).fill('succeeded'))),
    ...(await ledgerIs(world, 'b', Array(4).fill('succeeded'))),
    ...(await ledgerIs(world, 'c', Array(4).fill('succeeded'))),
    ...callsAre(world, 24),
  ],
};
