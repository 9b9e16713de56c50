import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../local/gateway/server.ts';
import { TaskTimedOut } from '../../local/lambda/function.ts';

describe('the HTTP API gateway', () => {
  let gateway: Gateway;
  let events: APIGatewayProxyEventV2[] = [];
  const errors: string[] = [];
  afterEach(() => gateway.close());

  async function start(result: unknown | ((event: APIGatewayProxyEventV2) => unknown)) {
    events = [];
    errors.length = 0;
    const invoke = async (event: unknown) => {
      events.push(event as APIGatewayProxyEventV2);
      return typeof result === 'function' ? result(event) : result;
    };
    gateway = await startGateway({ invoke }, 0, { onError: (message) => errors.push(message) });
  }

  it('gives a request to the function as payload format 2.0 has it', async () => {
    await start({ statusCode: 200 });
    const headers = new Headers([
      ['X-Many', 'one'],
      ['x-many', 'two'],
      ['cookie', 'a=1; b=2'],
      ['content-type', 'application/json'],
    ]);
    await fetch(`${gateway.url}/schedules/a%20b?tag=x&tag=y%26z&empty=`, {
      method: 'POST',
      headers,
      body: '{"ü":1}',
    });
    expect(events[0]).toMatchObject({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/schedules/a b',
      rawQueryString: 'tag=x&tag=y%26z&empty=',
      queryStringParameters: { tag: 'x,y&z', empty: '' },
      cookies: ['a=1', 'b=2'],
      body: '{"ü":1}',
      isBase64Encoded: false,
    });
    expect(events[0]?.headers['x-many']).toMatch(/^one, ?two$/);
    expect(events[0]?.headers.cookie).toBeUndefined();
    expect(events[0]?.requestContext).toMatchObject({
      stage: '$default',
      http: { method: 'POST', path: '/schedules/a b', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' },
    });
    expect(events[0]?.requestContext.requestId).toMatch(/\S{8}/);
    expect(events[0]?.requestContext.time).toMatch(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  });

  it('hands a body that is no text over as base64, and an absent one not at all', async () => {
    await start({ statusCode: 200 });
    const body = new Uint8Array([0, 255, 1]);
    await fetch(gateway.url, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body,
    });
    await fetch(gateway.url);
    expect(events[0]).toMatchObject({ body: 'AP8B', isBase64Encoded: true });
    expect(events[1]).toMatchObject({ isBase64Encoded: false });
    expect(events[1]).not.toHaveProperty('body');
    expect(events[1]).not.toHaveProperty('queryStringParameters');
  });

  it('answers with what the function says: status, headers, cookies, base64', async () => {
    await start({
      statusCode: 201,
      headers: { ETag: '"3"', 'Content-Type': 'application/json' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from('{"a":1}').toString('base64'),
      isBase64Encoded: true,
    });
    const response = await fetch(gateway.url);
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([
      201,
      '"3"',
      '{"a":1}',
    ]);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('takes a result without a status code as the body of a 200', async () => {
    await start({ hello: 'world' });
    const response = await fetch(gateway.url);
    expect([response.status, await response.json()]).toEqual([200, { hello: 'world' }]);
  });

  it('refuses a body of more than 10 MB without asking the function', async () => {
    await start({ statusCode: 200 });
    const response = await fetch(gateway.url, { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024 + 1) });
    expect([response.status, await response.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
    expect(events).toEqual([]);
    expect((await fetch(gateway.url)).status).toBe(200);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('boom')), 500, 'Internal Server Error'],
    ['answers nonsense', () => ({ statusCode: 'many' }), 500, 'Internal Server Error'],
    ['runs out of time', () => Promise.reject(new TaskTimedOut('id', 1000)), 503, 'Service Unavailable'],
  ])('speaks for a function that %s', async (_, result, status, message) => {
    await start(result);
    const response = await fetch(gateway.url);
    expect([response.status, await response.json()]).toEqual([status, { message }]);
  });
});
