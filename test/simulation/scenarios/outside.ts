import type { Definition } from '../../../lambdas/core/schedule/definition.ts';
import { MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import type { Work } from '../world/outside.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { callsAre, ledgerIs, once, orRefused, scheduled } from './definitions.ts';

const create = (world: World, changes: Partial<Definition>) =>
  orRefused(world.client.create(world.id('a'), scheduled(once(world.at(MINUTE)), changes), 'key'));

/** `work` is what somebody outside makes of the nth call of an occurrence. */
function takenOn(name: string, work: (nth: number) => Work | 'silence', calls: number): Scenario {
  const createCallback = (world: World) =>
    create(world, { completion: 'callback', heartbeatTimeout: 'PT45S' });
  return {
    name,
    async arrange(world) {
      world.behaviour = async (invocation, { nth }) => {
        const how = work(nth);
        return how === 'silence'
          ? { kind: 'accepted', detail: 'and never heard of again' }
          : world.outside.takeOn(invocation, how);
      };
      await createCallback(world);
    },
    retryRequests: createCallback,
    expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, calls)],
  };
}

const failsFirst = (nth: number): Work => ({ lastsMs: 20 * SECOND, says: nth === 1 ? 'fail' : 'complete' });

/** Longer than it may be silent, so that it depends on its heartbeat. */
export const completed = takenOn(
  'a target that completes later',
  () => ({ lastsMs: 80 * SECOND, says: 'complete', heartbeat: true }),
  1,
);
export const failedLater = takenOn('a target that fails later, and then completes', failsFirst, 2);
export const silent = takenOn(
  'a target that is never heard of again, and then completes',
  (nth) => (nth === 1 ? 'silence' : { lastsMs: 20 * SECOND, says: 'complete' }),
  2,
);

const createPulled = (world: World) => create(world, { target: { kind: 'pull', queue: world.group } });

export const pulled: Scenario = {
  name: 'a queue that outside workers claim from',
  async arrange(world) {
    world.outside.pullFrom(world.group, failsFirst);
    await createPulled(world);
  },
  retryRequests: createPulled,
  expected: async (world) => [...(await ledgerIs(world, 'a', ['succeeded'])), ...callsAre(world, 2)],
};
