import { occurrenceId } from '../ids.ts';
import {
  type AttemptRecord,
  type FailureReason,
  MAX_DETAIL_LENGTH,
  type RunningOccurrence,
} from '../occurrence/occurrence.ts';
import type { Settlement, SettleResult } from '../ports/occurrence-store.ts';
import type { RetryPolicy } from '../schedule/definition.ts';
import type { EpochMs } from '../time.ts';
import { type AttemptFailure, decideRetry } from './retry.ts';

/** How a failed attempt ends: by the retry policy, or for good where somebody asked that it be stopped. */
export function failureOf(
  running: RunningOccurrence,
  retry: RetryPolicy | undefined,
  failure: AttemptFailure,
  record: AttemptRecord,
  now: EpochMs,
  /** Why it failed for good, where that is not for the retry policy to say. */
  reason?: FailureReason,
): Settlement {
  const { cancelReason } = running;
  if (cancelReason !== undefined) return { kind: 'cancelled', reason: cancelReason, record };
  // Without its revision nothing says that it may be tried again.
  if (!retry) return { kind: 'failed', record, reason: reason ?? 'not-retryable' };
  const failed = {
    attempt: running.attempt - running.roundBase,
    firstDueAt: running.firstDueAt,
    seed: occurrenceId(running),
  };
  const decision = decideRetry(retry, failed, failure, now);
  if (decision.kind === 'retry') {
    const { dueAt, startBy } = decision;
    return { kind: 'retry', record, dueAt, startBy };
  }
  return { kind: 'failed', record: withNote(record, decision.note), reason: reason ?? decision.reason };
}

/** Of the detail as much as leaves room for the note. */
function withNote(record: AttemptRecord, note: string | undefined): AttemptRecord {
  if (note === undefined) return record;
  const detail = record.detail?.slice(0, MAX_DETAIL_LENGTH - note.length - 1) ?? '';
  return { ...record, detail: `${detail} ${note}`.trim() };
}

export type Settled =
  | { readonly kind: 'done'; readonly settlement: Settlement }
  | { readonly kind: 'lost-lease' };

/** Ends an attempt; one that was to be tried again, and that somebody asked to stop meanwhile, as cancelled. */
export async function settleWith(
  settle: (settlement: Settlement) => Promise<SettleResult>,
  settlement: Settlement,
): Promise<Settled> {
  const result = await settle(settlement);
  if (result.kind !== 'cancel-requested')
    return result.kind === 'done' ? { kind: 'done', settlement } : result;
  const { record } = settlement;
  const cancelled: Settlement = { kind: 'cancelled', reason: result.reason, ...(record && { record }) };
  const again = await settle(cancelled);
  return again.kind === 'done' ? { kind: 'done', settlement: cancelled } : { kind: 'lost-lease' };
}
