/**
 * A queue as SQS describes it (AWS: How Amazon SQS fair queues work), as far as the order of delivery goes. A group
 * is noisy from the moment that it has more than a tenth of what is in flight, and at least thirty messages of it;
 * and again quiet when its backlog is gone. Whoever receives gets messages of quiet groups first, and of noisy ones
 * those of the group with the least in flight. Left out: the measure by processing time, which can only find a noisy group
 * sooner.
 */
const NOISY_SHARE = 0.1;
const NOISY_AT_LEAST = 30;
/** AWS: ReceiveMessage. */
export const MOST_AT_ONCE = 10;

export interface Message {
  readonly group: string;
  /** Milliseconds. */
  readonly dueAt: number;
}

/** What waits of one group, from `first` on. */
interface Line {
  first: number;
  readonly entries: { readonly place: number; readonly message: Message }[];
}

export interface FairQueueOptions {
  readonly fair: boolean;
  /** Milliseconds from the moment that a group is noisy until the queue acts on it: AWS calls its thresholds approximate. */
  readonly detectionMs: number;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #waiting = new Map<string, Line>();
  readonly #inFlight = new Map<string, number>();
  readonly #noisySince = new Map<string, number>();
  #total = 0;
  #place = 0;
  size = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  send(message: Message): void {
    const line = this.#waiting.get(message.group) ?? { first: 0, entries: [] };
    line.entries.push({ place: this.#place++, message });
    this.#waiting.set(message.group, line);
    this.size += 1;
  }

  receive(now: number): Message[] {
    const batch: Message[] = [];
    while (batch.length < MOST_AT_ONCE) {
      const group = this.#next(now);
      const line = group === undefined ? undefined : this.#waiting.get(group);
      const entry = line?.entries[line.first];
      if (group === undefined || line === undefined || entry === undefined) break;
      line.first += 1;
      batch.push(entry.message);
      this.size -= 1;
      if (line.first === line.entries.length) {
        this.#waiting.delete(group);
        this.#noisySince.delete(group);
      }
    }
    for (const { group } of batch) this.#count(group, 1);
    this.#detect(now);
    return batch;
  }

  delete(messages: readonly Message[], now: number): void {
    for (const { group } of messages) this.#count(group, -1);
    this.#detect(now);
  }

  #next(now: number): string | undefined {
    const groups = [...this.#waiting.keys()];
    const place = (group: string) => {
      const line = this.#waiting.get(group);
      return line?.entries[line.first]?.place ?? Number.POSITIVE_INFINITY;
    };
    const quiet = groups.filter((group) => !this.#isNoisy(group, now));
    if (quiet.length > 0) return quiet.reduce((a, b) => (place(b) < place(a) ? b : a));
    const busy = (group: string) => this.#inFlight.get(group) ?? 0;
    return groups.length > 0 ? groups.reduce((a, b) => (busy(b) < busy(a) ? b : a)) : undefined;
  }

  #isNoisy(group: string, now: number): boolean {
    const since = this.#noisySince.get(group);
    return this.#options.fair && since !== undefined && now >= since + this.#options.detectionMs;
  }

  #count(group: string, change: number): void {
    this.#inFlight.set(group, (this.#inFlight.get(group) ?? 0) + change);
    this.#total += change;
  }

  #detect(now: number): void {
    for (const group of this.#waiting.keys()) {
      const own = this.#inFlight.get(group) ?? 0;
      if (own >= NOISY_AT_LEAST && own > NOISY_SHARE * this.#total && !this.#noisySince.has(group)) {
        this.#noisySince.set(group, now);
      }
    }
  }
}
