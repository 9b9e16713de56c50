import type { DynamoDBRecord } from 'aws-lambda';
import { outboxRecordOf } from '../../../lambdas/adapters/dynamodb/stream.ts';
import { RELAY_FILTER } from '../../../lambdas/contract/tables.ts';
import { relay } from '../../../lambdas/relay/relay.ts';
import { matchesPattern } from '../../../local/sources/event-pattern.ts';
import { MAX_RECORDS } from '../../../local/sources/stream-reader.ts';
import type { Process } from './process.ts';

/** AWS: records in one invocation, as the stack's event source mapping asks for. */
const BATCH = 100;

/** How a poller may deliver besides once and in order. */
export interface Delivery {
  /** Records delivered before are delivered again. */
  readonly again?: boolean;
  readonly order?: <Item>(items: readonly Item[]) => Item[];
}

/** The event source mapping between the stream and the relay: filter, batches, partial failures, redelivery. */
export class Outbox {
  /** Every record that the stream had, for the audit. */
  readonly seen: DynamoDBRecord[] = [];
  #waiting: DynamoDBRecord[] = [];
  #delivered: DynamoDBRecord[] = [];
  readonly #read: () => Promise<readonly DynamoDBRecord[]>;

  constructor(read: () => Promise<readonly DynamoDBRecord[]>) {
    this.#read = read;
  }

  /** Records read and not yet accepted by a relay. */
  get waiting(): number {
    return this.#waiting.length;
  }

  async read(): Promise<void> {
    for (;;) {
      const records = await this.#read();
      this.seen.push(...records);
      this.#waiting.push(...records.filter((record) => matchesPattern(RELAY_FILTER, record)));
      if (records.length < MAX_RECORDS) return;
    }
  }

  /** Delivers what waits. What was not accepted, or whose relay died, stays and comes again. */
  async deliver(
    invoke: <Answer>(run: (process: Process) => Promise<Answer>) => Promise<Answer | undefined>,
    { again = false, order = (items) => [...items] }: Delivery = {},
  ): Promise<void> {
    await this.read();
    if (again) this.#waiting.unshift(...this.#delivered.splice(0));
    this.#waiting = order(this.#waiting);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      const result = await invoke((process) =>
        relay({ queue: process.queue, clock: process.clock }, batch.map(outboxRecordOf)),
      );
      if (result === undefined) return;
      const failed = new Set(result.failed.map(({ sequenceNumber }) => sequenceNumber));
      const first = batch.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
      const done = this.#waiting.splice(0, first === -1 ? batch.length : first);
      this.#delivered = [...this.#delivered, ...done].slice(-BATCH);
      if (first !== -1) return;
    }
  }
}
