import { epochMs, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { without } from '../world/course.ts';
import { LONG } from '../world/runs.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { orRefused, scheduled, secondly, statusAndReason } from './definitions.ts';

/** More than the hundred actions that one transaction holds. */
const PENDING = LONG ? 300 : 150;

const CATCH_UP = { mode: 'all', maxAge: 'PT1H', maxRuns: 5, spreadOver: 'PT10S' } as const;

const definitionOf = (world: World, input: string) =>
  scheduled(secondly(world.at(MINUTE), PENDING), { input, catchUp: CATCH_UP });

const create = (world: World) =>
  orRefused(world.client.create(world.id('a'), definitionOf(world, 'old'), 'key'));

type Change = (world: World) => Promise<void>;

/** All times are pending, none has started, and a client changes the schedule. */
function backlogMeets(name: string, change: Change, isOver: (status: string) => boolean): Scenario {
  return {
    name: `${name} with ${PENDING} pending`,
    async arrange(world) {
      await create(world);
      await without(world, ['worker'], 2);
      world.time.moveTo(epochMs(world.time.now() + 5 * SECOND));
      await change(world);
    },
    async retryRequests(world) {
      await create(world);
      await orRefused(change(world));
    },
    async expected(world) {
      const items = await world.observer.occurrences(world.id('a'));
      const old = items.filter(({ sk }) => String(sk).split('#')[2] === '1').map(statusAndReason);
      const wrong = old.filter((status) => !isOver(status));
      return wrong.length === 0
        ? []
        : [`of ${old.length} old ones some are ${[...new Set(wrong)].join(', ')}`];
    },
  };
}

const endsAs = (reason: string) => (status: string) =>
  status === `cancelled ${reason}` || status.startsWith('coalesced');

export const backlogs = [
  backlogMeets(
    'an edit',
    (world) => world.client.edit(world.id('a'), definitionOf(world, 'new'), 'cancel'),
    endsAs('superseded'),
  ),
  backlogMeets('a pause', (world) => world.client.pause(world.id('a')), endsAs('paused')),
  backlogMeets('a delete', (world) => world.client.delete(world.id('a')), endsAs('deleted')),
];
