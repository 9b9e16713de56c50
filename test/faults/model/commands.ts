import fc from 'fast-check';
import { epochMs, SECOND } from '../../../lambdas/core/time.ts';
import { type Fault, type Faults, NO_FAULTS } from '../../support/faults/calls.ts';
import { minute } from '../../support/faults/course.ts';
import { Crashed, never } from '../../support/faults/life.ts';
import type { Behaviour } from '../../support/faults/target.ts';
import type { World } from '../../support/faults/world.ts';
import {
  adopt,
  assertAsExpected,
  type Model,
  NAMES,
  type Name,
  PLANS,
  type PlanName,
  planOf,
} from './model.ts';

type Command = fc.AsyncCommand<Model, World>;

/** A fault at the n-th call of a command; a command that makes fewer goes well. */
interface Mishap {
  readonly fault: Fault;
  readonly nth: number;
}

function faultsOf(mishap: Mishap | null, world: World): Faults {
  if (!mishap) return NO_FAULTS;
  const number = world.calls.made.length + mishap.nth;
  return { of: (call) => (call.number === number ? mishap.fault : undefined) };
}

/** Runs a step under a mishap. Answers whether it came to its end. */
async function endures(world: World, mishap: Mishap | null, step: () => Promise<unknown>): Promise<boolean> {
  world.calls.faults = faultsOf(mishap, world);
  try {
    await step();
    return true;
  } catch (error) {
    if (!(error instanceof Crashed) && mishap?.fault !== 'refused') throw error;
    return false;
  } finally {
    await world.restart();
  }
}

const withMishap = (text: string, mishap: Mishap | null) =>
  mishap ? `${text} [${mishap.fault} at its call ${mishap.nth}]` : text;

/** A request of a client, and what it makes of the schedule. */
function request(
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
      const answered = await endures(world, mishap, () => about.send(world));
      if (!answered) return adopt(model, name, world);
      about.becomes(model[name]);
      await assertAsExpected(model, name, world);
    },
    toString: () => withMishap(`${name}.${text}`, mishap),
  };
}

const isLive = ({ state }: Model[Name]) => state === 'enabled' || state === 'paused';

function create(name: Name, plan: PlanName, mishap: Mishap | null): Command {
  return request(name, `create(${plan})`, mishap, {
    when: ({ state }) => state === 'absent' || state === 'deleted',
    send: (world) => world.client.create(world.id(name), planOf(world, plan)),
    becomes(expected) {
      Object.assign(expected, { state: 'enabled', plan, revision: expected.revision + 1 });
    },
  });
}

function edit(name: Name, plan: PlanName, mishap: Mishap | null): Command {
  return request(name, `edit(${plan})`, mishap, {
    when: isLive,
    send: (world) => world.client.edit(world.id(name), planOf(world, plan)),
    becomes(expected) {
      if (expected.plan !== plan) Object.assign(expected, { plan, revision: expected.revision + 1 });
    },
  });
}

function verb(name: Name, what: 'pause' | 'resume' | 'delete' | 'trigger', mishap: Mishap | null): Command {
  const after = { pause: 'paused', resume: 'enabled', delete: 'deleted', trigger: undefined } as const;
  return request(name, what, mishap, {
    when: isLive,
    send: (world) => world.client[what](world.id(name)),
    becomes(expected) {
      expected.state = after[what] ?? expected.state;
    },
  });
}

/** What every function and the clock do; the model says nothing of it, the invariants do. */
function step(text: string, mishap: Mishap | null, run: (world: World) => Promise<unknown>): Command {
  return {
    check: () => true,
    async run(_, world) {
      await endures(world, mishap, () => run(world));
    },
    toString: () => withMishap(text, mishap),
  };
}

const BEHAVIOURS = {
  succeeds: async () => ({ kind: 'succeeded' }),
  fails: async () => ({ kind: 'failed', retryable: true, detail: 'status 503' }),
  'fails for good': async () => ({ kind: 'failed', retryable: false, detail: 'status 400' }),
  'kills its worker': async (_, { worker }) => {
    worker.life.kill();
    return never();
  },
  'takes 35 s': async (_, { worker, signal }) => {
    await worker.clock.until(epochMs(worker.clock.now() + 35 * SECOND), signal);
    return signal.aborted ? { kind: 'failed', retryable: true, detail: 'aborted' } : { kind: 'succeeded' };
  },
} satisfies Record<string, Behaviour>;

type BehaviourName = keyof typeof BEHAVIOURS;

/** The order that a queue or a poller does not promise. */
const reversed = <Item>(items: readonly Item[]) => [...items].reverse();
const inOrder = <Item>(items: readonly Item[]) => [...items];

function works(behaviour: BehaviourName, max: number, backwards: boolean, mishap: Mishap | null): Command {
  const text = `work(up to ${max}${backwards ? ', newest first' : ''}; target ${behaviour})`;
  return step(text, mishap, async (world) => {
    world.behaviour = BEHAVIOURS[behaviour];
    await world.work({ max, order: backwards ? reversed : inOrder });
  });
}

function relays(again: boolean, backwards: boolean, mishap: Mishap | null): Command {
  const text = `relay(${[again && 'again', backwards && 'backwards'].filter(Boolean).join(', ')})`;
  return step(text, mishap, (world) => world.relay({ again, order: backwards ? reversed : inOrder }));
}

const passes = (seconds: number): Command =>
  step(`${seconds} s pass`, null, async (world) => world.outage(seconds * SECOND));

const jumps = (seconds: number): Command =>
  step(`clocks are ${seconds} s off`, null, async (world) => {
    world.skew = seconds * SECOND;
  });

const loses: Command = step('the queue loses everything', null, async (world) => world.queue.purge());

const mishap = fc.option(
  fc.record({
    fault: fc.constantFrom<Fault[]>('crash-before', 'crash-after', 'twice', 'refused', 'stale', 'throttled'),
    nth: fc.integer({ min: 1, max: 12 }),
  }),
  { freq: 3 },
);
const name = fc.constantFrom(...NAMES);
export const plan = fc.constantFrom(...(Object.keys(PLANS) as PlanName[]));
const verbs = fc.constantFrom('pause', 'resume', 'delete', 'trigger' as const);
const behaviour = fc.constantFrom(...(Object.keys(BEHAVIOURS) as BehaviourName[]));

/** Sequences of what clients, functions, machines and time do. */
export const commands = (maxCommands: number) =>
  fc.commands<Model, World, false>(
    [
      fc.tuple(name, plan, mishap).map((args) => create(...args)),
      fc.tuple(name, plan, mishap).map((args) => edit(...args)),
      fc.tuple(name, verbs, mishap).map((args) => verb(...args)),
      mishap.map((at) => step('tick', at, (world) => world.tick())),
      mishap.map((at) => step('sweep', at, (world) => world.sweep())),
      fc.tuple(fc.boolean(), fc.boolean(), mishap).map((args) => relays(...args)),
      fc
        .tuple(behaviour, fc.integer({ min: 1, max: 10 }), fc.boolean(), mishap)
        .map((args) => works(...args)),
      mishap.map((at) => step('a minute goes by', at, minute)),
      fc.integer({ min: 1, max: 200 }).map(passes),
      fc.integer({ min: -3, max: 3 }).map(jumps),
      fc.constant(loses),
    ],
    { maxCommands, size: 'max' },
  );
