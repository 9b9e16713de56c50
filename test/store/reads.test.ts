import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { batchGet, getItem } from '../../lambdas/adapters/dynamodb/batch-get.ts';
import { headKey, revisionKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { NOON } from '../support/fixtures.ts';
import { seedSchedule } from '../support/seed.ts';
import { openStores, type Stores } from '../support/stores.ts';

let stores: Stores;
const sent: string[] = [];
let fault: Error | undefined;
beforeAll(async () => {
  stores = await openStores();
  stores.client.middlewareStack.add(
    (next, context) => async (args) => {
      sent.push(String(context.commandName));
      if (fault) throw fault;
      return next(args);
    },
    { step: 'initialize', name: 'noteCommands' },
  );
});
afterAll(() => stores.close());
beforeEach(() => {
  sent.length = 0;
  fault = undefined;
});

const made = (count: number): Promise<ScheduleHead[]> =>
  Promise.all(Array.from({ length: count }, () => seedSchedule(stores, [NOON])));
const read = ({ id }: ScheduleHead) => getItem(stores.client, stores.schedulesTable, headKey(id));

describe('reads that are asked for at the same time', () => {
  it('go together, whichever table they are of, and each has its own answer', async () => {
    const heads = await made(20);
    sent.length = 0;
    const [items, revisions, occurrences] = await Promise.all([
      Promise.all(heads.map(read)),
      Promise.all(heads.map(({ id }) => stores.schedules.readRevision(id, 1))),
      Promise.all(
        heads.map(({ id }) =>
          stores.occurrences.readOccurrence({
            schedule: id,
            scheduledTime: NOON,
            revision: 1,
            kind: 'scheduled',
          }),
        ),
      ),
    ]);
    expect(items.map((item) => item?.pk)).toEqual(heads.map(({ id }) => headKey(id).pk));
    expect(revisions.map((revision) => revision?.schedule)).toEqual(heads.map(({ id }) => id));
    expect(occurrences.map((found) => found?.schedule)).toEqual(heads.map(({ id }) => id));
    expect(sent).toEqual(['BatchGetItemCommand']);
  });

  it('are single when there is only one, asked twice', async () => {
    const [head] = (await made(1)) as [ScheduleHead];
    sent.length = 0;
    const [first, second] = await Promise.all([read(head), read(head)]);
    expect(first?.pk).toBe(headKey(head.id).pk);
    expect(second).toEqual(first);
    expect(sent).toEqual(['GetItemCommand']);
  });

  it('are not answered by what was read before they were asked for', async () => {
    const [head] = (await made(1)) as [ScheduleHead];
    const before = read(head);
    // The first is under way by then.
    await new Promise((resolve) => setImmediate(resolve));
    const after = read(head);
    await Promise.all([before, after]);
    expect(sent.filter((command) => command.includes('Get')).length).toBe(2);
  });

  it('of more than one request takes are all answered, absent ones left out', async () => {
    const heads = (await made(3)) as [ScheduleHead, ScheduleHead, ScheduleHead];
    const absent = Array.from({ length: 250 }, (_, revision) => revisionKey(heads[0].id, revision + 2));
    const found = await batchGet(stores.client, stores.schedulesTable, [
      ...absent,
      ...heads.map(({ id }) => headKey(id)),
    ]);
    expect(found.map(({ pk }) => pk)).toEqual(heads.map(({ id }) => headKey(id).pk));
  });

  it('fail together, and the next ones are asked for again', async () => {
    const heads = await made(3);
    fault = new Error('Nobody answers.');
    const ends = await Promise.allSettled(heads.map(read));
    expect(ends.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    fault = undefined;
    expect((await Promise.all(heads.map(read))).length).toBe(3);
  });
});
