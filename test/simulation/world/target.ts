import type { CallResult, Invocation, TargetCaller } from '../../../lambdas/core/ports/target-caller.ts';
import type { EpochMs } from '../../../lambdas/core/time.ts';
import type { CallCounter } from './calls.ts';
import type { Process } from './process.ts';

/** One attempt that reached its target, or the outside worker that is its target. */
export interface TargetCall {
  /** Place among all that happened in the world (calls of the target, changes that returned). */
  readonly order: number;
  /** By the clock of whoever started the attempt. */
  readonly at: EpochMs;
  readonly invocation: Invocation;
  /** The occurrence as the table had it at that moment. */
  readonly item: Record<string, unknown> | undefined;
  /** The last thing that was said of it, heard or not. */
  answer?: CallResult['kind'];
}

export interface TargetTools {
  /** 1-based, among the calls with this idempotency key. */
  readonly nth: number;
  readonly worker: Process;
  readonly signal: AbortSignal;
}

/** What the target does with a call. */
export type Behaviour = (invocation: Invocation, tools: TargetTools) => Promise<CallResult>;

export const succeeds: Behaviour = async () => ({ kind: 'succeeded' });

/** Fails so many times for each occurrence, then succeeds. */
export const failsTimes =
  (times: number): Behaviour =>
  async (_, { nth }) =>
    nth <= times ? { kind: 'failed', retryable: true, detail: 'status 503' } : { kind: 'succeeded' };

interface RecordDeps {
  readonly nextOrder: () => number;
  readonly readItem: (invocation: Invocation) => Promise<TargetCall['item']>;
  /** Told of each call that was recorded. */
  readonly noticed: (call: TargetCall) => Promise<void>;
}

/** All that reached targets and outside workers, by idempotency key and fencing token. */
export class TargetRecord {
  readonly calls: TargetCall[] = [];
  readonly #times = new Map<string, number>();
  readonly #deps: RecordDeps;

  constructor(deps: RecordDeps) {
    this.#deps = deps;
  }

  async add(invocation: Invocation, at: () => EpochMs) {
    const item = await this.#deps.readItem(invocation);
    const call: TargetCall = { order: this.#deps.nextOrder(), at: at(), invocation, item };
    this.calls.push(call);
    const nth = (this.#times.get(invocation.idempotencyKey) ?? 0) + 1;
    this.#times.set(invocation.idempotencyKey, nth);
    await this.#deps.noticed(call);
    return { call, nth };
  }
}

/**
 * A target that keeps what reaches it. Should that fail, the attempt fails as with any fault of a target; `note` is told,
 * so that nobody looks for the reason in the scheduler.
 */
export function recordingTarget(
  record: Pick<TargetRecord, 'add'>,
  calls: CallCounter,
  behaviour: () => Behaviour,
  note: (error: unknown) => void,
) {
  return (worker: Process): TargetCaller => ({
    call: (_, invocation, __, signal) =>
      calls.make(worker.life, { process: worker.name, what: 'target', effect: 'target' }, async () => {
        const { call, nth } = await record.add(invocation, worker.clock.now).catch((error: unknown) => {
          note(error);
          throw error;
        });
        const result = await behaviour()(invocation, { nth, worker, signal });
        call.answer = result.kind;
        return result;
      }),
  });
}
