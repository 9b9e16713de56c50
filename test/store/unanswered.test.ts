import type { Socket } from 'node:net';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { serviceClient } from '../../lambdas/adapters/aws/clients.ts';
import { withDeadline } from '../../lambdas/adapters/aws/deadline.ts';
import { createDocumentClient, createScheduleStore } from '../../lambdas/adapters/dynamodb/index.ts';
import { createWorkQueue } from '../../lambdas/adapters/sqs/work-queue.ts';
import { freshId } from '../support/fixtures.ts';
import { startTcp } from '../support/tcp.ts';

const local = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
/** Once a call; how the SDK tries again is another matter. */
const once = {
  acquireInitialRetryToken: async () => ({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
  refreshRetryTokenForRetry: () => Promise.reject(new Error('once')),
  recordSuccess() {},
};
const PATIENCE = { connectWithin: 1_000, answerWithin: 80 };

let server: Awaited<ReturnType<typeof startTcp>> | undefined;
afterEach(() => server?.close());

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 100\r\n\r\n';
const trickle = (socket: Socket) => {
  socket.write(HEAD);
  const timer = setInterval(() => socket.write(' '), 20);
  socket.once('close', () => clearInterval(timer));
};

const WAYS: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['says nothing', () => {}],
  ['begins its headers and stops', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: ')],
  ['begins its body and stops', (socket) => socket.write(`${HEAD}{`)],
  ['sends its body a byte at a time', trickle],
];

describe.each(WAYS)('a service that %s', (_, answer) => {
  async function listening() {
    server = await startTcp((socket) => socket.once('data', () => answer(socket)));
    return { ...local, endpoint: server.url };
  }

  it('is given up: the store is said to be unavailable', async () => {
    const client = createDocumentClient({ ...(await listening()), retryStrategy: once }, PATIENCE);
    const context = { client, schedulesTable: 's', occurrencesTable: 'o', shardCount: 1, retentionDays: 1 };
    const before = Date.now();
    await expect(createScheduleStore(context).readHead(freshId())).rejects.toMatchObject({
      code: 'store.unavailable',
    });
    expect(Date.now() - before).toBeLessThan(1_500);
  });

  it('is given up where messages are sent', async () => {
    const config = { ...(await listening()), retryStrategy: once };
    const queue = createWorkQueue(serviceClient(SQSClient, config, PATIENCE), `${server?.url}/1/q`);
    await expect(queue.send([], 0 as never)).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('an invocation that comes to its end', () => {
  it('has its calls give up before, tries and pauses together', async () => {
    server = await startTcp(() => {});
    const client = createDocumentClient({ ...local, endpoint: server.url });
    const context = { client, schedulesTable: 's', occurrencesTable: 'o', shardCount: 1, retentionDays: 1 };
    const before = Date.now();
    const read = withDeadline(before + 150, () => createScheduleStore(context).readHead(freshId()));
    await expect(read).rejects.toMatchObject({ code: 'store.unavailable' });
    expect(Date.now() - before).toBeLessThan(1_500);
  });

  it('begins no call once its time is up', async () => {
    server = await startTcp(() => {});
    const client = createDocumentClient({ ...local, endpoint: server.url });
    const context = { client, schedulesTable: 's', occurrencesTable: 'o', shardCount: 1, retentionDays: 1 };
    const read = withDeadline(Date.now() - 1, () => createScheduleStore(context).readHead(freshId()));
    await expect(read).rejects.toMatchObject({ code: 'store.unavailable' });
    expect(server.sockets).toHaveLength(0);
  });
});
