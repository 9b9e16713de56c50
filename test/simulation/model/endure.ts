import fc from 'fast-check';
import { isPunctualError } from '../../../lambdas/core/errors.ts';
import { type Fault, type Faults, NO_FAULTS } from '../world/calls.ts';
import { Crashed } from '../world/life.ts';
import { SINGLE_FAULTS } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { adopt, assertAsExpected, type Model, NAMES, type Name } from './model.ts';

export type Command = fc.AsyncCommand<Model, World>;

/** A fault at the n-th call of a command; a command that makes fewer goes well. */
export interface Mishap {
  readonly fault: Fault;
  readonly nth: number;
}

function faultsOf(mishap: Mishap | null, world: World): Faults {
  if (!mishap) return NO_FAULTS;
  const number = world.calls.made.length + mishap.nth;
  return { of: (call) => (call.number === number ? mishap.fault : undefined) };
}

/** What ends in an error of its own: the SDK gives up. */
const GIVEN_UP: readonly (Fault | undefined)[] = ['refused', 'silent'];

/** Runs a step under a mishap. Answers whether it came to its end. */
async function endures(world: World, mishap: Mishap | null, step: () => Promise<unknown>): Promise<boolean> {
  world.calls.faults = faultsOf(mishap, world);
  try {
    await step();
    return true;
  } catch (error) {
    if (!(error instanceof Crashed) && !GIVEN_UP.includes(mishap?.fault)) throw error;
    return false;
  } finally {
    if (mishap) await world.restart();
  }
}

const withMishap = (text: string, mishap: Mishap | null) =>
  mishap ? `${text} [${mishap.fault} at its call ${mishap.nth}]` : text;

/** A request of a client, and what it makes of the schedule. */
export function request(
  name: Name,
  text: string,
  mishap: Mishap | null,
  about: {
    readonly when: (expected: Model[Name]) => boolean;
    readonly send: (world: World) => Promise<void>;
    readonly becomes: (expected: Model[Name]) => void;
  },
): Command {
  return {
    check: (model) => about.when(model[name]),
    async run(model, world) {
      let isRefused = false;
      const answered = await endures(world, mishap, async () => {
        isRefused = await isBeyondQuota(about.send(world));
      });
      // What is on its way and arrives late comes about when nobody can foretell.
      if (!answered || isRefused || world.calls.areLate > 0) return adopt(model, name, world);
      about.becomes(model[name]);
      await assertAsExpected(model, name, world);
    },
    toString: () => withMishap(`${name}.${text}`, mishap),
  };
}

async function isBeyondQuota(sent: Promise<void>): Promise<boolean> {
  try {
    await sent;
    return false;
  } catch (error) {
    if (isPunctualError(error) && error.code === 'group.limit') return true;
    throw error;
  }
}

/** A request that may be refused; the model says nothing of what comes of it, the invariants do. */
export function ask(text: string, mishap: Mishap | null, send: (world: World) => Promise<unknown>): Command {
  return {
    check: () => true,
    async run(model, world) {
      await endures(world, mishap, () =>
        send(world).catch((error) => {
          if (!isPunctualError(error) || error.code === 'store.unavailable') throw error;
        }),
      );
      for (const name of NAMES) await adopt(model, name, world);
    },
    toString: () => withMishap(text, mishap),
  };
}

/** What every function and the clock do. */
export function step(text: string, mishap: Mishap | null, run: (world: World) => Promise<unknown>): Command {
  return {
    check: () => true,
    async run(_, world) {
      await endures(world, mishap, () => run(world));
    },
    toString: () => withMishap(text, mishap),
  };
}

export const mishaps = fc.option(
  fc.record({
    fault: fc.constantFrom<Fault[]>(...SINGLE_FAULTS, 'throttled', 'conflict'),
    nth: fc.integer({ min: 1, max: 12 }),
  }),
  { freq: 3 },
);
