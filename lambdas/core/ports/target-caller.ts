import type { OccurrenceId, OccurrenceKey, ScheduleId } from '../ids.ts';
import type { Revision } from '../schedule/revision.ts';
import type { Target } from '../targets/index.ts';
import type { EpochMs } from '../time.ts';

/** What every target is given. */
export interface Invocation {
  readonly id: OccurrenceId;
  readonly schedule: ScheduleId;
  readonly scheduledTime: EpochMs;
  /** The nominal times before and after it by the expression of its revision. */
  readonly previousScheduledTime: EpochMs | null;
  readonly nextScheduledTime: EpochMs | null;
  readonly attempt: number;
  readonly kind: OccurrenceKey['kind'];
  /** It comes late, by its catch-up policy. */
  readonly isCatchUp: boolean;
  readonly revision: number;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly input: Revision['definition']['input'];
  /** Given where the target may finish later: what it completes, fails or extends the attempt by. */
  readonly completionToken?: string;
}

export type CallResult =
  | { readonly kind: 'succeeded'; readonly detail?: string }
  /** Taken on, and not finished: somebody will complete or fail it through the API. */
  | { readonly kind: 'accepted'; readonly detail: string }
  | {
      readonly kind: 'failed';
      readonly retryable: boolean;
      readonly detail: string;
      readonly retryAfterMs?: number;
      /** The target is gone for good: its schedule is paused. */
      readonly pauses?: true;
    };

export interface TargetCaller {
  /** Calls once. Aborts with `signal`; an abort or a fault of the network is a failed result, not an exception. */
  call(target: Target, invocation: Invocation, now: EpochMs, signal: AbortSignal): Promise<CallResult>;
}
