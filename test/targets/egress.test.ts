import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import type { HttpTarget } from '../../lambdas/core/targets/http/http.ts';
import { certificateFor } from '../support/certificate.ts';
import { NOON } from '../support/fixtures.ts';
import { callerThrough, senderThrough } from '../support/http-caller.ts';
import { invocation } from '../support/invocation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const never = new AbortController().signal;
const targetAt = (url: string): HttpTarget => ({ kind: 'http', url, method: 'POST', headers: {} });
const loopback = callerThrough(createAddressGuard(['127.0.0.0/8']));

/** A resolver that answers each time with the next addresses; the last ones for ever. */
function resolving(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  const resolve = ((_: string, __: unknown, callback: (error: null, found: unknown) => void) => {
    const found = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as Parameters<typeof createAddressGuard>[1];
  return { resolve, asked: () => asked };
}

async function listening(server: TcpServer, host: string, port = 0) {
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return (server.address() as AddressInfo).port;
}

describe('addresses', () => {
  const guard = createAddressGuard([]);
  const refusedAs = (host: string) => {
    try {
      guard.assertHost(new URL(`http://${host}/`).hostname);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    // Loopback, in all its spellings.
    ...[
      '127.0.0.1',
      '127.255.255.254',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0x7f.1',
      '127.0.0.1.',
    ],
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    // Unspecified, "this network", broadcast, multicast, reserved.
    ...[
      '0.0.0.0',
      '0',
      '0.1.2.3',
      '[::]',
      '255.255.255.255',
      '224.0.0.1',
      '239.255.255.250',
      '240.0.0.1',
      '[ff02::1]',
    ],
    // Private, shared (RFC 6598), link-local.
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '100.64.0.1',
      '100.127.255.254',
      '169.254.1.1',
    ],
    ...['[fc00::1]', '[fd12:3456::1]', '[fe80::1]', '[febf::1]', '[fec0::1]'],
    // Metadata of instances and tasks, and the resolver.
    ...[
      '169.254.169.254',
      '0xa9fea9fe',
      '169.254.170.2',
      '169.254.169.253',
      '[fd00:ec2::254]',
      '[fd00:ec2::23]',
    ],
    // IPv4 addresses in IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
    ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::169.254.169.254]', '[::8.8.8.8]'],
    ...['[::ffff:0:10.0.0.1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a00:1]'],
    ...['[2002:a9fe:a9fe::]', '[2002:7f00:1::1]', '[2001:0:a00:1::1]'],
    // For documentation, benchmarks, protocols; discarded; given to nobody.
    ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
    ...['[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[4000::1]', '[1::1]'],
  ])('%s is not reached', (host) => expect(refusedAs(host)).toContain('not public'));

  it.each([
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.32.0.1',
    '[2606:4700::1]',
    '[2a00:1450::1]',
    '[::ffff:8.8.8.8]',
  ])('%s is', (host) => expect(refusedAs(host)).toBeUndefined());

  it('are those that are connected to: a name that leads elsewhere the second time is refused then', async () => {
    const reached: string[] = [];
    const servers = ['127.0.0.1', '127.0.0.2'].map((address) =>
      createServer((_, response) => {
        reached.push(address);
        response.setHeader('connection', 'close').end();
      }),
    );
    const [first, second] = servers as [Server, Server];
    const port = await listening(first, '127.0.0.1');
    await listening(second, '127.0.0.2', port);
    const { resolve, asked } = resolving(['127.0.0.2'], ['127.0.0.1']);
    const call = callerThrough(createAddressGuard(['127.0.0.2/32'], resolve));
    const target = targetAt(`http://rebound.example:${port}/`);
    expect((await call(target, invocation, NOON, never)).kind).toBe('succeeded');
    expect(await call(target, invocation, NOON, never)).toMatchObject({
      kind: 'failed',
      retryable: false,
      detail: expect.stringContaining('rebound.example is the address 127.0.0.1, which is loopback'),
    });
    // Each call asked once: there is no second question whose answer nobody looks at.
    expect([reached, asked()]).toEqual([['127.0.0.2'], 2]);
    for (const server of servers) server.close();
  });

  it('of a name are taken one by one: what is not public among them is left out', async () => {
    const receiver = await startReceiver();
    const { resolve } = resolving(['10.0.0.1', 'fd00:ec2::254', '127.0.0.1', '169.254.169.254']);
    const call = callerThrough(createAddressGuard(['127.0.0.0/8'], resolve));
    const url = receiver.url.replace('127.0.0.1', 'mixed.example');
    expect((await call(targetAt(url), invocation, NOON, never)).kind).toBe('succeeded');
    await receiver.close();
  });
});

