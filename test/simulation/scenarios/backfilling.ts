import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import { MINUTE, toIso } from '../../../lambdas/core/time.ts';
import { minutes } from '../world/course.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { callsAre, isClaim, ledgerIs, minutely, orRefused, scheduled } from './definitions.ts';

/** A schedule with five times that have passed and one to come, and a backfill of three of them. */
async function backfillOf(world: World): Promise<Backfill> {
  const id = world.id('a');
  await orRefused(world.client.create(id, scheduled(minutely(world.at(-4 * MINUTE), 6)), 'key'));
  const [from, to] = [toIso(world.at(-4 * MINUTE)), toIso(world.at(-2 * MINUTE))];
  return world.client.backfill(id, { from, to }, 'past');
}

export const backfill: Scenario = {
  name: 'backfill',
  arrange: async (world) => void (await backfillOf(world)),
  retryRequests: async (world) => void (await backfillOf(world)),
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['succeeded', 'succeeded', 'succeeded', 'succeeded'])),
    ...callsAre(world, 4),
  ],
};

/** The pause comes when a worker is about to claim: what it cancels is made again when it is resumed. */
export const backfillPaused: Scenario = {
  name: 'a backfill that is paused during a claim, and resumed',
  async arrange(world) {
    const made = await backfillOf(world);
    world.calls.before(isClaim, () => world.client.changeBackfill(made, 'pause'));
    await minutes(world, 2);
    await world.client.changeBackfill(made, 'resume');
  },
  async retryRequests(world) {
    const made = await backfillOf(world);
    await orRefused(world.client.changeBackfill(made, 'pause'));
    await orRefused(world.client.changeBackfill(made, 'resume'));
  },
  expected: backfill.expected,
};

export const backfillCancelled: Scenario = {
  name: 'a backfill that is cancelled during a claim',
  async arrange(world) {
    const made = await backfillOf(world);
    world.calls.before(isClaim, () => world.client.changeBackfill(made, 'cancel'));
    await minutes(world, 1);
  },
  async retryRequests(world) {
    await orRefused(world.client.changeBackfill(await backfillOf(world), 'cancel'));
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['cancelled user', 'cancelled user', 'cancelled user', 'succeeded'])),
    ...callsAre(world, 1),
  ],
};
