import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createRetryStrategy } from '../../lambdas/adapters/aws/retry-strategy.ts';
import { createDocumentClient, createScheduleStore } from '../../lambdas/adapters/dynamodb/index.ts';
import { SECOND } from '../../lambdas/core/time.ts';
import { head, revision } from '../support/fixtures.ts';
import { change } from '../support/seed.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** A store whose table answers each call with the next of these errors, and counts the calls. */
async function storeAnswering(...errors: readonly { readonly type: string; readonly body?: object }[]) {
  let calls = 0;
  let now = 0;
  server = createServer((request, response) => {
    request.resume();
    const error = errors[Math.min(calls, errors.length - 1)];
    calls += 1;
    response.writeHead(error ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(
      JSON.stringify(
        error ? { __type: `com.amazonaws.dynamodb.v20120810#${error.type}`, ...error.body } : {},
      ),
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createDocumentClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    // Its clock goes on by itself, so that nobody has to wait for the pauses.
    retryStrategy: createRetryStrategy({
      now: () => (now += SECOND),
      random: () => 0,
      timeLeft: () => Number.POSITIVE_INFINITY,
    }),
  });
  const context = { client, schedulesTable: 's', occurrencesTable: 'o', shardCount: 1, retentionDays: 1 };
  return { store: createScheduleStore(context), calls: () => calls };
}

const cancelled = (...codes: string[]) => ({
  type: 'TransactionCanceledException',
  body: { message: 'cancelled', CancellationReasons: codes.map((Code) => ({ Code })) },
});
const made = head();
const create = change(made, { revision: revision(made) });

describe('a table that is busy', () => {
  it.each(['ThrottlingException', 'ProvisionedThroughputExceededException'])(
    'is asked again by the SDK on %s, and then said to be unavailable',
    async (type) => {
      const { store, calls } = await storeAnswering({ type, body: { message: 'slow down' } });
      await expect(store.readHead(made.id)).rejects.toMatchObject({ code: 'store.unavailable' });
      expect(calls()).toBeGreaterThan(2);
    },
  );

  it.each([
    // At the pace of conflicts, which is as often as there is time; and at that of throttling.
    ['TransactionConflict', 7],
    ['ThrottlingError', 6],
  ])(
    'has a transaction that was cancelled by %s repeated, which the SDK alone would not do',
    async (code, times) => {
      const { store, calls } = await storeAnswering(cancelled('None', code));
      await expect(store.applyChange(create)).rejects.toMatchObject({ code: 'store.unavailable' });
      expect(calls()).toBe(times);
    },
  );
});

describe('a transaction', () => {
  it('whose condition failed is an answer and is not repeated, whatever else was in the way', async () => {
    const { store, calls } = await storeAnswering(cancelled('ConditionalCheckFailed', 'TransactionConflict'));
    expect(await store.applyChange(create)).toEqual({ kind: 'conflict' });
    expect(calls()).toBe(1);
  });

  it('that is malformed is a fault and stays what it is', async () => {
    const { store } = await storeAnswering({ type: 'ValidationException', body: { message: 'bad' } });
    await expect(store.applyChange(create)).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('a table that is not there', () => {
  it('is said to be unavailable', async () => {
    const { store } = await storeAnswering();
    server?.close();
    server?.closeAllConnections();
    await expect(store.readHead(made.id)).rejects.toMatchObject({ code: 'store.unavailable' });
  });
});
