import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headKey } from '../../../../lambdas/adapters/dynamodb/keys.ts';
import { DEFAULT_CATCH_UP, DEFAULT_RETRY } from '../../../../lambdas/core/schedule/defaults.ts';
import { HOUR, toIso } from '../../../../lambdas/core/time.ts';
import { at, freshId, NOON } from '../../../support/fixtures.ts';
import { PARAMETER_ARN, TOKEN_ARN } from '../../../support/secrets.ts';
import { created, freshNames, openApi, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('creating a schedule', () => {
  it('answers 201 with its place, its version and every default filled in', async () => {
    const { group, name, path } = freshNames();
    const reply = await api.post('/schedules', { group, name, ...scheduleBody() });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(path);
    expect(reply.headers.get('etag')).toBe('"1"');
    expect(reply.body).toEqual({
      group,
      name,
      state: 'enabled',
      revision: 1,
      version: 1,
      expression: '0 9 * * *',
      timezone: 'UTC',
      target: { kind: 'http', url: 'https://example.com/hook', method: 'POST', headers: {} },
      input: null,
      retry: DEFAULT_RETRY,
      timeout: 'PT60S',
      catchUp: DEFAULT_CATCH_UP,
      overlap: 'skip',
      completion: 'immediate',
      metrics: false,
      deleteAfterCompletion: false,
      tags: {},
      createdAt: toIso(NOON),
      updatedAt: toIso(NOON),
      nextScheduledTime: toIso(at(21 * HOUR)),
      recurrence: 'At 09:00, UTC',
      warnings: [],
    });
    expect((await api.get(path)).body).toEqual(reply.body);
  });

  it('puts it into the group "default" when none is named', async () => {
    const { name } = freshNames();
    const reply = await api.post('/schedules', { name, ...scheduleBody() });
    expect(reply.headers.get('location')).toBe(`/schedules/default/${name}`);
  });

  it('gives back any JSON input as it was given', async () => {
    const input = { a: [1, -0.5, '', null, true, { deep: { 'ключ ~': '\u0000"' } }], empty: {}, none: [] };
    const { path } = await created(api, { input });
    expect((await api.get(path)).body.input).toEqual(input);
  });

  it('answers a secret as the place that was named, and warns of a credential that is a text', async () => {
    const target = {
      kind: 'http',
      url: 'https://example.com/hook',
      method: 'POST',
      headers: { authorization: { secret: TOKEN_ARN, field: 'token', prefix: 'Bearer ' }, 'x-team': 'ops' },
      signing: { secrets: [{ secret: PARAMETER_ARN }] },
    };
    const { path, reply } = await created(api, { target });
    expect((await api.get(path)).body).toMatchObject({ target, warnings: [] });
    expect(reply.body.target).toEqual(target);
    const literal = { headers: { authorization: 'Bearer abc', 'X-Api-Key': 'abc', 'x-tokens-left': '3' } };
    const { body } = await api.patch(path, { target: { headers: { authorization: null } } });
    expect(body.warnings).toEqual([]);
    const warned = await api.patch(path, { target: literal });
    expect(warned.body.warnings).toEqual([
      {
        code: 'literal-credential',
        message: expect.stringContaining('"authorization" looks like a credential'),
      },
      { code: 'literal-credential', message: expect.stringContaining('"X-Api-Key"') },
    ]);
  });

  it('keeps every kind of target', async () => {
    for (const target of [
      { kind: 'lambda', functionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:report:live' },
      { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:123456789012:q' },
      {
        kind: 'sqs',
        queueArn: 'arn:aws:sqs:eu-west-1:123456789012:q.fifo',
        messageGroupId: 'a',
      },
      { kind: 'sns', topicArn: 'arn:aws:sns:eu-west-1:123456789012:t.fifo', messageGroupId: 'a' },
      { kind: 'eventBus', eventBusArn: 'arn:aws:events:eu-west-1:123456789012:event-bus/jobs' },
      { kind: 'stateMachine', stateMachineArn: 'arn:aws-cn:states:cn-north-1:123456789012:stateMachine:r' },
      { kind: 'http', url: 'http://127.0.0.1:4001/x?y=1', method: 'PUT', headers: { 'x-a': 'b' } },
    ]) {
      const { path } = await created(api, { target });
      expect((await api.get(path)).body.target).toEqual(target);
    }
  });

  it('is refused with 409 when it exists, and changes nothing', async () => {
    const { group, name, path } = freshNames();
    await api.post('/schedules', { group, name, ...scheduleBody() });
    const second = await api.post('/schedules', {
      group,
      name,
      ...scheduleBody({ expression: '0 10 * * *' }),
    });
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: 'schedule.exists', field: 'name' });
    expect((await api.get(path)).body).toMatchObject({ version: 1, expression: '0 9 * * *' });
  });

  it('is done once when two do it at the same time', async () => {
    const { group, name } = freshNames();
    const body = { group, name, ...scheduleBody() };
    const replies = await Promise.all(Array.from({ length: 5 }, () => api.post('/schedules', body)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409, 409, 409, 409]);
  });
});

describe('an Idempotency-Key', () => {
  it('answers the same request again without making anything, also after edits', async () => {
    const { group, name, path } = freshNames();
    const body = { group, name, ...scheduleBody() };
    const key = { 'idempotency-key': `key-${name}` };
    await api.post('/schedules', body, key);
    await api.patch(path, { description: 'edited since' });
    const again = await api.post('/schedules', body, key);
    expect(again.status).toBe(201);
    expect(again.headers.get('location')).toBe(path);
    expect(again.headers.get('etag')).toBe('"2"');
    expect(again.body).toMatchObject({ version: 2, description: 'edited since' });
  });

  it('answers requests that race with the same schedule', async () => {
    const { group, name } = freshNames();
    const body = { group, name, ...scheduleBody() };
    const key = { 'idempotency-key': `race-${name}` };
    const replies = await Promise.all(Array.from({ length: 6 }, () => api.post('/schedules', body, key)));
    expect(replies.map((reply) => [reply.status, reply.body.version])).toEqual(Array(6).fill([201, 1]));
  });

  it('still answers for a one-shot whose time has passed meanwhile', async () => {
    const { group, name } = freshNames();
    const body = { group, name, ...scheduleBody({ expression: `at(${toIso(at(HOUR)).slice(0, 19)})` }) };
    const key = { 'idempotency-key': `late-${name}` };
    await api.post('/schedules', body, key);
    api.clock.set(at(2 * HOUR));
    const again = await api.post('/schedules', body, key);
    api.clock.set(NOON);
    expect(again.status).toBe(201);
  });

  it('is refused with 422 for another request', async () => {
    const [one, two] = [freshNames(), freshNames()];
    const key = { 'idempotency-key': `twice-${one.name}` };
    await api.post('/schedules', { group: one.group, name: one.name, ...scheduleBody() }, key);
    const other = await api.post('/schedules', { group: two.group, name: two.name, ...scheduleBody() }, key);
    expect(other.status).toBe(422);
    expect(other.body).toMatchObject({ code: 'idempotency.mismatch', field: 'Idempotency-Key' });
    expect((await api.get(two.path)).status).toBe(404);
  });

  it('is refused when it is no visible ASCII', async () => {
    const { group, name } = freshNames();
    const body = { group, name, ...scheduleBody() };
    const reply = await api.post('/schedules', body, { 'idempotency-key': 'a b' });
    expect(reply.status).toBe(400);
    expect(reply.body.field).toBe('idempotency-key');
  });
});

describe('replacing a schedule', () => {
  it('makes it when there is none', async () => {
    const { reply, path } = await created(api);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(path);
  });

  it('makes a new revision, and none when it changes nothing', async () => {
    const { path } = await created(api, { tags: { b: '1', a: '2' } });
    const same = await api.put(path, scheduleBody({ tags: { a: '2', b: '1' } }));
    expect(same.status).toBe(200);
    expect(same.body).toMatchObject({ revision: 1, version: 1 });
    const changed = await api.put(path, scheduleBody({ timezone: 'Europe/Berlin' }));
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).toBe('"2"');
    expect(changed.body).toMatchObject({ revision: 2, version: 2, tags: {}, timezone: 'Europe/Berlin' });
  });

  it('takes the name of the path and no other', async () => {
    const { id, path } = await created(api);
    const [group, name] = id.split('/');
    expect((await api.put(path, scheduleBody({ group, name }))).status).toBe(200);
    const renamed = await api.put(path, scheduleBody({ group, name: 'other' }));
    expect(renamed.status).toBe(400);
    expect(renamed.body).toMatchObject({ field: 'name', value: 'other' });
  });

  it('makes only when If-None-Match says so', async () => {
    const { path } = await created(api);
    const reply = await api.put(path, scheduleBody({ input: 1 }), { 'if-none-match': '*' });
    expect(reply.status).toBe(412);
    expect((await api.get(path)).body.input).toBeNull();
    const fresh = freshNames();
    expect((await api.put(fresh.path, scheduleBody(), { 'if-none-match': '*' })).status).toBe(201);
  });

  it('replaces only when If-Match says so', async () => {
    const { path } = freshNames();
    const reply = await api.put(path, scheduleBody(), { 'if-match': '"1"' });
    expect(reply.status).toBe(412);
    expect((await api.get(path)).status).toBe(404);
  });
});

