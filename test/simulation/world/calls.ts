import { type EpochMs, epochMs, SECOND } from '../../../lambdas/core/time.ts';
import { type Life, never, startLife } from './life.ts';
import type { VirtualTime } from './time.ts';

/** One call of the outside world by a process: DynamoDB, the work queue or the target. */
export interface Call {
  /** 1-based, in the order in which they are made. */
  readonly number: number;
  readonly process: string;
  /** `UpdateItem`, `Query due`, `SendMessageBatch`, `target`. */
  readonly what: string;
  readonly effect: Effect;
  /** The sort key of the single item that it writes: `O#…` of an occurrence. */
  readonly sortKey?: string | undefined;
  /** No other call was under way when it was made. */
  readonly alone: boolean;
}

/** What a call can change, which decides how it can go wrong. */
export type Effect = 'read' | 'index' | 'write' | 'transaction' | 'send' | 'target';

export type Fault =
  /** The process dies before the call is made, or after it took effect and before it was answered. */
  | 'crash-before'
  | 'crash-after'
  /** Carried out twice, as when the answer is lost on its way and the SDK repeats the request. */
  | 'twice'
  /** Carried out and answered; a copy that was on its way for long arrives again, whoever lives by then. */
  | 'again-late'
  /** The process dies, and its request arrives long after that. */
  | 'arrives-late'
  /** Carried out, and no answer comes until the client's time-out; it repeats the request. */
  | 'unanswered'
  /** Never arrives, which its client finds out by its time-out; it repeats the request. */
  | 'unheard'
  /** No attempt of it arrives or is answered, until the SDK gives up. */
  | 'silent'
  /** Refused at first for being too fast, or because of a transaction under way; the SDK's retries get through. */
  | 'throttled'
  | 'conflict'
  /** Refused until the SDK gives up. */
  | 'refused'
  /** An index that does not show yet what was written last: it answers nothing. */
  | 'stale';

export interface Faults {
  /** Asked once for each call. */
  of(call: Call): Fault | undefined;
}

export const NO_FAULTS: Faults = { of: () => undefined };

export function faultAt(number: number, fault: Fault): Faults {
  return { of: (call) => (call.number === number ? fault : undefined) };
}

/** At every call that it can happen to. */
export function faultEverywhere(fault: Fault): Faults {
  return { of: (call) => (applies(fault, call) ? fault : undefined) };
}

/** Whether a fault makes a difference at a call at all. */
export function applies(fault: Fault, { effect }: Pick<Call, 'effect'>): boolean {
  switch (fault) {
    case 'crash-before':
    case 'crash-after':
      return true;
    case 'twice':
    case 'again-late':
    case 'arrives-late':
    case 'unanswered':
      return effect === 'write' || effect === 'transaction' || effect === 'send';
    case 'unheard':
    case 'silent':
    case 'throttled':
      return effect !== 'target' && effect !== 'send';
    case 'conflict':
      return effect === 'write' || effect === 'transaction';
    case 'refused':
      return effect !== 'target';
    case 'stale':
      return effect === 'index';
  }
}

/** How late a copy arrives: longer than any lease of a worker. */
export const LATE = 40 * SECOND;

interface Hook {
  readonly matches: (call: Call) => boolean;
  readonly run: () => Promise<unknown>;
}

/** Counts the calls of all processes of a world, and makes them go wrong as planned. */
export class CallCounter {
  readonly made: Call[] = [];
  /** How many of them may have changed a table. */
  writes = 0;
  faults: Faults = NO_FAULTS;
  /** How many requests were late on their way: what they ask for may come about at any time. */
  areLate = 0;
  #hooks: Hook[] = [];
  readonly #time: VirtualTime;
  readonly #onCrash: () => void;
  readonly #onHookError: (error: unknown) => void;

  constructor(time: VirtualTime, onCrash: () => void, onHookError: (error: unknown) => void) {
    this.#time = time;
    this.#onCrash = onCrash;
    this.#onHookError = onHookError;
  }

  /** Once, just before the next call that matches, something else happens: the race that a scenario is about. */
  before(matches: Hook['matches'], run: Hook['run']): void {
    this.#hooks.push({ matches, run });
  }

  /** What was to happen meanwhile does not happen any more. */
  forget(): void {
    this.#hooks = [];
  }

  /** What is on its way arrives long after it was sent, whatever became of its sender. */
  arriveLate(run: () => Promise<unknown>): void {
    this.areLate += 1;
    const network = this.#time.clock(startLife());
    const arrival = network.until(epochMs(this.#time.now() + LATE));
    void arrival.then(() => this.#time.busy(run)).catch(this.#onHookError);
  }

  readonly now = (): EpochMs => this.#time.now();

  /** A call under way waits for what does not come; time passes. */
  sleep(ms: number, life: Life): Promise<void> {
    return this.#time.asleep(epochMs(this.#time.now() + ms), life);
  }

  async make<Answer>(
    life: Life,
    about: Pick<Call, 'process' | 'what' | 'effect' | 'sortKey'>,
    carryOut: (fault: Fault | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    if (!life.alive) return never();
    const call = { ...about, number: this.made.length + 1, alone: this.#time.inFlight === 0 };
    this.made.push(call);
    if (call.effect === 'write' || call.effect === 'transaction') this.writes += 1;
    const planned = this.faults.of(call);
    const fault = planned !== undefined && applies(planned, call) ? planned : undefined;
    if (fault === 'crash-before') this.#onCrash();
    await this.#runHooks(call);
    if (fault === 'arrives-late' && life.alive) {
      this.arriveLate(() => carryOut(undefined));
      this.#onCrash();
    }
    if (!life.alive) return never();
    // A target may take its time, and time must pass for it.
    const ended = call.effect === 'target' ? carryOut(fault) : this.#time.busy(() => carryOut(fault));
    if (fault === 'crash-after') {
      // Killed once it took effect: the answer, good or bad, reaches nobody.
      await ended.catch(() => {});
      this.#onCrash();
    }
    try {
      const answer = await ended;
      return life.alive ? answer : never();
    } catch (error) {
      if (!life.alive) return never();
      throw error;
    }
  }

  async #runHooks(call: Call): Promise<void> {
    const [hook] = this.#hooks.filter(({ matches }) => matches(call));
    if (!hook) return;
    this.#hooks = this.#hooks.filter((other) => other !== hook);
    // What goes wrong in it is for whoever it stands for, not for the process that it meets.
    await hook.run().catch((error) => this.#onHookError(error));
  }
}
