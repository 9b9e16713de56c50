import { isPunctualError } from '../../../lambdas/core/errors.ts';
import type { CallResult, Invocation } from '../../../lambdas/core/ports/target-caller.ts';
import { type EpochMs, epochMs, SECOND } from '../../../lambdas/core/time.ts';
import type { ApiClient } from './client.ts';
import { Crashed } from './life.ts';
import type { TargetCall } from './target.ts';

/** Between two looks of an outside worker at its queue, and before a request that was not answered is sent again. */
const PAUSE = 20 * SECOND;
/** Occurrences that it takes at once. */
const HANDS = 5;

/** How somebody outside deals with what was handed to them. */
export interface Work {
  readonly lastsMs: number;
  readonly says: 'complete' | 'fail';
  /** Says half-way that it goes on. */
  readonly heartbeat?: boolean;
}

interface Errand {
  at: EpochMs;
  readonly run: () => Promise<void>;
}

interface Puller {
  at: EpochMs;
  readonly queue: string;
  /** `nth`: 1-based, among what was handed out with one idempotency key. */
  readonly work: (nth: number) => Work;
}

interface OutsideDeps {
  readonly client: Pick<ApiClient, 'pull' | 'complete' | 'fail' | 'heartbeat'>;
  readonly now: () => EpochMs;
  /** What reached targets and outside workers so far. */
  readonly calls: readonly TargetCall[];
  /** Records that an attempt has reached an outside worker. */
  readonly record: (invocation: Invocation) => Promise<{ readonly nth: number }>;
  /** Told of requests that came to nothing. */
  readonly note: (error: unknown) => void;
}

/**
 * Whoever finishes attempts from outside: targets that took a call on, and workers that claim from a queue. As any
 * good client they send again what was not answered.
 */
export class Outside {
  #errands: Errand[] = [];
  #puller: Puller | undefined;
  readonly #deps: OutsideDeps;

  constructor(deps: OutsideDeps) {
    this.#deps = deps;
  }

  /** When there is next something to do; undefined when there is nothing. */
  nextAt(): EpochMs | undefined {
    const next = Math.min(...this.#errands.map(({ at }) => at), this.#puller?.at ?? Number.POSITIVE_INFINITY);
    return next === Number.POSITIVE_INFINITY ? undefined : epochMs(next);
  }

  /** From now on a worker looks at this queue. */
  pullFrom(queue: string, work: Puller['work']): void {
    this.#puller = { queue, work, at: this.#deps.now() };
  }

  /** Takes on what a target was called for. */
  takeOn({ id, fencingToken, completionToken }: Invocation, work: Work): CallResult {
    if (completionToken === undefined) throw new Error(`${id} came without a completion token.`);
    const { client, now, calls } = this.#deps;
    const isThis = ({ invocation }: TargetCall) =>
      invocation.id === id && invocation.fencingToken === fencingToken;
    const report = async () => {
      const call = calls.find(isThis);
      if (call) call.answer = work.says === 'complete' ? 'succeeded' : 'failed';
      await client[work.says](id, completionToken);
    };
    if (work.heartbeat) {
      const run = () => client.heartbeat(id, completionToken);
      this.#errands.push({ at: epochMs(now() + work.lastsMs / 2), run });
    }
    this.#errands.push({ at: epochMs(now() + work.lastsMs), run: report });
    return { kind: 'accepted', detail: 'it goes on' };
  }

  /** Does one thing that is due; answers whether there was one. */
  async act(): Promise<boolean> {
    const now = this.#deps.now();
    const puller = this.#puller;
    if (puller && puller.at <= now) {
      puller.at = epochMs(now + PAUSE);
      await this.#isAnswered(() => this.#pull(puller));
      return true;
    }
    const errand = this.#errands.find(({ at }) => at <= now);
    if (!errand) return false;
    // Before it is run: where everything dies in it, it is run again all the same.
    errand.at = epochMs(now + PAUSE);
    if (await this.#isAnswered(errand.run)) this.#errands = this.#errands.filter((other) => other !== errand);
    return true;
  }

  async #pull({ queue, work }: Puller): Promise<void> {
    const { client, record } = this.#deps;
    const time = (text: string) => epochMs(Date.parse(text));
    for (const pulled of await client.pull(queue, HANDS)) {
      const { scheduledTime, previousScheduledTime: before, nextScheduledTime: after } = pulled;
      const invocation: Invocation = {
        ...pulled,
        id: pulled.id as Invocation['id'],
        schedule: pulled.schedule as Invocation['schedule'],
        kind: pulled.kind as Invocation['kind'],
        input: pulled.input as Invocation['input'],
        scheduledTime: time(scheduledTime),
        previousScheduledTime: before === null ? null : time(before),
        nextScheduledTime: after === null ? null : time(after),
      };
      this.takeOn(invocation, work((await record(invocation)).nth));
    }
  }

  /** A token that ends nothing any more is an answer too. */
  async #isAnswered(request: () => Promise<void>): Promise<boolean> {
    try {
      await request();
      return true;
    } catch (error) {
      if (error instanceof Crashed) throw error;
      if (isPunctualError(error) && error.code === 'occurrence.stale-token') return true;
      this.#deps.note(error);
      return false;
    }
  }
}
