import { knownDurationMs } from '../core/duration.ts';
import { idempotencyKey, type OccurrenceId } from '../core/ids.ts';
import type { AttemptRecord, RunningOccurrence } from '../core/occurrence.ts';
import type { CallResult, Clock, OccurrenceStore, Settlement, TargetCaller } from '../core/ports.ts';
import { decideRetry } from '../core/retry.ts';
import type { Revision } from '../core/schedule.ts';
import { type EpochMs, epochMs } from '../core/time.ts';
import { holdLease } from './lease-keeper.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly occurrences: Pick<OccurrenceStore, 'renew' | 'settle'>;
  readonly targets: TargetCaller;
  readonly leaseMs: number;
}

export type AttemptEnd =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'retry'; readonly detail: string; readonly dueAt: EpochMs }
  /** The lease was lost while the target ran, or before the end could be written: somebody else settles it. */
  | { readonly kind: 'lost-lease' };

/** Calls the target under the lease, and settles. */
export async function runAttempt(
  deps: AttemptDeps,
  id: OccurrenceId,
  running: RunningOccurrence,
  revision: Revision | undefined,
): Promise<AttemptEnd> {
  const called = revision
    ? await callTarget(deps, id, running, revision)
    : { result: fault(`Revision ${running.revision} of ${running.schedule} is not in the table.`, false) };
  if (called.result === 'lost-lease') return { kind: 'lost-lease' };

  const now = deps.clock.now();
  const settlement = settlementOf(id, running, revision, called.result, called.timedOut ?? false, now);
  const settled = await deps.occurrences.settle(running, settlement, now);
  if (settled.kind === 'lost-lease') return { kind: 'lost-lease' };
  return endOf(settlement);
}

const fault = (detail: string, retryable: boolean): CallResult => ({ kind: 'failed', retryable, detail });

interface Called {
  readonly result: CallResult | 'lost-lease';
  readonly timedOut?: boolean;
}

async function callTarget(
  deps: AttemptDeps,
  id: OccurrenceId,
  running: RunningOccurrence,
  { definition }: Revision,
): Promise<Called> {
  const { clock } = deps;
  const timeoutAt = epochMs(running.attemptStartedAt + knownDurationMs(definition.timeout));
  const call = new AbortController();
  const ended = new AbortController();
  let timedOut = false;
  const watchdog = clock.until(timeoutAt, ended.signal).then(() => {
    if (ended.signal.aborted) return;
    timedOut = true;
    call.abort(new Error(`timed out after ${definition.timeout}`));
  });
  const lease = holdLease(deps, running, ended.signal, () => call.abort(new Error('the lease was lost')));
  const invocation = {
    id,
    schedule: running.schedule,
    scheduledTime: running.scheduledTime,
    attempt: running.attempt,
    kind: running.kind,
    revision: running.revision,
    idempotencyKey: idempotencyKey(id),
    fencingToken: running.fencingToken,
    input: definition.input,
  };
  try {
    const result = await deps.targets.call(definition.target, invocation, clock.now(), call.signal);
    // A target that answered although the lease was lost is not believed: another attempt may be under way.
    return lease.lost()
      ? { result: 'lost-lease' }
      : { result, timedOut: timedOut && result.kind === 'failed' };
  } catch (error) {
    if (lease.lost()) return { result: 'lost-lease' };
    return { result: fault(error instanceof Error ? error.message : String(error), true), timedOut };
  } finally {
    ended.abort();
    await Promise.all([watchdog, lease.stopped]);
  }
}

function settlementOf(
  id: OccurrenceId,
  running: RunningOccurrence,
  revision: Revision | undefined,
  result: CallResult,
  timedOut: boolean,
  now: EpochMs,
): Settlement {
  const record: AttemptRecord = {
    attempt: running.attempt,
    startedAt: running.attemptStartedAt,
    finishedAt: now,
    outcome: result.kind === 'succeeded' ? 'succeeded' : timedOut ? 'timed-out' : 'failed',
    ...(result.detail !== undefined && { detail: result.detail }),
  };
  if (result.kind === 'succeeded') return { kind: 'succeeded', record };
  if (!revision) return { kind: 'failed', record, reason: 'not-retryable' };
  const failed = { attempt: running.attempt, firstDueAt: running.firstDueAt, seed: id };
  const decision = decideRetry(revision.definition.retry, failed, result, now);
  return decision.kind === 'retry'
    ? { kind: 'retry', record, dueAt: decision.dueAt }
    : { kind: 'failed', record, reason: decision.reason };
}

function endOf(settlement: Settlement): AttemptEnd {
  switch (settlement.kind) {
    case 'succeeded':
      return { kind: 'succeeded' };
    case 'retry':
      return { kind: 'retry', detail: settlement.record.detail ?? '', dueAt: settlement.dueAt };
    case 'failed':
      return { kind: 'failed', detail: settlement.record.detail ?? settlement.reason };
    case 'cancelled':
      return { kind: 'failed', detail: settlement.reason };
  }
}