describe('patching a schedule', () => {
  it('merges as RFC 7396 has it: null removes, objects merge, lists are replaced', async () => {
    const { path } = await created(api, {
      input: { keep: 1, drop: 2, list: [1, 2] },
      retry: { maxAttempts: 7, factor: 3 },
      description: 'old',
      startDeadline: 'PT1H',
    });
    const reply = await api.patch(
      path,
      { input: { drop: null, list: [3] }, retry: { factor: null }, description: null, timeout: 'PT5M' },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      revision: 2,
      input: { keep: 1, list: [3] },
      retry: { ...DEFAULT_RETRY, maxAttempts: 7 },
      timeout: 'PT5M',
      startDeadline: 'PT1H',
      expression: '0 9 * * *',
    });
    expect(reply.body).not.toHaveProperty('description');
    expect(reply.body.input).not.toHaveProperty('drop');
  });

  it('does nothing when it is empty', async () => {
    const { path } = await created(api);
    const reply = await api.patch(path, {});
    expect(reply.body).toMatchObject({ revision: 1, version: 1 });
  });

  it('refuses what the whole would not be valid with, naming the field', async () => {
    const { path } = await created(api);
    for (const [patch, field] of [
      [{ expression: null }, 'expression'],
      [{ target: null }, 'target'],
      [{ target: { kind: 'lambda', url: null, method: null, headers: null } }, 'target.functionArn'],
      [{ retry: { maxAttempts: 0 } }, 'retry.maxAttempts'],
      [{ name: 'other' }, 'name'],
      [{ state: 'paused' }, 'state'],
      [{ timezone: 'Mars/Olympus' }, 'timezone'],
    ] as const) {
      const reply = await api.patch(path, patch);
      expect([reply.status, reply.body.field], JSON.stringify(patch)).toEqual([400, field]);
    }
    expect((await api.get(path)).body.version).toBe(1);
  });
});

