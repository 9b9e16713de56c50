import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import { matchesPattern } from './event-pattern.ts';
import { type DeliveryPolicy, deliver } from './stream-batch.ts';
import type { StreamReader } from './stream-reader.ts';

/**
 * Milliseconds between looks at a stream, unless the last one gave so much that there may be more. (Lambda polls
 * each shard four times a second.) Without a pause a burst is read in ones and twos, at the burst's own expense.
 */
const POLL_PAUSE = 50;
/** After an error of the stream itself. */
const ERROR_PAUSE = 1_000;

export interface StreamMappingOptions {
  readonly reader: StreamReader;
  readonly invoke: (event: unknown) => Promise<unknown>;
  readonly filter: object;
  readonly batchSize: number;
  readonly policy: DeliveryPolicy;
  readonly saveCheckpoint: (sequenceNumber: string) => Promise<void>;
  readonly keepFailed: (records: readonly DynamoDBRecord[], reason: string) => Promise<void>;
  readonly onError: (message: string) => void;
  /** Sees every record once as it is read, before the filter. */
  readonly observe?: (records: readonly DynamoDBRecord[]) => void;
}

export interface Mapping {
  stop(): Promise<void>;
}

/** DynamoDB stream → function, with Lambda's semantics: filter, batches, partial failures, bisecting, checkpoint. */
export function startStreamMapping(options: StreamMappingOptions): Mapping {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function poll(): Promise<void> {
    while (!signal.aborted) {
      try {
        const records = await options.reader.read();
        if (records.length > 0) await handle(records);
        if (records.length < options.batchSize) await pause(POLL_PAUSE);
      } catch (error) {
        if (signal.aborted) return;
        options.onError(`The occurrences stream: ${error instanceof Error ? error.message : String(error)}`);
        await pause(ERROR_PAUSE);
      }
    }
    // What happened while running work was let finish is still to be seen.
    options.observe?.(await options.reader.read().catch(() => []));
  }

  async function handle(records: readonly DynamoDBRecord[]): Promise<void> {
    options.observe?.(records);
    const wanted = records.filter((record) => matchesPattern(options.filter, record));
    for (let index = 0; index < wanted.length && !signal.aborted; index += options.batchSize) {
      await deliver(deliveryDeps, wanted.slice(index, index + options.batchSize));
    }
    // Also past what the filter left out; but not past what was left undone.
    if (!signal.aborted) await checkpoint(records.at(-1));
  }

  const checkpoint = async (record: DynamoDBRecord | undefined) => {
    const sequenceNumber = record?.dynamodb?.SequenceNumber;
    if (sequenceNumber !== undefined) await options.saveCheckpoint(sequenceNumber);
  };
  const deliveryDeps = {
    invoke: options.invoke,
    policy: options.policy,
    pause,
    onDone: checkpoint,
    onGivenUp: options.keepFailed,
    stopped: () => signal.aborted,
  };

  const polling = poll();
  return {
    stop() {
      stopping.abort();
      return polling;
    },
  };
}
