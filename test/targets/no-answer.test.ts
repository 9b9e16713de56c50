import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import { NOON } from '../support/fixtures.ts';
import { callerThrough } from '../support/http-caller.ts';
import { invocation } from '../support/invocation.ts';
import { startTcp } from '../support/tcp.ts';

const guard = createAddressGuard(['127.0.0.0/8']);
const call = callerThrough(guard);
const never = new AbortController().signal;
const targetAt = (url: string) => ({ kind: 'http', url, method: 'POST', headers: {} }) as const;

let server: Awaited<ReturnType<typeof startTcp>> | undefined;
afterEach(() => server?.close());

/** Calls a server that does this once the request is there. */
async function calling(answer: (socket: Socket) => void, signal = never) {
  server = await startTcp((socket) => socket.once('data', () => answer(socket)));
  return call(targetAt(server.url), invocation, NOON, signal);
}

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n';

describe('an answer that leads to another protocol', () => {
  it.each([
    ['to a WebSocket', `${SWITCH}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`],
    ['with data behind it', `${SWITCH}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\nPRI * HTTP/2.0\r\n\r\n`],
    ['without saying to which', `${SWITCH}\r\n`],
    ['and then a status', `${SWITCH}\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`],
  ])('%s is a failure, and the connection is closed', async (_, answer) => {
    const result = await calling((socket) => socket.write(answer));
    expect(result).toEqual({ kind: 'failed', retryable: false, detail: 'HTTP 101' });
    const [socket] = server?.sockets ?? [];
    if (!socket?.closed) await new Promise((resolve) => socket?.once('close', resolve));
  });
});

describe('a connection that ends without an answer', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['politely', (socket) => socket.end()],
    ['with a reset', (socket) => socket.resetAndDestroy()],
    ['within a status line', (socket) => socket.end('HTTP/1.1 20')],
    ['within its headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ['after 100 Continue', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
    ['after early hints', (socket) => socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')],
    ['after something that is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    ['after HTTP/2 settings', (socket) => socket.end(Buffer.from('00000004000000000000', 'hex'))],
  ])('%s is a failed attempt that may be tried again', async (_, end) => {
    expect(await calling(end)).toMatchObject({ kind: 'failed', retryable: true });
    expect(server?.sockets).toHaveLength(1);
  });
});

describe('a call that is aborted', () => {
  const reason = 'timed out after PT5S';
  /** Aborted once the server has done this; the call has to end although nothing else ever happens. */
  async function aborted(answer: (socket: Socket) => void) {
    const abort = new AbortController();
    const result = await calling((socket) => {
      answer(socket);
      setTimeout(() => abort.abort(new Error(reason)), 20);
    }, abort.signal);
    const [socket] = server?.sockets ?? [];
    if (!socket?.closed) await new Promise((resolve) => socket?.once('close', resolve));
    return result;
  }

  it.each<[string, string]>([
    ['is silent', ''],
    ['sends half a header', 'HTTP/1.1 200 OK\r\nx-half: '],
    ['keeps saying that it goes on', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)],
  ])('ends with the reason and closes the connection where the server %s', async (_, text) => {
    expect(await aborted((socket) => socket.write(text))).toEqual({
      kind: 'failed',
      retryable: true,
      detail: reason,
    });
  });

  it('while its body is still coming is decided by the status', async () => {
    expect(await aborted((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nand so'))).toEqual({
      kind: 'succeeded',
      detail: 'HTTP 200',
    });
  });

  it('ends while a name is being resolved, and while a handshake never comes', async () => {
    const stuck = callerThrough(createAddressGuard([], (() => {}) as never));
    server = await startTcp(() => {});
    for (const [caller, url] of [
      [stuck, 'https://nowhere.example/'],
      [call, server.url.replace('http:', 'https:')],
    ] as const) {
      const abort = new AbortController();
      const result = caller(targetAt(url), invocation, NOON, abort.signal);
      setTimeout(() => abort.abort(new Error(reason)), 20);
      expect(await result).toEqual({ kind: 'failed', retryable: true, detail: reason });
    }
  });

  it('before it began sends nothing', async () => {
    expect(await calling(() => {}, AbortSignal.abort(new Error(reason)))).toMatchObject({ detail: reason });
    expect(server?.sockets).toHaveLength(0);
  });
});

describe('the status decides', () => {
  const broken: readonly [string, (socket: Socket, status: string) => void][] = [
    ['is cut short', (socket, status) => socket.end(`${status}Content-Length: 100\r\n\r\nhalf`)],
    [
      'is wrongly chunked',
      (socket, status) => socket.write(`${status}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    ],
    [
      'ends within a chunk',
      (socket, status) => socket.end(`${status}Transfer-Encoding: chunked\r\n\r\nff\r\nhalf`),
    ],
    [
      'is longer than it said',
      (socket, status) => socket.write(`${status}Content-Length: 2\r\n\r\nokHTTP/x`),
    ],
    [
      'is reset behind the headers',
      (socket, status) =>
        socket.write(`${status}Content-Length: 100\r\n\r\n`, () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        ),
    ],
  ];

  it.each(broken)('also where the body %s', async (_, answer) => {
    for (const [status, expected] of [
      ['200 OK', { kind: 'succeeded', detail: 'HTTP 200' }],
      ['400 Bad Request', { kind: 'failed', retryable: false }],
      ['503 Unavailable', { kind: 'failed', retryable: true }],
    ] as const) {
      expect(await calling((socket) => answer(socket, `HTTP/1.1 ${status}\r\n`))).toMatchObject(expected);
      server?.close();
    }
  });
});
