import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerEvent } from '../../../../lambdas/api/http/gateway.ts';
import { openApi, scheduleBody, type TestApi } from '../api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface More {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An event as an HTTP API makes it: the path decoded, the query as it was sent. */
async function send(method: string, path: string, body?: unknown, more: More = {}) {
  const event = {
    version: '2.0',
    rawPath: path,
    rawQueryString: more.query ?? '',
    headers: { host: 'api.example.com', 'content-type': 'application/json', ...more.headers },
    requestContext: { requestId: 'gateway-request', http: { method, path } },
    isBase64Encoded: false,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  } as unknown as APIGatewayProxyEventV2;
  const {
    statusCode,
    headers,
    body: text,
  } = await answerEvent(api.app, event, { awsRequestId: 'invocation' });
  return { status: statusCode, allow: headers?.allow, field: text ? JSON.parse(text).field : undefined };
}

describe('an event of the gateway', () => {
  it('has the path that it says, whatever characters were encoded in it', async () => {
    expect((await send('PUT', '/schedules/g/kept', scheduleBody())).status).toBe(201);
    const odd = [
      'kept#x',
      'kept?dryRun=true',
      'kept\n',
      'kept ',
      ' kept',
      '\\kept',
      'k\u0000',
      'ké',
      '\ud800',
    ];
    for (const name of [...odd, '..', '.', '%2e%2e', '%2F', '%']) {
      const { status, field } = await send('DELETE', `/schedules/g/${name}`);
      expect([status, field], JSON.stringify(name)).toEqual([400, 'name']);
    }
    const elsewhere = ['/schedules/g/x/../kept', '/schedules/g/kept/', '//schedules/g/kept'];
    for (const path of [
      ...elsewhere,
      '/./schedules/g/kept',
      '/schedules\\g\\kept',
      '/schedules/g/kept/%2e',
    ]) {
      expect((await send('DELETE', path)).status, path).toBe(404);
    }
    expect((await send('GET', '/schedules/g/kept')).status).toBe(200);
  });

  it('may have a body with a GET, which nobody looks at, and a host that is none', async () => {
    const reply = await send('GET', '/schedules', { limit: 0 }, { headers: { host: 'a b\\c' } });
    expect(reply.status).toBe(200);
    const wrong = await send('GET', '/schedules/g/kept/pause', {});
    expect([wrong.status, wrong.allow]).toEqual([405, 'POST']);
  });

  it('of a method that the runtime makes no request of is answered like any that the path has not', async () => {
    for (const method of ['TRACE', 'CONNECT', 'OPTIONS', 'BREW']) {
      const { status, allow } = await send(method, '/schedules');
      expect([status, allow], method).toEqual([405, 'GET, HEAD, POST']);
    }
  });

  it('has an empty header for a value, and one that is no text for one that is wrong', async () => {
    const body = { group: 'g', name: 'headers', ...scheduleBody() };
    for (const key of ['', ' ', 'schlüssel', 'ключ', 'a\nb']) {
      const { status, field } = await send('POST', '/schedules', body, {
        headers: { 'idempotency-key': key },
      });
      expect([status, field], key).toEqual([400, 'idempotency-key']);
    }
  });

  it('has its query read as it was sent: digits are a number, and once is once', async () => {
    const list = (query: string) => send('GET', '/schedules', undefined, { query });
    expect((await list('limit=1&group=lambda')).status).toBe(200);
    const wrong = [
      'limit=0x10',
      'limit=1e1',
      'limit=%205',
      'limit=',
      'limit=1&limit=2',
      'limit[]=1',
      'limit=1#',
    ];
    for (const query of [...wrong, '__proto__=1', 'constructor=1']) {
      expect((await list(query)).status, query).toBe(400);
    }
  });
});
