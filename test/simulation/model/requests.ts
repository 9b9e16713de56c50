import fc from 'fast-check';
import { epochMs, SECOND } from '../../../lambdas/core/time.ts';
import { type Command, type Mishap, mishaps, request } from './endure.ts';
import { type Model, NAMES, type Name, PLANS, type PlanName, planOf } from './model.ts';

/** What clients make of schedules: the model knows what each of these comes to. */

const isLive = ({ state }: Model[Name]) => state === 'enabled' || state === 'paused';

function create(name: Name, plan: PlanName, mishap: Mishap | null): Command {
  return request(name, `create(${plan})`, mishap, {
    when: ({ state }) => state === 'absent' || state === 'deleted',
    send: (world) => world.client.create(world.id(name), planOf(world, plan)),
    becomes(expected) {
      Object.assign(expected, { state: 'enabled', mayWake: false, plan, revision: expected.revision + 1 });
    },
  });
}

function edit(
  name: Name,
  plan: PlanName,
  pending: 'keep' | 'cancel' | undefined,
  mishap: Mishap | null,
): Command {
  const kept = pending === undefined ? '' : `, pending=${pending}`;
  return request(name, `edit(${plan}${kept})`, mishap, {
    when: isLive,
    send: (world) => world.client.edit(world.id(name), planOf(world, plan), pending),
    becomes(expected) {
      if (expected.plan !== plan) Object.assign(expected, { plan, revision: expected.revision + 1 });
    },
  });
}

function verb(name: Name, what: 'pause' | 'resume' | 'delete', mishap: Mishap | null): Command {
  const after = { pause: 'paused', resume: 'enabled', delete: 'deleted' } as const;
  return request(name, what, mishap, {
    when: isLive,
    send: (world) => world.client[what](world.id(name)),
    becomes(expected) {
      expected.state = after[what];
      // A pause without an end leaves one that was given before as it is.
      if (what !== 'pause') expected.mayWake = false;
    },
  });
}

function pauseUntil(name: Name, seconds: number, mishap: Mishap | null): Command {
  return request(name, `pause(for ${seconds} s)`, mishap, {
    when: isLive,
    send: (world) => world.client.pause(world.id(name), epochMs(world.time.now() + seconds * SECOND)),
    becomes(expected) {
      Object.assign(expected, { state: 'paused', mayWake: true });
    },
  });
}

function makeUp(name: Name, mode: 'skip' | 'latest' | 'all', mishap: Mishap | null): Command {
  return request(name, `resume(catch-up ${mode})`, mishap, {
    when: isLive,
    send: (world) => world.client.resume(world.id(name), { mode, maxRuns: 4, spreadOver: 'PT20S' }),
    becomes(expected) {
      Object.assign(expected, { state: 'enabled', mayWake: false });
    },
  });
}

export const names = fc.constantFrom(...NAMES);
export const plan = fc.constantFrom(...(Object.keys(PLANS) as PlanName[]));

export const requests = [
  fc.tuple(names, plan, mishaps).map((args) => create(...args)),
  fc
    .tuple(names, plan, fc.constantFrom(undefined, 'keep' as const, 'cancel' as const), mishaps)
    .map((args) => edit(...args)),
  fc
    .tuple(names, fc.constantFrom('pause' as const, 'resume' as const, 'delete' as const), mishaps)
    .map((args) => verb(...args)),
  fc.tuple(names, fc.integer({ min: 5, max: 200 }), mishaps).map((args) => pauseUntil(...args)),
  fc
    .tuple(names, fc.constantFrom('skip' as const, 'latest' as const, 'all' as const), mishaps)
    .map((args) => makeUp(...args)),
];
