import { createSchedulerEvents } from '../../lambdas/adapters/scheduler-events.ts';
import { count } from '../../lambdas/adapters/telemetry.ts';
import { type OccurrenceKey, occurrenceId } from '../../lambdas/core/ids.ts';
import type { PendingOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import type { OpenPosition, SweepMemory, SweepStore } from '../../lambdas/core/ports/sweep-store.ts';
import { DAY, type EpochMs, epochMs, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { type SweepDeps, sweep } from '../../lambdas/sweep/sweep.ts';
import { at, NOON } from '../support/fixtures.ts';
import { pending } from '../support/occurrences.ts';
import { NO_SLOTS } from '../support/sweep.ts';

/** AWS: a record of a DynamoDB stream is kept for so long. */
const STREAM_RETENTION = DAY;
const PAGE = 100;

/**
 * A deployment whose only bottleneck is how fast its workers start things: the real sweep over occurrences in memory,
 * with a stream that a relay reads, a queue, and workers that take so many messages a second. Seconds pass in steps.
 */
export class Overload {
  now: EpochMs;
  isRelayUp = true;
  areWorkersUp = true;
  /** Handed over again by each sweep. */
  readonly handedOver: number[] = [];
  /** Messages of what had been started already. */
  copies = 0;
  started = 0;
  readonly #startsPerSecond: number;
  readonly #waiting = new Map<number, PendingOccurrence>();
  #order: number[] = [];
  #stream: { readonly index: number; readonly at: EpochMs }[] = [];
  #queue: number[] = [];
  #memory: SweepMemory | undefined;

  constructor(startsPerSecond: number) {
    this.now = NOON;
    this.#startsPerSecond = startsPerSecond;
  }

  /** So many come due now; their records are in the stream. */
  add(count: number): void {
    const first = this.#order.length;
    for (let index = first; index < first + count; index += 1) {
      const scheduledTime = at(-DAY + index);
      this.#waiting.set(index, pending({ scheduledTime, dueAt: this.now, createdAt: this.now }));
      this.#order.push(index);
      this.#stream.push({ index, at: this.now });
    }
  }

  purgeQueue(): void {
    this.#queue = [];
  }

  /** One message is lost. */
  loseFirst(): void {
    this.#queue.shift();
  }

  get left(): number {
    return this.#waiting.size;
  }

  /** So many seconds, with a sweep at each full minute. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      if ((this.now - NOON) % MINUTE === 0) await this.#sweep();
      if (this.isRelayUp) this.#relay();
      if (this.areWorkersUp) this.#work();
      this.now = epochMs(this.now + SECOND);
    }
  }

  #relay(): void {
    for (const { index, at: written } of this.#stream)
      if (this.now - written < STREAM_RETENTION) this.#queue.push(index);
    this.#stream = [];
  }

  #work(): void {
    for (const index of this.#queue.splice(0, this.#startsPerSecond)) {
      if (this.#waiting.delete(index)) this.started += 1;
      else this.copies += 1;
    }
  }

  async #sweep(): Promise<void> {
    const { redispatched, failures } = await sweep(this.#deps(), { shards: [0], reissue: false });
    if (failures.length > 0) throw failures[0]?.error;
    this.handedOver.push(redispatched);
  }

  #deps(): SweepDeps {
    const indexOf = ({ scheduledTime }: OccurrenceKey) => scheduledTime - at(-DAY);
    const open: SweepStore = {
      openPage: async ({ kind }, until, after) => {
        if (kind === 'pull') return { keys: [] };
        const from = after === undefined ? 0 : Number(after.key);
        const keys: OccurrenceKey[] = [];
        let index = from;
        for (; index < this.#order.length && keys.length < PAGE; index += 1) {
          const one = this.#waiting.get(index);
          if (one && one.dueAt <= until) keys.push(one);
        }
        const next: OpenPosition = { key: String(index), at: this.now };
        return index < this.#order.length ? { keys, next } : { keys };
      },
      readOpen: async (keys) => keys.flatMap((key) => this.#waiting.get(indexOf(key)) ?? []),
      readMemory: async () => this.#memory,
      writeMemory: async (_, memory) => {
        this.#memory = JSON.parse(JSON.stringify(memory));
      },
    };
    const occurrences = {
      slots: NO_SLOTS,
      readOccurrence: async (key: OccurrenceKey) => this.#waiting.get(indexOf(key)),
      redispatch: async (one: PendingOccurrence, now: EpochMs) => {
        const index = indexOf(one);
        const { sends, redispatches } = one;
        const sent = { sends: sends + 1, redispatches: redispatches + 1, redispatchedAt: now };
        this.#waiting.set(index, { ...one, ...sent });
        this.#stream.push({ index, at: this.now });
        return { kind: 'done' } as const;
      },
    };
    return {
      occurrences,
      open,
      messages: { counts: async () => ({ visible: this.#queue.length, inFlight: 0 }) },
      schedules: {},
      revisionOf: async (one: OccurrenceKey) =>
        Promise.reject(new Error(`${occurrenceId(one)} does not run.`)),
      events: createSchedulerEvents(count, () => {}),
      redispatchMs: 2 * MINUTE,
      stopAt: epochMs(this.now + MINUTE),
      now: () => this.now,
    } as unknown as SweepDeps;
  }
}
