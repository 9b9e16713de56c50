import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import { parseRetryAfter } from '../../lambdas/adapters/targets/http/result.ts';
import type { HttpTarget } from '../../lambdas/core/targets/http/http.ts';
import { SECOND } from '../../lambdas/core/time.ts';
import { NOON } from '../support/fixtures.ts';
import { callerThrough } from '../support/http-caller.ts';
import { invocation } from '../support/invocation.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const caller = callerThrough(createAddressGuard(LOOPBACK));
const targetAt = (url: string, changes: Partial<HttpTarget> = {}): HttpTarget => ({
  kind: 'http',
  url,
  method: 'POST',
  headers: {},
  ...changes,
});
const never = new AbortController().signal;

let receiver: Receiver | undefined;
afterEach(() => receiver?.close());

async function callWith(answer?: Parameters<typeof startReceiver>[0], target?: Partial<HttpTarget>) {
  receiver = await startReceiver(answer);
  return caller(targetAt(`${receiver.url}/hook?x=1`, target), invocation, NOON, never);
}

describe('a call', () => {
  it('carries the payload and the headers that the target needs to recognise it', async () => {
    const result = await callWith(undefined, { headers: { 'x-own': 'yes', 'idempotency-key': 'forged' } });
    expect(result).toEqual({ kind: 'succeeded', detail: 'HTTP 200' });
    const [request] = receiver?.received ?? [];
    expect(request).toMatchObject({ method: 'POST', path: '/hook?x=1' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      id: 'g~n~20260301T120000000Z~3',
      schedule: 'g/n',
      scheduledTime: '2026-03-01T12:00:00.000Z',
      previousScheduledTime: '2026-03-01T11:59:00.000Z',
      nextScheduledTime: null,
      isCatchUp: false,
      attempt: 2,
      kind: 'scheduled',
      revision: 3,
      idempotencyKey: 'key-1',
      fencingToken: 7,
      input: { order: 5 },
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'key-1',
      'webhook-id': 'key-1',
      'webhook-timestamp': String(NOON / SECOND),
      'punctual-scheduled-time': '2026-03-01T12:00:00.000Z',
      'punctual-attempt': '2',
      'punctual-fencing-token': '7',
      'x-own': 'yes',
    });
  });

  it('has the placeholders of its URL and headers filled in', async () => {
    receiver = await startReceiver();
    const url = `${receiver.url}/{{ punctual.schedule }}?attempt={{punctual.attempt}}`;
    await caller(
      targetAt(url, { headers: { 'x-at': '{{punctual.scheduledTime}}' } }),
      invocation,
      NOON,
      never,
    );
    expect(receiver.received).toMatchObject([
      { path: '/g%2Fn?attempt=2', headers: { 'x-at': '2026-03-01T12:00:00.000Z' } },
    ]);
  });

  const answerWith =
    (status: number, headers: Record<string, string> = {}, text = '') =>
    (_: Received, response: Parameters<NonNullable<Parameters<typeof startReceiver>[0]>>[1]) => {
      response.writeHead(status, headers).end(text);
    };

  it.each([200, 201, 202, 204, 299])('succeeds on %i', async (status) => {
    expect((await callWith(answerWith(status))).kind).toBe('succeeded');
  });

  it.each([408, 425, 429, 500, 502, 503, 504])('may be tried again on %i', async (status) => {
    expect(await callWith(answerWith(status))).toMatchObject({ kind: 'failed', retryable: true });
  });

  it.each([400, 401, 403, 404, 410, 422])('fails at once on %i', async (status) => {
    expect(await callWith(answerWith(status))).toMatchObject({ kind: 'failed', retryable: false });
  });

  it('asks that its schedule be paused on 410 and on nothing else', async () => {
    expect(await callWith(answerWith(410))).toMatchObject({ kind: 'failed', pauses: true });
    expect(await callWith(answerWith(404))).not.toHaveProperty('pauses');
  });

  it('does not follow a redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const result = await callWith(answerWith(status, { location: '/elsewhere?code=one-time#x' }));
      expect(result).toEqual({
        kind: 'failed',
        retryable: false,
        detail: `HTTP ${status}: redirects are not followed; name the URL that answers. It leads to /elsewhere`,
      });
      expect(receiver?.received).toHaveLength(1);
      await receiver?.close();
    }
  });

  it('keeps the beginning of an error answer and what Retry-After asks for', async () => {
    const result = await callWith(answerWith(503, { 'retry-after': '120' }, `down for ${'x'.repeat(1_000)}`));
    expect(result).toMatchObject({ kind: 'failed', retryAfterMs: 120 * SECOND });
    expect(result.kind === 'failed' && result.detail).toMatch(/^HTTP 503: down for x+$/);
    expect(result.detail?.length).toBeLessThan(200);
  });

  it('reads a bounded part of an answer that never ends', async () => {
    const result = await callWith((_, response) => {
      response.writeHead(200);
      const flood = () => {
        while (response.writable && response.write('x'.repeat(65_536)));
        if (response.writable) response.once('drain', flood);
      };
      flood();
    });
    expect(result.kind).toBe('succeeded');
  });

  it('may be tried again when nobody listens', async () => {
    const closed = await startReceiver();
    await closed.close();
    expect(await caller(targetAt(closed.url), invocation, NOON, never)).toMatchObject({
      kind: 'failed',
      retryable: true,
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('may be tried again when the connection breaks before an answer', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const result = await caller(targetAt(`http://127.0.0.1:${port}`), invocation, NOON, never);
    expect(result).toMatchObject({ kind: 'failed', retryable: true });
    server.close();
  });

  it('ends when it is aborted, with the reason', async () => {
    const abort = new AbortController();
    receiver = await startReceiver(() => abort.abort(new Error('timed out after PT5S')));
    expect(await caller(targetAt(receiver.url), invocation, NOON, abort.signal)).toEqual({
      kind: 'failed',
      retryable: true,
      detail: 'timed out after PT5S',
    });
  });
});

describe('the address guard', () => {
  const guarded = callerThrough(createAddressGuard([]));

  it.each([
    'http://127.0.0.1:9',
    'http://127.1:9',
    'http://2130706433:9',
    'http://0x7f000001:9',
    'http://0177.0.0.1:9',
    'http://[::1]:9',
    'http://[::ffff:127.0.0.1]:9',
    'http://[::ffff:7f00:1]:9',
    'http://0.0.0.0:9',
    'http://10.1.2.3',
    'http://172.16.0.1',
    'http://192.168.1.1',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00::1]',
    'http://[fe80::1]',
    'http://100.64.0.1',
    'http://224.0.0.1',
    'http://localhost:9',
  ])('refuses %s for good', async (url) => {
    expect(await guarded(targetAt(url), invocation, NOON, never)).toMatchObject({
      kind: 'failed',
      retryable: false,
      detail: expect.stringContaining('not public'),
    });
  });

  it('lets ranges through that the deployment names, by address and by name', async () => {
    receiver = await startReceiver();
    const named = receiver.url.replace('127.0.0.1', 'localhost');
    for (const url of [receiver.url, named]) {
      expect((await caller(targetAt(url), invocation, NOON, never)).kind).toBe('succeeded');
    }
    const onlyPrivate = callerThrough(createAddressGuard(['10.0.0.0/8']));
    expect((await onlyPrivate(targetAt(receiver.url), invocation, NOON, never)).kind).toBe('failed');
  });

  it('lets public addresses through', () => {
    const guard = createAddressGuard([]);
    expect(() => guard.assertHost('93.184.216.34')).not.toThrow();
    expect(() => guard.assertHost('[2606:2800:220:1:248:1893:25c8:1946]')).not.toThrow();
    expect(() => guard.assertHost('example.com')).not.toThrow();
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['5', 5 * SECOND],
    [new Date(NOON + 30 * SECOND).toUTCString(), 30 * SECOND],
    [new Date(NOON - 30 * SECOND).toUTCString(), 0],
    ['Sun Mar  1 12:00:30 2026', 30 * SECOND],
    ['Sunday, 01-Mar-26 12:00:30 GMT', 30 * SECOND],
    ['99999999999999999999', 1e9 * SECOND],
    ['soon', undefined],
    ['wait 5', undefined],
    ['-5', undefined],
    ['1.5', undefined],
  ])('reads %s', (text, expected) => expect(parseRetryAfter(text, NOON)).toBe(expected));
});
