import { epochMs, MINUTE } from '../../../lambdas/core/time.ts';
import type { Call } from '../world/calls.ts';
import { minutes } from '../world/course.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { callsAre, createInAMinute, ledgerIs, occurrenceAt, orRefused } from './definitions.ts';

const first = (world: World) => occurrenceAt(world, 'a', world.at(MINUTE));

export const cancelPending: Scenario = {
  name: 'cancel what is pending',
  async arrange(world) {
    await createInAMinute(world);
    await world.client.cancel(first(world));
  },
  async retryRequests(world) {
    await createInAMinute(world);
    await orRefused(world.client.cancel(first(world)));
  },
  expected: async (world) => [...(await ledgerIs(world, 'a', ['cancelled user'])), ...callsAre(world, 0)],
};

/** Its worker hears of it with the renewal that the request came just before. */
export const cancelRunning: Scenario = {
  name: 'cancel what runs',
  async arrange(world) {
    world.behaviour = async (_, { worker, signal }) => {
      await worker.clock.until(epochMs(worker.clock.now() + MINUTE), signal);
      return signal.aborted ? { kind: 'failed', retryable: true, detail: 'aborted' } : { kind: 'succeeded' };
    };
    const isRenewal = ({ process, effect }: Call) =>
      world.targetCalls.length === 1 && process === 'worker' && effect === 'write';
    world.calls.before(isRenewal, () => world.client.cancel(first(world)));
    await createInAMinute(world);
  },
  async retryRequests(world) {
    await createInAMinute(world);
    await orRefused(world.client.cancel(first(world)));
  },
  expected: async (world) => [...(await ledgerIs(world, 'a', ['cancelled user'])), ...callsAre(world, 1)],
};

export const replay: Scenario = {
  name: 'replay',
  async arrange(world) {
    world.behaviour = async (_, { nth }) =>
      nth === 1 ? { kind: 'failed', retryable: false, detail: 'status 400' } : { kind: 'succeeded' };
    await createInAMinute(world);
    await minutes(world, 2);
    // Where its worker was taken for dead it runs still, and is not to be replayed.
    await orRefused(world.client.replay(first(world)));
  },
  async retryRequests(world) {
    await createInAMinute(world);
    await orRefused(world.client.replay(first(world)));
  },
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};
