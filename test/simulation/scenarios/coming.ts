import { MINUTE } from '../../../lambdas/core/time.ts';
import { minutes } from '../world/course.ts';
import type { Scenario } from '../world/scenario.ts';
import type { World } from '../world/world.ts';
import { callsAre, ledgerIs, minutely, orRefused, scheduled, statusAndReason } from './definitions.ts';

const at = (world: World, minute: number) => world.at(minute * MINUTE);

/** Times at three, four, five and six minutes. */
const definitionOf = (world: World, input: string) => scheduled(minutely(at(world, 3), 4), { input });
const create = (world: World) =>
  orRefused(world.client.create(world.id('a'), definitionOf(world, 'old'), 'key'));

/** What a person decides about the four: the first is skipped, the second as it was, the others have moved. */
async function decide(world: World, heard: (request: Promise<void>) => Promise<void>): Promise<void> {
  const { client } = world;
  const id = world.id('a');
  await heard(client.skip(id, at(world, 3)));
  await heard(client.skip(id, at(world, 4)));
  await heard(client.unskip(id, at(world, 4)));
  await heard(client.move(id, at(world, 5), at(world, 4.5)));
  await heard(client.move(id, at(world, 6), at(world, 8)));
}

const asAsked = (request: Promise<void>) => request;

/** Nothing is planned yet; an edit then carries over what was decided. */
export const decideAhead: Scenario = {
  name: 'skip, unskip and move ahead of the plan, and edit',
  async arrange(world) {
    await create(world);
    await decide(world, asAsked);
    await world.client.edit(world.id('a'), definitionOf(world, 'new'));
  },
  async retryRequests(world) {
    await create(world);
    await decide(world, orRefused);
    await world.client.edit(world.id('a'), definitionOf(world, 'new'));
  },
  expected: async (world) => [
    ...(await ledgerIs(
      world,
      'a',
      [
        'skipped user of 1',
        'skipped user of 2',
        'cancelled superseded of 1',
        'succeeded of 2',
        'cancelled superseded of 1',
        'succeeded of 2',
        'cancelled superseded of 1',
        'succeeded of 2',
      ],
      (item) => `${statusAndReason(item)} of ${String(item.sk).split('#')[2]}`,
    )),
    ...callsAre(world, 3),
  ],
};

export const decidePlanned: Scenario = {
  name: 'skip, unskip and move what is planned',
  async arrange(world) {
    await create(world);
    await minutes(world, 2);
    await decide(world, asAsked);
  },
  async retryRequests(world) {
    await create(world);
    await decide(world, orRefused);
  },
  expected: async (world) => [
    ...(await ledgerIs(world, 'a', ['skipped user', 'succeeded', 'succeeded', 'succeeded'])),
    ...callsAre(world, 3),
  ],
};
