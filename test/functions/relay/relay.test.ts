import { marshall } from '@aws-sdk/util-dynamodb';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { pendingItem } from '../../../lambdas/adapters/dynamodb/occurrences/occurrence-items.ts';
import { outboxRecordOf } from '../../../lambdas/adapters/dynamodb/stream.ts';
import { delaySeconds } from '../../../lambdas/adapters/sqs/work-queue.ts';
import type { Dispatch } from '../../../lambdas/core/occurrence/dispatch.ts';
import type { WorkQueue } from '../../../lambdas/core/ports/work-queue.ts';
import { HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { relay } from '../../../lambdas/relay/relay.ts';
import { at, head, NOON } from '../../support/fixtures.ts';
import { planned } from '../../support/seed.ts';

/** Keeps what is sent; refuses the ids it is told to, or fails as a whole. */
function recordingQueue(refuse: (dispatch: Dispatch) => boolean = () => false) {
  const sent: Dispatch[] = [];
  const batches: number[] = [];
  const queue: WorkQueue = {
    async send(batch) {
      batches.push(batch.length);
      const refused = batch.flatMap((dispatch, index) =>
        refuse(dispatch) ? [{ index, reason: 'Busy' }] : [],
      );
      sent.push(...batch.filter((dispatch) => !refuse(dispatch)));
      return refused;
    },
  };
  return { queue, sent, batches };
}

const clock = { now: () => NOON };
const item = pendingItem(planned(head(), at(MINUTE)), 4, NOON);
/** Woken by a worker that starts it. */
const direct = { ...item, dispatch_seq: 3, direct_seq: 3 };
let sequence = 100;

function record(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): DynamoDBRecord {
  sequence += 1;
  const image = (of: Record<string, unknown>) => marshall(of) as Record<string, AttributeValue>;
  const { pk, sk } = (after ?? before ?? {}) as { pk: string; sk: string };
  return {
    eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
    dynamodb: {
      SequenceNumber: String(sequence),
      Keys: image({ pk, sk }),
      ...(before && { OldImage: image(before) }),
      ...(after && { NewImage: image(after) }),
    },
  };
}

async function relayed(...records: DynamoDBRecord[]) {
  const to = recordingQueue();
  const result = await relay({ queue: to.queue, clock }, records.map(outboxRecordOf));
  return { ...result, messages: to.sent };
}

describe('relay', () => {
  it('hands over a new occurrence with its id, sequence, due time and group', async () => {
    const { messages, failed } = await relayed(record(undefined, item));
    expect(messages).toEqual([
      {
        id: expect.stringMatching(/^tests~s\d+~20260301T120100000Z~1$/),
        seq: 1,
        dueAt: at(MINUTE),
        group: 'tests',
      },
    ]);
    expect(failed).toEqual([]);
  });

  it.each([
    ['a retry', { ...item, status: 'running' }, { ...item, dispatch_seq: 2, due_at: at(2 * MINUTE) }],
    ['a redispatch', item, { ...item, sends: 1 }],
    ['a second redispatch', { ...item, sends: 1 }, { ...item, sends: 2 }],
    ['one that a resume made again', { ...item, status: 'cancelled' }, item],
    ['one that is sent although a worker was to start it', direct, { ...direct, sends: 1 }],
    [
      'one that was started by a worker once',
      { ...direct, status: 'running' },
      { ...direct, dispatch_seq: 4 },
    ],
  ])('hands over %s', async (_, before, after) => {
    expect((await relayed(record(before, after))).messages).toHaveLength(1);
  });

  it.each([
    ['a claim', item, { ...item, status: 'running' }],
    ['a renewal', { ...item, status: 'running' }, { ...item, status: 'running', lease_expires_at: 5 }],
    ['an end', { ...item, status: 'running' }, { ...item, status: 'succeeded' }],
    ['a cancel', item, { ...item, status: 'cancelled' }],
    ['one whose waker starts it', { ...item, dispatch_seq: 2, waiting_for: 'key:a' }, direct],
    ['a touch that changes no sequence', item, { ...item, seen: true }],
    ['a purge', { ...item, status: 'succeeded' }, undefined],
    ['an item that is no occurrence', undefined, { pk: 'C#key', sk: 'SLOT', status: 'pending' }],
  ])('hands over nothing for %s', async (_, before, after) => {
    expect((await relayed(record(before, after))).messages).toEqual([]);
  });

  it('sends batches of ten', async () => {
    const to = recordingQueue();
    const records = Array.from({ length: 25 }, () => outboxRecordOf(record(undefined, item)));
    expect(await relay({ queue: to.queue, clock }, records)).toEqual({ sent: 25, failed: [] });
    expect(to.batches.sort()).toEqual([10, 10, 5]);
  });

  it('reports each record that the queue did not accept, and only those', async () => {
    const records = Array.from({ length: 12 }, (_, i) =>
      outboxRecordOf(record(undefined, { ...item, dispatch_seq: i + 1 })),
    );
    const to = recordingQueue(({ seq }) => seq === 3 || seq === 12);
    const { sent, failed } = await relay({ queue: to.queue, clock }, records);
    expect(sent).toBe(10);
    expect(failed.map(({ sequenceNumber }) => sequenceNumber).sort()).toEqual([
      records[2]?.sequenceNumber,
      records[11]?.sequenceNumber,
    ]);
  });

  it('reports a whole batch whose sending failed, since nobody knows what was accepted', async () => {
    const records = [outboxRecordOf(record(undefined, item)), outboxRecordOf(record(undefined, item))];
    const queue: WorkQueue = { send: () => Promise.reject(new Error('socket hang up')) };
    const { sent, failed } = await relay({ queue, clock }, records);
    expect(sent).toBe(0);
    expect(failed).toEqual(
      records.map(({ sequenceNumber }) => ({ sequenceNumber, reason: 'socket hang up' })),
    );
  });
});

describe('delaySeconds', () => {
  it.each([
    ['past due', at(-MINUTE), 0],
    ['due within a second', at(999), 0],
    ['whole seconds, rounded down', at(2 * SECOND + 999), 2],
    ['as far as SQS can delay', at(HOUR), 900],
  ])('%s', (_, dueAt, expected) => expect(delaySeconds(dueAt, NOON)).toBe(expected));
});
