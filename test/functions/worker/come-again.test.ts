import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it, vi } from 'vitest';
import { createMessageVisibility } from '../../../lambdas/adapters/sqs/work-queue.ts';
import { comeAgainSeconds, orComeAgain } from '../../../lambdas/worker/come-again.ts';
import { LOCAL_AWS } from '../../../local/engine/aws.ts';
import { startQueues } from '../../../local/engine/queues.ts';

const message = { messageId: 'm', receiptHandle: 'r', receives: 2 };

describe('a message that could not be worked on', () => {
  it('comes again after about half a minute, and each time later, up to about twenty minutes', () => {
    const ranges = [
      [1, 30, 45],
      [2, 120, 180],
      [3, 480, 720],
      [4, 900, 1350],
      [50, 900, 1350],
    ] as const;
    for (const [receives, least, most] of ranges) {
      const waits = Array.from({ length: 200 }, (_, index) => comeAgainSeconds(`m${index}`, receives));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...waits)).toBeLessThanOrEqual(most);
      // Those that failed together do not come back together.
      expect(new Set(waits).size).toBeGreaterThan(10);
    }
  });

  it('is reported as failed, whether or not the queue took the delay', async () => {
    for (const showAgain of [vi.fn(async () => {}), vi.fn(() => Promise.reject(new Error('refused')))]) {
      const work = () => Promise.reject(new Error('the store is down'));
      await expect(orComeAgain({ showAgain }, message, work)).rejects.toThrow('the store is down');
      expect(showAgain).toHaveBeenCalledExactlyOnceWith('r', comeAgainSeconds('m', 2));
    }
  });

  it('is left alone when it was worked on', async () => {
    const showAgain = vi.fn(async () => {});
    await orComeAgain({ showAgain }, message, async () => {});
    expect(showAgain).not.toHaveBeenCalled();
  });

  it('is shown again by the queue itself, long before its visibility timeout', async () => {
    const queues = await startQueues({ name: 'again', visibilityTimeoutSeconds: 5_400, maxReceives: 5 });
    const client = new SQSClient({ ...LOCAL_AWS, endpoint: queues.endpoint });
    const QueueUrl = queues.work.url;
    try {
      const receive = async (WaitTimeSeconds: number) =>
        (await client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds }))).Messages?.[0];
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'work' }));
      const received = await receive(5);
      expect(await receive(0)).toBeUndefined();
      await createMessageVisibility(client, QueueUrl).showAgain(received?.ReceiptHandle ?? '', 1);
      expect((await receive(5))?.Body).toBe('work');
    } finally {
      client.destroy();
      await queues.stop();
    }
  });
});
