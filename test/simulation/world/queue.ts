import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { QueueCounts } from '../../../lambdas/core/occurrence/redispatch-pace.ts';
import { type EpochMs, epochMs, SECOND } from '../../../lambdas/core/time.ts';
import type { CallCounter } from './calls.ts';
import type { Life } from './life.ts';
import type { VirtualTime } from './time.ts';

/** How long a client waits for an answer, and how often it asks. */
const REQUEST_TIMEOUT = 5 * SECOND;
const ATTEMPTS = 2;

export interface Message {
  readonly number: number;
  readonly body: string;
  /** When it can be received (again). */
  visibleAt: EpochMs;
  receives: number;
}

interface QueueOptions {
  readonly visibilityMs: number;
  readonly maxReceives: number;
  /** Whether it cannot be reached; what it holds it keeps. */
  readonly isAway: () => boolean;
}

/** A standard SQS queue as far as a consumer can tell: delays, visibility, redelivery, a dead-letter queue. */
export class WorkQueueModel {
  #messages: Message[] = [];
  #sent = 0;
  readonly dead: Message[] = [];
  readonly #time: VirtualTime;
  readonly #options: QueueOptions;

  constructor(time: VirtualTime, options: QueueOptions) {
    this.#time = time;
    this.#options = options;
  }

  get size(): number {
    return this.#messages.length;
  }

  counts(): QueueCounts {
    const now = this.#time.now();
    const visible = this.#messages.filter(({ visibleAt }) => visibleAt <= now).length;
    const inFlight = this.#messages.filter(({ visibleAt, receives }) => visibleAt > now && receives > 0);
    return { visible, inFlight: inFlight.length };
  }

  /** When the next message can be received; undefined when there is none. */
  nextAt(): EpochMs | undefined {
    const next = Math.min(...this.#messages.map(({ visibleAt }) => visibleAt));
    return next === Number.POSITIVE_INFINITY ? undefined : epochMs(next);
  }

  put(body: string, delaySeconds: number): void {
    this.#sent += 1;
    const visibleAt = epochMs(this.#time.now() + delaySeconds * SECOND);
    this.#messages.push({ number: this.#sent, body, visibleAt, receives: 0 });
  }

  /** Up to `max` visible messages. `order` stands for the order that SQS does not promise. */
  receive(max = 10, order: (messages: Message[]) => Message[] = (messages) => messages): Message[] {
    const now = this.#time.now();
    const visible = this.#messages.filter(({ visibleAt }) => visibleAt <= now);
    for (const spent of visible.filter(({ receives }) => receives >= this.#options.maxReceives)) {
      this.dead.push(spent);
      this.delete(spent);
    }
    const received = order(visible.filter((message) => this.#messages.includes(message))).slice(0, max);
    for (const message of received) {
      message.receives += 1;
      message.visibleAt = epochMs(now + this.#options.visibilityMs);
    }
    return received;
  }

  delete(message: Message): void {
    this.#messages = this.#messages.filter((other) => other !== message);
  }

  /** All that is in it is lost, as by a purge. */
  purge(): void {
    this.#messages = [];
  }

  /** The part of the SQS client that sends, for the real adapter. */
  client(owner: { readonly name: string; readonly life: Life }, calls: CallCounter): SQSClient {
    const send = ({ input }: SendMessageBatchCommand) =>
      calls.make(
        owner.life,
        { process: owner.name, what: 'SendMessageBatch', effect: 'send' },
        async (fault) => {
          const entries = input.Entries ?? [];
          if (this.#options.isAway()) throw new Error('The queue is away.');
          const putAll = async () => {
            for (const { MessageBody = '', DelaySeconds = 0 } of entries) this.put(MessageBody, DelaySeconds);
          };
          if (fault === 'again-late') calls.arriveLate(putAll);
          if (fault === 'unanswered') await putAll();
          if (fault === 'unanswered' || fault === 'unheard') await calls.sleep(REQUEST_TIMEOUT, owner.life);
          if (fault === 'silent') {
            await calls.sleep(ATTEMPTS * REQUEST_TIMEOUT, owner.life);
            throw Object.assign(new Error('The test does not answer.'), { name: 'TimeoutError' });
          }
          // Half of it is accepted: the worst answer that SQS gives.
          const refused = fault === 'refused' ? entries.filter((_, index) => index % 2 === 0) : [];
          for (let times = 0; times < (fault === 'twice' ? 2 : 1); times += 1) {
            for (const entry of entries) {
              if (!refused.includes(entry)) this.put(entry.MessageBody ?? '', entry.DelaySeconds ?? 0);
            }
          }
          return {
            Failed: refused.map(({ Id }) => ({ Id, Code: 'ServiceUnavailable', SenderFault: false })),
          };
        },
      );
    return { send } as unknown as SQSClient;
  }
}
