import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { type DeliveryDeps, deliver } from '../../local/sources/stream-batch.ts';

const record = (sequence: number): DynamoDBRecord => ({ dynamodb: { SequenceNumber: String(sequence) } });
const records = (count: number) => Array.from({ length: count }, (_, index) => record(index + 1));
const numbersOf = (some: readonly DynamoDBRecord[]) =>
  some.map(({ dynamodb }) => Number(dynamodb?.SequenceNumber));

describe('delivery of a stream batch', () => {
  let invocations: number[][];
  let done: number[];
  let givenUp: { numbers: number[]; reason: string }[];
  let pauses: number[];

  beforeEach(() => {
    invocations = [];
    done = [];
    givenUp = [];
    pauses = [];
  });

  const deps = (handler: (numbers: number[], invocation: number) => unknown): DeliveryDeps => ({
    invoke: async ({ Records }) => {
      invocations.push(numbersOf(Records));
      return handler(numbersOf(Records), invocations.length);
    },
    policy: { maxAttempts: 3, pauseMs: 100, maxPauseMs: 150 },
    pause: async (ms) => {
      pauses.push(ms);
    },
    onDone: async (last) => {
      done.push(...numbersOf([last]));
    },
    onGivenUp: async (some, reason) => {
      givenUp.push({ numbers: numbersOf(some), reason });
    },
    stopped: () => false,
  });
  const failing = (...numbers: number[]) => ({
    batchItemFailures: numbers.map((number) => ({ itemIdentifier: String(number) })),
  });

  it('is done with all of a batch that succeeds, whether or not the function says so', async () => {
    await deliver(
      deps(() => undefined),
      records(3),
    );
    await deliver(
      deps(() => ({ batchItemFailures: [] })),
      records(2),
    );
    expect(done).toEqual([3, 2]);
    expect(pauses).toEqual([]);
  });

  it('goes on from the lowest reported failure', async () => {
    await deliver(
      deps((_, invocation) => (invocation === 1 ? failing(4, 3) : undefined)),
      records(5),
    );
    expect(invocations).toEqual([
      [1, 2, 3, 4, 5],
      [3, 4, 5],
    ]);
    expect(done).toEqual([2, 5]);
  });

  it('pauses longer each time, up to a bound, and gives a batch up with its reason', async () => {
    await deliver(
      deps(() => failing(1)),
      records(2),
    );
    expect(invocations).toHaveLength(3);
    expect(pauses).toEqual([100, 150]);
    expect(givenUp).toEqual([{ numbers: [1, 2], reason: 'reported as failed by the function' }]);
    expect(done).toEqual([2]);
  });

  it('cuts a batch that throws in two until the poison stands alone; the rest is delivered in order', async () => {
    const delivered: number[] = [];
    const handler = (numbers: number[]) => {
      if (numbers.includes(3)) throw new TypeError('poison');
      delivered.push(...numbers);
    };
    await deliver(deps(handler), records(5));
    expect(delivered).toEqual([1, 2, 4, 5]);
    expect(givenUp).toEqual([{ numbers: [3], reason: 'TypeError: poison' }]);
    expect(invocations.filter((numbers) => numbers.join() === '3')).toHaveLength(3);
    expect(done).toEqual([2, 3, 5]);
  });

  it('takes the whole batch as failed when the answer names a record that is not in it', async () => {
    await deliver(
      deps((_, invocation) => (invocation === 1 ? failing(99) : undefined)),
      records(2),
    );
    expect(invocations).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('leaves off where it is when stopped, and calls nothing done that is not', async () => {
    let stopped = false;
    const stopping = {
      ...deps(() => {
        stopped = true;
        return failing(2);
      }),
      stopped: () => stopped,
    };
    await deliver(stopping, records(3));
    expect(invocations).toHaveLength(1);
    expect(done).toEqual([1]);
  });
});
