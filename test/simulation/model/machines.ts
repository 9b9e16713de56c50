import fc from 'fast-check';
import { epochMs, HOUR, SECOND } from '../../../lambdas/core/time.ts';
import { minute, without } from '../world/course.ts';
import { never } from '../world/life.ts';
import type { Behaviour } from '../world/target.ts';
import type { Expiry } from '../world/ttl.ts';
import type { Part, World } from '../world/world.ts';
import { type Command, type Mishap, mishaps, step } from './endure.ts';

/** What functions, machines, targets and time do; the model says nothing of it, the invariants do. */

const lasting =
  (seconds: number): Behaviour =>
  async (_, { worker, signal }) => {
    await worker.clock.until(epochMs(worker.clock.now() + seconds * SECOND), signal);
    return signal.aborted ? { kind: 'failed', retryable: true, detail: 'aborted' } : { kind: 'succeeded' };
  };

const BEHAVIOURS = {
  succeeds: async () => ({ kind: 'succeeded' }),
  fails: async () => ({ kind: 'failed', retryable: true, detail: 'status 503' }),
  'fails for good': async () => ({ kind: 'failed', retryable: false, detail: 'status 400' }),
  'kills its worker': async (_, { worker }) => {
    worker.life.kill();
    return never();
  },
  'takes 35 s': lasting(35),
  'takes 90 s': lasting(90),
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

/** Somebody outside does one thing that is due: claims, completes, fails, or says that it goes on. */
const worksOutside = (mishap: Mishap | null): Command =>
  step('somebody works outside', mishap, (world) => world.outside.act());

const passes = (seconds: number): Command =>
  step(`${seconds} s pass`, null, async (world) => world.outage(seconds * SECOND));

const daysPass = (hours: number, expiry: Expiry): Command =>
  step(`${hours} h pass, TTL ${expiry}`, null, async (world) => {
    world.ttl.expiry = expiry;
    world.outage(hours * HOUR);
  });

const away = (part: Part, minutes: number, mishap: Mishap | null): Command =>
  step(`${part} away for ${minutes} minutes`, mishap, (world) => without(world, [part], minutes));

const jumps = (seconds: number, who: string): Command =>
  step(`the clock of ${who} is ${seconds} s off`, null, async (world) => {
    world.skews.set(who, seconds * SECOND);
  });

const redeploys = (shards: number): Command =>
  step(`deployed with ${shards} shards`, null, async (world) => world.redeploy(shards));

const loses: Command = step('the queue loses everything', null, async (world) => world.queue.purge());

const run = (text: string, what: (world: World) => Promise<unknown>) =>
  mishaps.map((mishap) => step(text, mishap, what));

export const machines = [
  run('tick', (world) => world.tick()),
  run('sweep', (world) => world.sweep()),
  run('a minute goes by', minute),
  fc.tuple(fc.boolean(), fc.boolean(), mishaps).map((args) => relays(...args)),
  fc
    .tuple(
      fc.constantFrom(...(Object.keys(BEHAVIOURS) as BehaviourName[])),
      fc.integer({ min: 1, max: 10 }),
      fc.boolean(),
      mishaps,
    )
    .map((args) => works(...args)),
  mishaps.map(worksOutside),
  fc.integer({ min: 1, max: 200 }).map(passes),
  fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom('at-once' as const, 'late' as const))
    .map((args) => daysPass(...args)),
  fc
    .tuple(
      fc.constantFrom<Part[]>('tick', 'sweep', 'relay', 'queue', 'worker'),
      fc.integer({ min: 1, max: 4 }),
      mishaps,
    )
    .map((args) => away(...args)),
  fc
    .tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom('tick', 'sweep', 'worker', 'api', 'relay'))
    .map((args) => jumps(...args)),
  fc.integer({ min: 1, max: 4 }).map(redeploys),
  fc.constant(loses),
];
