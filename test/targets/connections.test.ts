import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../lambdas/adapters/targets/http/address-guard.ts';
import { createConnections } from '../../lambdas/adapters/targets/http/connections.ts';
import { createRequestSender } from '../../lambdas/adapters/targets/http/request.ts';
import { startTcp } from '../support/tcp.ts';

const guard = createAddressGuard(['127.0.0.0/8']);
const never = new AbortController().signal;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

let server: Awaited<ReturnType<typeof startTcp>> | undefined;
afterEach(() => server?.close());

/** A server that answers with 200 and notes on which connection each request came, and a sender with its own clock. */
async function open(onRequest: (connection: number, request: number) => 'answer' | 'reset' = () => 'answer') {
  const requests: number[] = [];
  server = await startTcp((socket, connection) => {
    socket.on('data', () => {
      requests.push(connection);
      if (onRequest(connection, requests.length) === 'answer') socket.write(OK);
      else socket.resetAndDestroy();
    });
  });
  let now = 0;
  const connections = createConnections(() => now, { maxAge: 30_000, maxIdle: 4_000 });
  const send = createRequestSender(guard, connections);
  const request = { url: server.url, method: 'POST', headers: { 'content-length': '2' }, body: '{}' };
  return {
    requests,
    agent: connections.agentFor('http:'),
    advance: (ms: number) => {
      now += ms;
    },
    async post() {
      const answer = await send(request, never);
      // The connection goes back to those that are free once the answer has been read.
      await new Promise(setImmediate);
      return answer;
    },
    send: () => send(request, never),
  };
}

describe('a connection', () => {
  it('is used again', async () => {
    const { post, requests } = await open();
    for (let call = 0; call < 3; call += 1) await post();
    expect(requests).toEqual([1, 1, 1]);
  });

  it('that nobody used for four seconds is not: its server may be closing it', async () => {
    const { post, requests, advance } = await open();
    await post();
    advance(3_999);
    await post();
    advance(4_000);
    await post();
    expect(requests).toEqual([1, 1, 2]);
  });

  it('has a longest life, however busy it is: a name that has moved is followed', async () => {
    const { post, requests, advance } = await open();
    for (let call = 0; call < 15; call += 1) {
      await post();
      advance(3_000);
    }
    expect(requests).toEqual([...Array(10).fill(1), ...Array(5).fill(2)]);
  });
});

describe('a request', () => {
  it('that was written to a connection which is then reset is not sent again', async () => {
    const { post, send, requests } = await open((_, request) => (request === 2 ? 'reset' : 'answer'));
    await post();
    await expect(send()).rejects.toThrow();
    expect(requests).toEqual([1, 1]);
  });

  it('of which nothing was written goes out on another connection', async () => {
    const { post, send, agent, requests } = await open();
    await post();
    const sent = send();
    const inUse = Object.values(agent.sockets).flatMap((sockets) => sockets ?? []);
    expect(inUse).toHaveLength(1);
    inUse[0]?.destroy();
    expect(await sent).toMatchObject({ status: 200 });
    expect(requests).toEqual([1, 2]);
  });
});
