import { heartbeatTimeoutMs } from '../core/attempt/completion.ts';
import { type FinishDeps, finishAttempt } from '../core/attempt/finish-attempt.ts';
import { adjacentTimes, invocationOf } from '../core/attempt/invocation.ts';
import { failureOf } from '../core/attempt/settle.ts';
import { knownDurationMs } from '../core/duration.ts';
import type { AttemptRecord, CancelReason, RunningOccurrence } from '../core/occurrence/occurrence.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { OccurrenceStore, Settlement } from '../core/ports/occurrence-store.ts';
import type { CallResult, TargetCaller } from '../core/ports/target-caller.ts';
import type { ScheduleHead } from '../core/schedule/head.ts';
import type { Revision } from '../core/schedule/revision.ts';
import { type EpochMs, epochMs, SECOND } from '../core/time.ts';
import { holdLease, type StopReason } from './lease-keeper.ts';

/** Milliseconds that a call is given to say how it ended once it is aborted. One that does not is left behind. */
const STOP_WITHIN = SECOND;

export interface AttemptDeps extends FinishDeps {
  readonly clock: Clock;
  readonly occurrences: FinishDeps['occurrences'] & Pick<OccurrenceStore, 'renew' | 'settle' | 'detach'>;
  readonly targets: TargetCaller;
  readonly leaseMs: number;
}

export type AttemptEnd =
  | { readonly kind: 'succeeded' }
  /** The target goes on by itself, under the lease, until it is completed or failed through the API. */
  | { readonly kind: 'accepted' }
  /** For good; `gone` when the target said so of itself. */
  | {
      readonly kind: 'failed';
      readonly detail: string;
      readonly gone?: true;
      /** The note that its schedule was paused with because of this end. */
      readonly paused?: string;
    }
  | { readonly kind: 'retry'; readonly detail: string; readonly dueAt: EpochMs }
  | { readonly kind: 'cancelled'; readonly reason: CancelReason }
  /** The lease was lost while the target ran, or before the end could be written: somebody else settles it. */
  | { readonly kind: 'lost-lease' };

/** Calls the target under the lease, and settles. */
export async function runAttempt(
  deps: AttemptDeps,
  running: RunningOccurrence,
  head: ScheduleHead,
  revision: Revision | undefined,
): Promise<AttemptEnd> {
  // The answer to the claim, or the look at the head, took longer than the lease: another may be at it by now.
  if (deps.clock.now() >= running.lease.expiresAt) return { kind: 'lost-lease' };
  const called: Called = revision
    ? await callTarget(deps, running, head, revision)
    : { result: fault(`Revision ${running.revision} of ${running.schedule} is not in the table.`, false) };
  if (called.stop?.kind === 'lost-lease') return { kind: 'lost-lease' };

  const now = deps.clock.now();
  if (called.result.kind === 'accepted' && revision) {
    const detached = await deps.occurrences.detach(
      running,
      epochMs(now + heartbeatTimeoutMs(revision.definition)),
    );
    return detached.kind === 'done' ? { kind: 'accepted' } : { kind: 'lost-lease' };
  }
  const settlement = settlementOf(running, revision, called, now);
  const ending = { running, head, revision, isGone: isGone(called.result) };
  const settle = (end: Settlement) => deps.occurrences.settle(running, end, now);
  const finished = await finishAttempt(deps, ending, settle, settlement, () => deps.clock.now());
  if (finished.kind === 'lost-lease') return finished;
  const end = endOf(finished.settlement);
  if (end.kind !== 'failed') return end;
  const { paused } = finished;
  return { ...end, ...(ending.isGone && { gone: true }), ...(paused !== undefined && { paused }) };
}

const isGone = (result: CallResult): boolean => result.kind === 'failed' && result.pauses === true;

const fault = (detail: string, retryable: boolean): CallResult => ({ kind: 'failed', retryable, detail });

interface Called {
  readonly result: CallResult;
  readonly timedOut?: boolean;
  /** Set when the call was stopped before it had succeeded. */
  readonly stop?: StopReason;
}

async function callTarget(
  deps: AttemptDeps,
  running: RunningOccurrence,
  head: ScheduleHead,
  revision: Revision,
): Promise<Called> {
  const { clock } = deps;
  const { definition } = revision;
  const invocation = invocationOf(running, revision, adjacentTimes(head, revision));
  const timeoutAt = epochMs(running.attemptStartedAt + knownDurationMs(definition.timeout));
  const call = new AbortController();
  const ended = new AbortController();
  let timedOut = false;
  const watchdog = clock.until(timeoutAt, ended.signal).then(() => {
    if (ended.signal.aborted) return;
    timedOut = true;
    call.abort(new Error(`timed out after ${definition.timeout}`));
  });
  const lease = holdLease(deps, running, ended.signal, ({ kind }) => call.abort(new Error(kind)));
  const called = (result: CallResult): Called => {
    const stop = lease.stop();
    // A target that answered although the lease was lost is not believed: another attempt may be under way.
    if (stop?.kind === 'lost-lease') return { result, stop };
    if (result.kind === 'succeeded' && definition.completion === 'callback') {
      return { result: { kind: 'accepted', detail: result.detail ?? '' } };
    }
    if (result.kind !== 'failed') return { result };
    return { result, timedOut, ...(stop && { stop }) };
  };
  try {
    const answer = deps.targets.call(definition.target, invocation, clock.now(), call.signal);
    return called(await Promise.race([answer, givenUp(clock, call.signal, ended.signal)]));
  } catch (error) {
    return called(fault(error instanceof Error ? error.message : String(error), true));
  } finally {
    ended.abort();
    await Promise.all([watchdog, lease.stopped]);
  }
}

/**
 * Fails a call a moment after its abort, whatever its client does: nothing that a target does or leaves undone may
 * keep an attempt going.
 */
async function givenUp(clock: Clock, aborted: AbortSignal, ended: AbortSignal): Promise<CallResult> {
  if (!aborted.aborted)
    await new Promise((resolve) => aborted.addEventListener('abort', resolve, { once: true }));
  await clock.until(epochMs(clock.now() + STOP_WITHIN), ended);
  return fault((aborted.reason as Error).message, true);
}

function settlementOf(
  running: RunningOccurrence,
  revision: Revision | undefined,
  { result, timedOut, stop }: Called,
  now: EpochMs,
): Settlement {
  const record = (outcome: AttemptRecord['outcome']): AttemptRecord => ({
    attempt: running.attempt,
    startedAt: running.attemptStartedAt,
    finishedAt: now,
    outcome,
    ...(result.detail !== undefined && { detail: result.detail }),
  });
  if (result.kind !== 'failed') return { kind: 'succeeded', record: record('succeeded') };
  if (stop?.kind === 'cancel-requested') {
    return { kind: 'cancelled', reason: stop.reason, record: record('cancelled') };
  }
  const failure = record(timedOut ? 'timed-out' : 'failed');
  return failureOf(running, revision?.definition.retry, result, failure, now);
}

function endOf(settlement: Settlement): AttemptEnd {
  switch (settlement.kind) {
    case 'succeeded':
      return { kind: 'succeeded' };
    case 'retry':
      return { kind: 'retry', detail: settlement.record?.detail ?? '', dueAt: settlement.dueAt };
    case 'failed':
      return { kind: 'failed', detail: settlement.record.detail ?? settlement.reason };
    case 'cancelled':
      return { kind: 'cancelled', reason: settlement.reason };
  }
}