describe('If-Match', () => {
  it('refuses a change that was based on an older version', async () => {
    const { path } = await created(api);
    const change = { description: 'first' };
    expect((await api.patch(path, change, { 'if-match': '"1"' })).status).toBe(200);
    const stale = { 'if-match': '"1"' };
    const replies = [
      await api.patch(path, { description: 'second' }, stale),
      await api.put(path, scheduleBody({ description: 'second' }), stale),
      await api.post(`${path}/pause`, undefined, stale),
      await api.post(`${path}/resume`, undefined, stale),
      await api.delete(path, stale),
      await api.patch(path, { description: 'second' }, { 'if-match': 'W/"2"' }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(412);
      expect(reply.body).toMatchObject({ code: 'schedule.stale', field: 'If-Match' });
    }
    expect((await api.get(path)).body).toMatchObject({ version: 2, description: 'first' });
  });

  it('of a schedule whose tombstone is purged does not match the next of its name', async () => {
    const { id, path } = await created(api);
    await api.post(`${path}/pause`);
    const old = (await api.post(`${path}/resume`)).headers.get('etag') as string;
    const { version } = (await api.get(path)).body;
    await api.delete(path);
    const { client, schedulesTable } = api.stores;
    await client.send(new DeleteCommand({ TableName: schedulesTable, Key: { ...headKey(id) } }));
    await api.put(path, scheduleBody());
    while ((await api.get(path)).body.version < version)
      await api.patch(path, { tags: { again: freshId() } });
    expect((await api.get(path)).body.version).toBe(version);
    expect((await api.patch(path, { description: 'mine' }, { 'if-match': old })).status).toBe(412);
    const read = (await api.get(path)).headers.get('etag') as string;
    expect((await api.patch(path, { description: 'mine' }, { 'if-match': read })).status).toBe(200);
  });

  it('lets one of several concurrent edits through', async () => {
    const { path } = await created(api);
    const edits = Array.from({ length: 6 }, (_, n) =>
      api.patch(path, { description: `edit ${n}` }, { 'if-match': '"1"' }),
    );
    const statuses = (await Promise.all(edits)).map((reply) => reply.status);
    expect(statuses.sort()).toEqual([200, 412, 412, 412, 412, 412]);
    expect((await api.get(path)).body.version).toBe(2);
  });

  it('without it concurrent patches of different fields all take effect', async () => {
    const { path } = await created(api);
    const edits = ['a', 'b', 'c', 'd'].map((tag) => api.patch(path, { tags: { [tag]: 'x' } }));
    expect((await Promise.all(edits)).map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    expect((await api.get(path)).body).toMatchObject({
      version: 5,
      revision: 5,
      tags: { a: 'x', b: 'x', c: 'x', d: 'x' },
    });
  });
});
