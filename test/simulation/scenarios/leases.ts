import { epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import type { Call } from '../world/calls.ts';
import { never, startLife } from '../world/life.ts';
import { live } from '../world/live.ts';
import type { Scenario } from '../world/scenario.ts';
import { succeeds } from '../world/target.ts';
import { callsAre, createInAMinute, ledgerIs } from './definitions.ts';

export const leaseExpiry: Scenario = {
  name: 'lease expiry',
  async arrange(world) {
    world.behaviour = (invocation, tools) => {
      if (tools.nth > 1) return succeeds(invocation, tools);
      tools.worker.life.kill();
      return never();
    };
    await createInAMinute(world);
  },
  retryRequests: createInAMinute,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};

/**
 * A worker freezes after its target has answered, until long after its lease: by then another one is at it, and
 * what the first has to say must not end that attempt.
 */
export const lateWorker: Scenario = {
  name: 'a worker that settles after its lease',
  async arrange(world) {
    world.behaviour = async (invocation, tools) => {
      const { clock } = tools.worker;
      if (tools.nth > 1) await clock.until(epochMs(clock.now() + MINUTE), tools.signal);
      return succeeds(invocation, tools);
    };
    const isSettle = ({ process, effect }: Call) =>
      world.targetCalls.length === 1 && process.startsWith('worker-') && effect === 'write';
    const { until } = world.time.clock(startLife());
    world.calls.before(isSettle, () => until(epochMs(world.time.now() + 100 * SECOND)));
    await createInAMinute(world);
    await live(world, world.at(HOUR), { workers: 2 });
  },
  retryRequests: createInAMinute,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};

/** A renewal is on its way for so long that the sweep finds the lease expired, and arrives just before it acts. */
export const lateRenewal: Scenario = {
  // Its worker has given the lease up by then, and is done with the attempt although the renewal comes in.
  name: 'a renewal that arrives while the sweep takes its lease for expired',
  async arrange(world) {
    const { until } = world.time.clock(startLife());
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let holder = '';
    world.behaviour = async (invocation, tools) => {
      if (tools.nth === 1) holder = tools.worker.name;
      await tools.worker.clock.until(epochMs(tools.worker.clock.now() + 70 * SECOND), tools.signal);
      return succeeds(invocation, tools);
    };
    // A message that came twice has another worker try a claim meanwhile.
    const isRenewal = ({ process, effect }: Call) =>
      world.targetCalls.length === 1 && process === holder && effect === 'write';
    world.calls.before(isRenewal, () => arrival);
    world.calls.before(
      ({ process, effect, sortKey }) =>
        process.startsWith('sweep') && effect === 'write' && sortKey?.startsWith('O#') === true,
      async () => {
        arrive();
        // Time passes once the renewal is through.
        await until(epochMs(world.time.now() + SECOND));
      },
    );
    await createInAMinute(world);
    await live(world, world.at(HOUR), { workers: 2 });
  },
  retryRequests: createInAMinute,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};