describe('an answer', () => {
  let receiver: Receiver | undefined;
  afterEach(() => receiver?.close());

  it('whose body drips is taken by its status once its time is up', async () => {
    const patient = callerThrough(createAddressGuard(['127.0.0.0/8']), { bodyWithin: 50 });
    for (const [status, result] of [
      [200, { kind: 'succeeded', detail: 'HTTP 200' }],
      [500, { kind: 'failed', retryable: true, detail: 'HTTP 500: slow' }],
    ] as const) {
      receiver = await startReceiver((_, response) => {
        response.writeHead(status);
        response.write('slow');
        // And never the rest of it.
      });
      expect(await patient(targetAt(receiver.url), invocation, NOON, never)).toEqual(result);
      await receiver.close();
    }
  });

  it('whose header drips is given up with the attempt', async () => {
    const dripping = createTcpServer((socket) => socket.write('HTTP/1.1 200 OK\r\nx-slow: '));
    const port = await listening(dripping, '127.0.0.1');
    const abort = new AbortController();
    dripping.once('connection', (socket) => {
      socket.on('error', () => {});
      abort.abort(new Error('timed out after PT5S'));
    });
    expect(
      await loopback(targetAt(`http://127.0.0.1:${port}`), invocation, NOON, abort.signal),
    ).toMatchObject({
      detail: 'timed out after PT5S',
    });
    dripping.close();
  });

  it('whose header never ends is cut off', async () => {
    const flooding = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.write(`HTTP/1.1 200 OK\r\n${`x-flood: ${'y'.repeat(1_000)}\r\n`.repeat(100)}`);
    });
    const port = await listening(flooding, '127.0.0.1');
    expect(await loopback(targetAt(`http://127.0.0.1:${port}`), invocation, NOON, never)).toMatchObject({
      kind: 'failed',
      detail: expect.stringContaining('HPE_HEADER_OVERFLOW'),
    });
    flooding.close();
  });

  it('that is compressed stays so: a bomb is as small as it came, and nothing of it is logged', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const asked: (string | undefined)[] = [];
    receiver = await startReceiver((request, response) => {
      asked.push(request.headers['accept-encoding']?.toString());
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const send = senderThrough(createAddressGuard(['127.0.0.0/8']));
    const request = { url: receiver.url, method: 'POST', headers: {}, body: '{}' };
    const { text } = await send(request, never);
    expect(text).toBe(bomb.toString('utf8'));
    expect(await loopback(targetAt(receiver.url), invocation, NOON, never)).toMatchObject({
      detail: 'HTTP 500',
    });
    expect(asked).toEqual([undefined, undefined]);
  });

  it('becomes one line of the log, whatever is in it', async () => {
    receiver = await startReceiver((_, response) =>
      response.writeHead(400).end('a\r\nb\u0000\u001b[31m\u2028c\u202e'),
    );
    expect((await loopback(targetAt(receiver.url), invocation, NOON, never)).detail).toBe(
      'HTTP 400: a b [31m c',
    );
  });
});

describe('what OpenSSL and node say to those who build them', () => {
  it.each([
    ['a server without TLS', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'speak TLS'],
    [
      'one that knows no version of ours',
      // An alert record: fatal, protocol version.
      (socket: Socket) => socket.end(Buffer.from('15030100020246', 'hex')),
      'TLS could not be agreed on',
    ],
    ['one that hangs up', (socket: Socket) => socket.resetAndDestroy(), 'was reset before an answer came'],
  ])('is not in the log: %s', async (_, answer, said) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => answer(socket));
    });
    const port = await listening(server, '127.0.0.1');
    const { detail } = await loopback(targetAt(`https://127.0.0.1:${port}`), invocation, NOON, never);
    expect(detail).toContain(said);
    expect(detail).toMatch(/^127\.0\.0\.1:\d+: [^/]*\([A-Z_]+(: [a-z0-9 ]+)?\)\.$/);
    server.close();
  });
});

describe('a certificate', () => {
  const authority = certificateFor('Test authority', []);
  const trusted = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...trusted, authority.cert]));
  afterAll(() => setDefaultCACertificates([...trusted]));
  const { resolve } = resolving(['127.0.0.1']);
  const call = callerThrough(createAddressGuard(['127.0.0.0/8'], resolve));

  /** What becomes of a call of https://good.example where a server shows this certificate. */
  async function calling({ cert, key }: ReturnType<typeof certificateFor>) {
    let calls = 0;
    const pem = key.export({ type: 'pkcs8', format: 'pem' });
    const server = createTlsServer({ cert, key: pem }, (_, response) => {
      calls += 1;
      response.end();
    });
    const port = await listening(server, '127.0.0.1');
    const result = await call(targetAt(`https://good.example:${port}/`), invocation, NOON, never);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    return { result, calls };
  }

  it('of the host by an authority that is trusted is accepted', async () => {
    const { result, calls } = await calling(certificateFor('good', ['good.example'], authority));
    expect([result, calls]).toEqual([{ kind: 'succeeded', detail: 'HTTP 200' }, 1]);
  });

  it.each([
    ['that it signed itself', certificateFor('good', ['good.example']), /DEPTH_ZERO_SELF_SIGNED_CERT/],
    ['of another host', certificateFor('good', ['other.example'], authority), /ERR_TLS_CERT_ALTNAME_INVALID/],
    [
      'by an authority that nobody knows',
      certificateFor('good', ['good.example'], certificateFor('Unknown', [])),
      /UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    ],
  ])('%s is refused, and no variable changes that', async (_, certificate, code) => {
    for (const switched of [undefined, '0']) {
      if (switched) process.env.NODE_TLS_REJECT_UNAUTHORIZED = switched;
      const { result, calls } = await calling(certificate);
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      expect([result, calls]).toEqual([
        { kind: 'failed', retryable: true, detail: expect.stringMatching(code) },
        0,
      ]);
      expect(result.detail).toMatch(/^good\.example:\d+: .*certificate.*\.$/);
      expect(result.detail).not.toMatch(/Node|\.c:|routines/);
    }
  });
});
