import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OccurrenceId, parseOccurrenceId } from '../../../../lambdas/core/ids.ts';
import { SECOND } from '../../../../lambdas/core/time.ts';
import { at, NOON } from '../../../support/fixtures.ts';
import { slotWorker } from '../../../support/slots.ts';
import { openApi, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const put = (name: string, key: string, limit: number) =>
  api.put(`/schedules/keys/${name}`, scheduleBody({ overlap: 'allow', concurrency: { key, limit } }));

async function limitOf(key: string) {
  const [stripe] = await api.stores.occurrences.slots.readStripes(`key:${key}`, [0]);
  return stripe?.limit;
}

/** Runs a schedule, which brings the limit of its revision along. */
async function run(name: string) {
  const { id } = (await api.post(`/schedules/keys/${name}/trigger`)).body as { id: OccurrenceId };
  const key = parseOccurrenceId(id);
  const revision = key && (await api.stores.schedules.readRevision(key.schedule, key.revision));
  if (!key || !revision) throw new Error('It was not triggered.');
  await slotWorker(api.stores).start(key, revision, api.clock.now());
}

describe('the limit of a shared key', () => {
  it.each([
    ['in the same millisecond', 0],
    ['by functions whose clocks are ever further behind', -30 * SECOND],
  ])('is that of the definition that was written last, also %s', async (_, skew) => {
    const key = `order${skew}`;
    for (const [index, limit] of [3, 15, 7, 9].entries()) {
      api.clock.set(at(index * skew));
      expect((await put(`of${skew}-${index}`, key, limit)).status).toBe(201);
      expect(await limitOf(key)).toBe(limit);
    }
    api.clock.set(NOON);
    for (const index of [0, 3, 1]) await run(`of${skew}-${index}`);
    expect(await limitOf(key)).toBe(9);
    expect((await put(`of${skew}-0`, key, 4)).status).toBe(200);
    await run(`of${skew}-2`);
    expect(await limitOf(key)).toBe(4);
  });
});
