import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { until } from './until.ts';

/** A call of a target, as the target saw it. */
export interface Arrival {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly schedule: string;
  readonly scheduledTime: number;
  readonly attempt: number;
  readonly revision: number;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly input: unknown;
}

export interface Arrivals {
  of(schedule: string): readonly Arrival[];
  add(arrival: Arrival): void;
  /** All of a schedule once there is one of them that `is`. */
  until(schedule: string, withinMs: number, is: (arrival: Arrival) => boolean): Promise<readonly Arrival[]>;
  /** Once there are so many of a schedule, in the order in which they were called. */
  wait(schedule: string, count: number, withinMs: number): Promise<readonly Arrival[]>;
  close(): Promise<void>;
}

/** Collects from the queue on which targets say that they were called; the queue is a target itself. */
export function collectArrivals(sqs: SQSClient, QueueUrl: string): Arrivals {
  const found = new Map<string, Arrival[]>();
  const closing = new AbortController();
  const add = (arrival: Arrival) => {
    const all = [...(found.get(arrival.schedule) ?? []), arrival];
    found.set(
      arrival.schedule,
      all.toSorted((a, b) => a.at - b.at),
    );
  };

  async function collect(): Promise<void> {
    const { signal: abortSignal } = closing;
    while (!abortSignal.aborted) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
        { abortSignal },
      );
      if (Messages.length === 0) continue;
      for (const { Body = '', Attributes } of Messages)
        add(arrivalOf(Body, Number(Attributes?.SentTimestamp)));
      const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
  }
  let fault: unknown;
  const collecting = collect().catch((error) => {
    if (!closing.signal.aborted) fault = error;
  });

  const of = (schedule: string) => found.get(schedule) ?? [];
  const when = (
    what: string,
    schedule: string,
    withinMs: number,
    isEnough: (all: readonly Arrival[]) => boolean,
  ) =>
    until(
      what,
      withinMs,
      () => {
        if (fault !== undefined) throw fault;
        return isEnough(of(schedule)) ? of(schedule) : undefined;
      },
      () => of(schedule),
    );
  return {
    of,
    add,
    until: (schedule, withinMs, is) =>
      when(`a certain call for ${schedule}`, schedule, withinMs, (all) => all.some(is)),
    wait: (schedule, count, withinMs) =>
      when(`${count} calls for ${schedule}`, schedule, withinMs, (all) => all.length >= count),
    async close() {
      closing.abort();
      await collecting;
    },
  };
}

/** A message of a target that is a queue has no time of its own: it arrived when it was sent. */
export function arrivalOf(text: string, sentAt: number): Arrival {
  const { at = sentAt, scheduledTime, ...rest } = JSON.parse(text);
  return { ...rest, at, scheduledTime: Date.parse(scheduledTime) };
}
