import { DAY, MINUTE } from '../../../lambdas/core/time.ts';
import { minutes } from '../world/course.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { callsAre, ledgerIs, minutely, once, orRefused, scheduled, statusAndReason } from './definitions.ts';

const RETRY_LATER = {
  maxAttempts: 3,
  initialDelay: 'PT4M',
  factor: 1,
  maxDelay: 'PT4M',
  jitter: 0,
  maxAge: 'PT1H',
};

const first = (world: World) =>
  scheduled(minutely(world.at(2 * MINUTE), 3), { input: 'old', retry: RETRY_LATER, overlap: 'skip' });
const second = (world: World) => scheduled(minutely(world.at(8 * MINUTE), 2), { input: 'new' });

/** What the first schedule of a name has left waiting for another try, or pending, is nothing to the second. */
export const nameUsedAgain: Scenario = {
  name: 'a name that is used again while a retry of the old schedule waits',
  async arrange(world) {
    world.behaviour = async ({ input }) =>
      input === 'old'
        ? { kind: 'failed', retryable: true, detail: 'status 503' }
        : { kind: 'succeeded', detail: 'done' };
    await world.client.create(world.id('a'), first(world), 'key');
    await world.client.trigger(world.id('a'), 'by hand');
    await minutes(world, 1);
    await world.client.delete(world.id('a'));
    await world.client.create(world.id('a'), second(world), 'another key');
    await minutes(world, 9);
  },
  async retryRequests(world) {
    await orRefused(world.client.create(world.id('a'), first(world), 'key'));
    await orRefused(world.client.delete(world.id('a')));
    await orRefused(world.client.create(world.id('a'), second(world), 'another key'));
  },
  expected: async (world) => [
    ...(await ledgerIs(
      world,
      'a',
      [
        'cancelled deleted',
        'cancelled deleted',
        'cancelled deleted',
        'cancelled deleted',
        'succeeded',
        'succeeded',
      ],
      statusAndReason,
    )),
    ...callsAre(world, 3),
  ],
};

/** Nothing is left of the first but what TTL has not come to yet. */
export const nameUsedAfterPurge: Scenario = {
  name: 'a name that is used again when its records were purged',
  async arrange(world) {
    world.ttl.expiry = 'at-once';
    const id = world.id('a');
    await world.client.create(id, scheduled(once(world.at(MINUTE)), { retention: 'P1D' }), 'key');
    await minutes(world, 3);
    await world.client.delete(id);
    world.outage(900 * DAY);
    await againLater(world);
  },
  async retryRequests(world) {
    world.ttl.expiry = 'late';
    await orRefused(world.client.delete(world.id('a')));
    await againLater(world);
  },
  // The ledger of the first is gone.
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};

async function againLater(world: World): Promise<void> {
  const definition = scheduled(once((Math.ceil((world.time.now() + MINUTE) / MINUTE) * MINUTE) as never));
  await orRefused(world.client.create(world.id('a'), definition, 'second key'));
}
