import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageWithin } from '../../../../lambdas/api/http/page.ts';
import { API_LIMITS } from '../../../../lambdas/api/request/limits.ts';
import type { Definition } from '../../../../lambdas/core/schedule/definition.ts';
import { MINUTE } from '../../../../lambdas/core/time.ts';
import { at, freshId, NOON } from '../../../support/fixtures.ts';
import { planned, seedSchedule } from '../../../support/seed.ts';
import { type Body, created, openApi, type TestApi } from '../api.ts';

/** AWS: Lambda quotas, synchronous invocation payload of responses. */
const LAMBDA_ANSWER = 6 * 1024 * 1024;

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** What API Gateway gets from the function: the body as a text within JSON. */
const answered = (body: unknown) =>
  Buffer.byteLength(JSON.stringify({ statusCode: 200, body: JSON.stringify(body) }));

/** As large as an input may be, and the worst for a text in a text: nothing but quotes. */
const LARGE = '"'.repeat(API_LIMITS.inputBytes / 2 - 1);

/** Follows the cursors of a list to its end; answers every item, and the bytes of the largest answer. */
async function readAll(path: string, limit: number) {
  const items: Body[] = [];
  let largest = 0;
  let cursor: string | undefined;
  do {
    const query: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await api.get(`${path}limit=${limit}${query}`);
    expect(status).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    largest = Math.max(largest, answered(body));
    items.push(...body.items);
    cursor = body.cursor;
  } while (cursor !== undefined);
  return { items, largest };
}

describe('a list whose items are as large as they may be', () => {
  it('of schedules has each once, in answers that Lambda takes', async () => {
    const [group] = freshId('large').split('/') as [string];
    const ids = Array.from({ length: 20 }, () => freshId(group));
    for (const id of ids) await seedSchedule(api.stores, [], { head: { id }, definition: { input: LARGE } });
    const { items, largest } = await readAll(`/schedules?group=${group}&`, 100);
    expect(items.map(({ name }) => `${group}/${name}`)).toEqual(ids.toSorted());
    expect(largest).toBeLessThan(LAMBDA_ANSWER / 2);
    // Small ones are not paged by it.
    const page = (await api.get(`/schedules?group=${group}&limit=3`)).body;
    expect(page.items).toHaveLength(3);
  });
});

describe('a page', () => {
  const list = (sizes: readonly number[]) => async (limit: number) => ({
    items: sizes.slice(0, limit),
    ...(limit < sizes.length && { cursor: `after ${limit}` }),
  });
  const half = API_LIMITS.pageBytes / 2;
  const views = (sizes: readonly number[]) => sizes.map((size) => 'x'.repeat(size - '""'.length));

  it.each([
    ['is whole when it fits to the byte', [half, half], undefined],
    ['ends before what is too much, with the cursor of what it has', [half, half, 2], 'after 2'],
    ['has one item at least', [3 * half, 2], 'after 1'],
    ['of a list that has only this one ends it', [3 * half], undefined],
    ['of an empty list is empty', [], undefined],
  ])('%s', async (_, sizes, cursor) => {
    const page = await pageWithin(100, list(sizes), views);
    const count = cursor === undefined ? sizes.length : Number(cursor.slice('after '.length));
    expect(page.items.map((item) => item.length + 2)).toEqual(sizes.slice(0, count));
    expect(page.cursor).toBe(cursor);
  });
});

describe('a claim from a queue', () => {
  /** Claims until there is nothing more; each answer is one that Lambda takes. */
  async function claimAll(queue: string): Promise<Body[][]> {
    const answers: Body[][] = [];
    for (;;) {
      const { status, body } = await api.post(`/pull/${queue}/claim`, { max: 10 });
      expect(status).toBe(200);
      expect(answered(body)).toBeLessThan(LAMBDA_ANSWER);
      if (body.items.length === 0) return answers;
      answers.push(body.items);
    }
  }

  const times = Array.from({ length: 10 }, (_, nth) => at(-nth * MINUTE));
  async function due(queue: string, input: Definition['input']) {
    const from = { target: { kind: 'pull' as const, queue }, input };
    const made = await seedSchedule(api.stores, [], { definition: from });
    for (const time of times)
      await api.stores.occurrences.createManual({
        occurrence: planned(made, time, { kind: 'manual', token: 'x', pullQueue: queue }),
        now: NOON,
      });
    return made;
  }

  it('takes no more than it can answer, and leaves the rest to the next one', async () => {
    const { id } = await due('large', LARGE);
    const answers = await claimAll('large');
    expect(answers.map(({ length }) => length)).toEqual([7, 3]);
    const all = answers.flat();
    expect(new Set(all.map(({ scheduledTime }) => scheduledTime)).size).toBe(times.length);
    // None was claimed without being answered.
    expect(all.map(({ attempt, input }) => [attempt, input === LARGE])).toEqual(times.map(() => [1, true]));
    expect(all[0].schedule).toBe(id);
  });

  it('counts what placeholders grow to', async () => {
    const text = '{{punctual.idempotencyKey}} {{punctual.id}}';
    const input = Array.from({ length: 2_500 }, () => text);
    await due('growing', input);
    const answers = await claimAll('growing');
    expect(answers.flat()).toHaveLength(times.length);
    // By what is stored, nine of them would fit.
    expect(Math.max(...answers.map(({ length }) => length))).toBeLessThan(5);
    expect(answers.flat()[0].input[0]).not.toContain('{{');
  });

  it('counts the input that was given to an occurrence alone', async () => {
    const { path } = await created(api, { target: { kind: 'pull', queue: 'own' }, overlap: 'allow' });
    for (let nth = 0; nth < 10; nth += 1)
      expect((await api.post(`${path}/trigger`, { input: LARGE })).status).toBe(202);
    expect((await claimAll('own')).map(({ length }) => length)).toEqual([7, 3]);
  });

  it('counts the input of the revision that a replay asks for', async () => {
    const { path } = await created(api, { target: { kind: 'pull', queue: 'again' }, overlap: 'allow' });
    for (let nth = 0; nth < 10; nth += 1) await api.post(`${path}/trigger`, {});
    for (const { id, completionToken } of (await claimAll('again')).flat())
      expect((await api.post(`/occurrences/${id}/complete`, { completionToken })).status).toBe(200);
    expect((await api.patch(path, { input: LARGE })).status).toBe(200);
    const replay = { status: 'succeeded', input: 'current', ratePerMinute: API_LIMITS.replayPerMinute };
    expect((await api.post(`${path}/replay`, replay)).body.replayed).toBe(10);
    api.clock.advance(MINUTE);
    expect((await claimAll('again')).map(({ length }) => length)).toEqual([7, 3]);
  });
});
