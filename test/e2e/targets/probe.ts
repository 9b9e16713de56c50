import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

/** What a schedule asks of its target. */
export interface ProbeInput {
  /** So many attempts fail. */
  readonly failures?: number;
  /** Milliseconds that the first attempt takes to answer. */
  readonly hangMs?: number;
}

interface Payload {
  readonly attempt: number;
  readonly input: ProbeInput | null;
}

const sqs = new SQSClient();

/** A target: says on a queue that it was called, when and with what, and then does what its input asks of it. */
export async function handler(payload: Payload): Promise<string> {
  const at = Date.now();
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: process.env.ARRIVALS_QUEUE_URL,
      MessageBody: JSON.stringify({ ...payload, at }),
    }),
  );
  const { failures = 0, hangMs = 0 } = payload.input ?? {};
  if (payload.attempt === 1) await sleep(hangMs);
  if (payload.attempt <= failures) throw new Error(`Attempt ${payload.attempt} was asked to fail.`);
  return 'done';
}
