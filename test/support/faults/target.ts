import type { CallResult, Invocation, TargetCaller } from '../../../lambdas/core/ports.ts';
import type { EpochMs } from '../../../lambdas/core/time.ts';
import type { CallCounter } from './calls.ts';
import type { Process } from './process.ts';

/** One call that reached the target. */
export interface TargetCall {
  /** Place among all that happened in the world (calls of the target, changes that returned). */
  readonly order: number;
  /** By the clock of the worker. */
  readonly at: EpochMs;
  readonly invocation: Invocation;
  /** The occurrence as the table had it at that moment. */
  readonly item: Record<string, unknown> | undefined;
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

interface TargetDeps {
  readonly calls: CallCounter;
  readonly nextOrder: () => number;
  readonly readItem: (invocation: Invocation) => Promise<TargetCall['item']>;
  readonly behaviour: () => Behaviour;
}

/** A target that keeps what reaches it, by idempotency key and fencing token. */
export function recordingTarget(record: TargetCall[], deps: TargetDeps) {
  return (worker: Process): TargetCaller => ({
    call: (_, invocation, __, signal) =>
      deps.calls.make(worker.life, { process: worker.name, what: 'target', effect: 'target' }, async () => {
        const item = await deps.readItem(invocation);
        const call: TargetCall = { order: deps.nextOrder(), at: worker.clock.now(), invocation, item };
        record.push(call);
        const nth = record.filter(
          (other) => other.invocation.idempotencyKey === invocation.idempotencyKey,
        ).length;
        const result = await deps.behaviour()(invocation, { nth, worker, signal });
        call.answer = result.kind;
        return result;
      }),
  });
}
