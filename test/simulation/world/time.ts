import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../lambdas/core/ports/clock.ts';
import { type EpochMs, epochMs } from '../../../lambdas/core/time.ts';
import { type Life, never } from './life.ts';

interface Wait {
  readonly at: EpochMs;
  readonly life: Life;
  readonly done: () => void;
}

/**
 * Time that passes only when nothing else can happen: while a call is under way at the engine it stands still,
 * and when all that is left is waiting, it moves to the end of the shortest wait. A run over hours of it takes
 * milliseconds, and takes the same course each time.
 */
export class VirtualTime {
  #now: EpochMs;
  #waits: Wait[] = [];
  #inFlight = 0;
  #watchers: (() => void)[] = [];
  #driving = false;

  constructor(start: EpochMs) {
    this.#now = start;
  }

  now(): EpochMs {
    return this.#now;
  }

  /** Calls under way at this moment. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The clock that a process reads: true time, and how far that machine is off. It stops with the process. */
  clock(life: Life, skew: () => number = () => 0): Clock {
    return {
      now: () => epochMs(this.#now + skew()),
      until: (at, signal) => {
        const due = epochMs(at - skew());
        if (!life.alive) return never();
        if (due <= this.#now || signal?.aborted) return Promise.resolve();
        return new Promise((resolve) => {
          const wait = { at: due, life, done: resolve };
          this.#waits.push(wait);
          signal?.addEventListener('abort', () => {
            this.#waits = this.#waits.filter((other) => other !== wait);
            resolve();
          });
        });
      },
    };
  }

  moveTo(at: EpochMs): void {
    if (at < this.#now) throw new Error('True time does not go back; a clock that reads it may.');
    this.#now = at;
    const over = this.#waits.filter((wait) => wait.at <= at);
    this.#waits = this.#waits.filter((wait) => wait.at > at);
    for (const { done } of over) done();
  }

  /** Time stands still while `call` is under way. */
  async busy<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    this.#inFlight += 1;
    try {
      return await call();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const wake of this.#watchers.splice(0)) wake();
    }
  }

  /** A call under way waits until `at` for what is not the engine: time may pass. Its process may die meanwhile. */
  async asleep(at: EpochMs, life: Life): Promise<void> {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const wake of this.#watchers.splice(0)) wake();
    await this.clock(life).until(at);
    this.#inFlight += 1;
  }

  /** Resolves when no call is under way and what followed from the last one has happened. */
  async idle(): Promise<void> {
    do {
      if (this.#inFlight > 0) await new Promise<void>((wake) => this.#watchers.push(wake));
      await turn();
    } while (this.#inFlight > 0);
  }

  /** Lets work come to its end, moving time whenever it only waits. Within another drive it just goes along. */
  async drive<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    if (this.#driving) return run();
    this.#driving = true;
    let ended = false;
    const end = () => {
      ended = true;
    };
    try {
      const work = run();
      work.then(end, end);
      for (;;) {
        await this.idle();
        if (ended) return await work;
        this.#waits = this.#waits.filter(({ life }) => life.alive);
        const next = Math.min(...this.#waits.map(({ at }) => at));
        if (next === Number.POSITIVE_INFINITY)
          throw new Error('Stuck: it waits for something that is neither a call nor the clock.');
        this.moveTo(epochMs(next));
      }
    } finally {
      this.#driving = false;
    }
  }
}
