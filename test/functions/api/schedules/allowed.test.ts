import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTargetCaller } from '../../../../lambdas/adapters/targets/index.ts';
import { createAllowList } from '../../../../lambdas/contract/allow/allow-list.ts';
import { occurrenceId } from '../../../../lambdas/core/ids.ts';
import { work } from '../../../../lambdas/worker/work.ts';
import { NOON } from '../../../support/fixtures.ts';
import { keyOf, seedSchedule } from '../../../support/seed.ts';
import { testWorker } from '../../../support/worker.ts';
import { apiWith, created, freshNames, openApi, scheduleBody, type TestApi } from '../api.ts';

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const SECRET = 'arn:aws:ssm:eu-west-1:123456789012:parameter/token';
const narrow = createAllowList(['api.example.com', 'arn:aws:sqs:eu-west-1:123456789012:bills-*'], []);

let api: TestApi;
let narrowApi: ReturnType<typeof apiWith>;
beforeAll(async () => {
  api = await openApi();
  narrowApi = apiWith({ ...api.deps, allowed: narrow });
});
afterAll(() => api.close());

const queue = { target: { kind: 'sqs', queueArn: QUEUE } };
const host = { target: { kind: 'http', url: 'https://other.example.com/hook?token=1' } };
const secret = {
  target: { kind: 'http', url: 'https://api.example.com/', headers: { authorization: { secret: SECRET } } },
};

/** A merge patch leaves members of the old target where it does not take them away. */
const patchTo = ({ target }: { readonly target: { readonly kind: string } }) => ({
  target: { ...(target.kind !== 'http' && { url: null, method: null, headers: null }), ...target },
});

describe('a target that the deployment does not allow', () => {
  it.each([
    [
      'a queue',
      queue,
      'target.not-allowed',
      'target.queueArn',
      QUEUE,
      `Add "${QUEUE}" to punctual:allowedTargets`,
    ],
    [
      'a host',
      host,
      'target.not-allowed',
      'target.url',
      'https://other.example.com',
      'Add "other.example.com" to punctual:allowedTargets',
    ],
    [
      'a secret',
      secret,
      'secret.not-allowed',
      'target.headers.authorization.secret',
      SECRET,
      'Add it to punctual:allowedSecrets',
    ],
  ])(
    '%s is refused by POST, PUT and PATCH, and by a rehearsal',
    async (_, target, code, field, value, way) => {
      const { group, name, path } = freshNames();
      const body = scheduleBody(target);
      for (const reply of [
        await narrowApi.post('/schedules', { group, name, ...body }),
        await narrowApi.post('/schedules?dryRun=true', { group, name, ...body }),
        await narrowApi.put(path, body),
      ]) {
        expect(reply).toMatchObject({ status: 400, body: { code, field, value } });
        expect(reply.body.detail).toContain(way);
      }
      expect((await api.get(path)).status).toBe(404);
      const before = await api.put(path, scheduleBody());
      expect(before.status).toBe(201);
      for (const reply of [await narrowApi.put(path, body), await narrowApi.patch(path, patchTo(target))]) {
        expect(reply).toMatchObject({ status: 400, body: { code, field, value } });
      }
      expect((await api.get(path)).body.revision).toBe(1);
    },
  );

  it('leaves what names an allowed one alone', async () => {
    const { path } = freshNames();
    const allowed = { target: { kind: 'http', url: 'https://api.example.com/hook' } };
    expect((await narrowApi.put(path, scheduleBody(allowed))).status).toBe(201);
  });

  it('can be paused and deleted when the list was narrowed, and an edit of the rest is refused', async () => {
    const { path } = await created(api, queue);
    expect(await narrowApi.patch(path, { description: 'new' })).toMatchObject({
      status: 400,
      body: { field: 'target.queueArn' },
    });
    expect((await narrowApi.post(`${path}/pause`)).status).toBe(200);
    expect((await narrowApi.delete(path)).status).toBe(204);
  });

  it('is not called when the list was narrowed: it fails at once, with the way out in the attempt log', async () => {
    const of = await seedSchedule(api.stores, [NOON], {
      definition: { target: { kind: 'sqs', queueArn: QUEUE } },
    });
    const { deps } = testWorker(api.stores, async () => ({ kind: 'succeeded', detail: '' }));
    const targets = createTargetCaller({ allowed: narrow, httpAllowedRanges: [], clock: deps.clock });
    const message = { id: occurrenceId(keyOf(of, NOON)), seq: 1, dueAt: NOON };
    expect(await work({ ...deps, targets }, message, 'w1')).toMatchObject({ kind: 'failed' });
    const reply = await api.get(`/occurrences/${message.id}`);
    expect(reply.body).toMatchObject({ status: 'failed', reason: 'not-retryable' });
    expect(reply.body.attempts).toMatchObject([
      { outcome: 'failed', detail: expect.stringContaining(`Add "${QUEUE}" to punctual:allowedTargets`) },
    ]);
  });
});
