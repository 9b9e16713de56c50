import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_ARN } from '../../../support/secrets.ts';
import { freshNames, openApi, type Reply, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** What every refusal is, and that nothing came of it. */
async function expectRefused(reply: Reply, path: string, status: number, field: string, code?: string) {
  expect([reply.status, reply.body.field], JSON.stringify(reply.body)).toEqual([status, field]);
  expect(reply.headers.get('content-type')).toBe('application/problem+json');
  expect(reply.body).toMatchObject({
    type: `urn:punctual:${reply.body.code}`,
    status,
    title: expect.any(String),
    detail: expect.any(String),
    instance: expect.stringMatching(/^request-\d+$/),
  });
  if (code !== undefined) expect(reply.body.code).toBe(code);
  expect((await api.get(path)).status).toBe(404);
}

describe('a schedule that is not accepted is refused by its field, and nothing is stored', () => {
  const http = (url: string) => ({ target: { kind: 'http', url } });
  const headers = (set: Record<string, unknown>) => ({
    target: { kind: 'http', url: 'https://example.com/', headers: set },
  });
  it.each<[string, Record<string, unknown>, string, string?]>([
    ['an unknown zone', { timezone: 'Europe/Atlantis' }, 'timezone', 'timezone.unknown'],
    ['61 as a minute', { expression: '61 * * * *' }, 'expression', 'expression.out-of-range'],
    ['an empty expression', { expression: '' }, 'expression', 'expression.empty'],
    ['no expression', { expression: undefined }, 'expression', 'request.invalid'],
    ['an impossible date', { expression: '0 9 30 2 *' }, 'expression', 'expression.never-fires'],
    ['an impossible one-shot', { expression: 'at(2026-02-30T09:00:00)' }, 'expression'],
    [
      'a one-shot in the past',
      { expression: 'at(2026-01-01T09:00:00)' },
      'expression',
      'expression.never-fires',
    ],
    ['an expression of another type', { expression: 5 }, 'expression', 'request.invalid'],
    ['an unknown field', { expresion: '* * * * *' }, 'expresion', 'request.unknown-field'],
    ['an unknown field within', { retry: { attempts: 3 } }, 'retry.attempts', 'request.unknown-field'],
    [
      'an unknown field of the target',
      { target: { kind: 'lambda', functionArn: 'x', url: 'y' } },
      'target.url',
    ],
    ['an unknown kind of target', { target: { kind: 'carrier-pigeon' } }, 'target.kind'],
    ['no target', { target: undefined }, 'target'],
    ['an ftp URL', http('ftp://example.com/x'), 'target.url'],
    ['a script URL', http('javascript:alert(1)'), 'target.url'],
    ['a relative URL', http('/hook'), 'target.url'],
    ['a URL with credentials', http('https://user:secret@example.com/'), 'target.url'],
    ['a header of the worker', headers({ 'Idempotency-Key': 'x' }), 'target.headers.Idempotency-Key'],
    ...[
      'Host',
      'content-length',
      'Transfer-Encoding',
      'connection',
      'proxy-authorization',
      'Webhook-Signature',
    ].map((name): [string, Record<string, unknown>, string] => [
      `the header ${name}`,
      headers({ [name]: 'x' }),
      `target.headers.${name}`,
    ]),
    ['a header with a line break in its name', headers({ 'x-a\r\nx-b': 'c' }), 'target.headers.x-a\r\nx-b'],
    ['a header twice', headers({ 'X-A': '1', 'x-a': '2' }), 'target.headers'],
    [
      'more headers than servers take',
      headers(Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`x-${n}`, 'v'.repeat(1_000)]))),
      'target.headers',
    ],
    [
      '21 headers',
      headers(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, '']))),
      'target.headers',
    ],
    [
      'a secret by its name',
      headers({ authorization: { secret: 'crm/token' } }),
      'target.headers.authorization.secret',
    ],
    [
      'a prefix with a line break',
      headers({ authorization: { secret: TOKEN_ARN, prefix: 'Bearer\r\n' } }),
      'target.headers.authorization.prefix',
    ],
    [
      'a secret in clear text',
      {
        target: {
          kind: 'http',
          url: 'http://example.com/',
          headers: { authorization: { secret: TOKEN_ARN } },
        },
      },
      'target.url',
    ],
    [
      'no secret to sign with',
      { target: { kind: 'http', url: 'https://example.com/', signing: { secrets: [] } } },
      'target.signing.secrets',
    ],
    [
      'a queue by its URL',
      { target: { kind: 'sqs', queueArn: 'https://evil.example/1/q' } },
      'target.queueArn',
    ],
    ['a header that splits the request', headers({ 'x-a': 'b\r\nx-c: d' }), 'target.headers.x-a'],
    [
      'a method that has no body',
      { target: { kind: 'http', url: 'https://example.com', method: 'GET' } },
      'target.method',
    ],
    ['a function by its name', { target: { kind: 'lambda', functionArn: 'report' } }, 'target.functionArn'],
    ['no attempts', { retry: { maxAttempts: 0 } }, 'retry.maxAttempts'],
    ['half an attempt', { retry: { maxAttempts: 1.5 } }, 'retry.maxAttempts'],
    ['a delay of a month', { retry: { initialDelay: 'P1M' } }, 'retry.initialDelay'],
    ['a timeout that no function has', { timeout: 'PT15M' }, 'timeout'],
    ['a timeout in seconds', { timeout: 60 }, 'timeout'],
    ['a start deadline in words', { startDeadline: '5 minutes' }, 'startDeadline'],
    ['an unknown catch-up mode', { catchUp: { mode: 'everything' } }, 'catchUp.mode'],
    ['a tag that is no text', { tags: { team: 7 } }, 'tags.team'],
    ['an unknown gap rule', { dst: { gap: 'jump' } }, 'dst.gap'],
    ['an input that is too large', { input: 'x'.repeat(129 * 1024) }, 'input'],
    ['a number that the table rounds', { input: { n: [1, 2 ** 53] } }, 'input.n.1'],
    ['an input that is no Unicode', { input: ['a', { b: 'x\ud800' }] }, 'input.1.b'],
    ['a description that is no Unicode', { description: '\udfff' }, 'description'],
    ['a description that is too long', { description: 'x'.repeat(1001) }, 'description'],
  ])('%s', async (_, changes, field, code) => {
    const { group, name, path } = freshNames();
    const reply = await api.post('/schedules', { group, name, ...scheduleBody(changes) });
    await expectRefused(reply, path, 400, field, code);
  });

  it('a name with a slash, a space, a tilde, nothing in it, or 65 characters', async () => {
    for (const name of ['a/b', 'a b', 'a~b', '', '-a', 'x'.repeat(65), 5, null]) {
      const reply = await api.post('/schedules', { name, ...scheduleBody() });
      expect([reply.status, reply.body.field], String(name)).toEqual([400, 'name']);
    }
    const encoded = await api.put('/schedules/g/a%2Fb', scheduleBody());
    expect([encoded.status, encoded.body.field, encoded.body.value]).toEqual([400, 'name', 'a/b']);
    expect((await api.get('/schedules?group=g')).body.items).toEqual([]);
  });

  it('a body of 2 MB', async () => {
    const { group, name, path } = freshNames();
    const body = { group, name, ...scheduleBody({ input: 'x'.repeat(2 * 1024 * 1024) }) };
    await expectRefused(await api.post('/schedules', body), path, 413, 'body', 'request.too-large');
  });

  it('a body that nests too deep for the table, or for any program', async () => {
    for (const depth of [30, 100_000]) {
      const { group, name, path } = freshNames();
      const body = JSON.stringify({ group, name, ...scheduleBody() }).replace(
        /}$/,
        `,"input":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      );
      await expectRefused(await api.post('/schedules', body), path, 400, 'body');
    }
  });

  it('a body that is not JSON, and one of another type', async () => {
    const { path } = freshNames();
    await expectRefused(await api.put(path, '{"expression": '), path, 400, 'body', 'request.not-json');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await expectRefused(await api.put(path, 'expression=1', form), path, 415, 'content-type');
    const list = await api.put(path, []);
    expect(list.status).toBe(400);
    const nothing = await api.put(path, undefined);
    await expectRefused(nothing, path, 400, 'expression');
  });
});

describe('a refusal', () => {
  it('lists every fault, and repeats no more of a value than tells which it was', async () => {
    const reply = await api.post('/schedules', {
      name: 'x'.repeat(5_000),
      ...scheduleBody({ timeout: 'PT1M30', nmae: 1 }),
    });
    expect(reply.body.code).toBe('request.unknown-field');
    expect(reply.body.errors.map((fault: { field: string }) => fault.field)).toEqual([
      'nmae',
      'name',
      'timeout',
    ]);
    expect(reply.body.errors[1].value).toHaveLength(101);
    expect(JSON.stringify(reply.body).length).toBeLessThan(2_000);
  });

  it('of a query names the parameter', async () => {
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['state=deleted', 'state'],
      ['order=asc', 'order'],
      ['group=a/b', 'group'],
      ['cursor=zzz', 'cursor'],
      [`cursor=${Buffer.from('["schedules::",{"pk":1}]').toString('base64url')}`, 'cursor'],
      [`cursor=${Buffer.from('null').toString('base64url')}`, 'cursor'],
    ]) {
      const reply = await api.get(`/schedules?${query}`);
      expect([reply.status, reply.body.field], query).toEqual([400, field]);
    }
  });

  it('of a path says 404, and of a method 405 with those that there are', async () => {
    expect(await api.get('/nothing')).toMatchObject({ status: 404, body: { code: 'route.not-found' } });
    const reply = await api.delete('/schedules');
    expect(reply).toMatchObject({ status: 405, body: { code: 'route.method-not-allowed', value: 'DELETE' } });
    expect(reply.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await api.get('/schedules/g/n/pause')).headers.get('allow')).toBe('POST');
  });

  it('of a verb that takes no options names the option', async () => {
    const reply = await api.post('/occurrences/g~n~20260301T120000000Z~1/cancel', { reason: 'why' });
    expect([reply.status, reply.body.field]).toEqual([400, 'reason']);
  });
});
