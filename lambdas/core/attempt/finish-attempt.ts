import type { RunningOccurrence } from '../occurrence/occurrence.ts';
import type { Settlement, SettleResult } from '../ports/occurrence-store.ts';
import type { EventDeps } from '../ports/scheduler-events.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Revision } from '../schedule/revision.ts';
import type { EpochMs } from '../time.ts';
import { type AfterFailureDeps, afterFailure } from './after-failure.ts';
import { type AfterSuccessDeps, afterSuccess } from './after-success.ts';
import { settleWith } from './settle.ts';

export interface FinishDeps extends AfterFailureDeps, AfterSuccessDeps, EventDeps {
  readonly schedules: AfterFailureDeps['schedules'];
}

export interface EndingAttempt {
  readonly running: RunningOccurrence;
  readonly revision: Revision | undefined;
  /** As it was read for the attempt; read anew when absent. */
  readonly head?: ScheduleHead;
  /** The target said that it is gone. */
  readonly isGone?: boolean;
}

export type Finished =
  | {
      readonly kind: 'done';
      readonly settlement: Settlement;
      /** The note that its schedule was paused with because of this end. */
      readonly paused?: string;
    }
  | { readonly kind: 'lost-lease' };

/**
 * The one end of an attempt: settles it, tells how it ended, notes a success and pauses after failures. `settle` is the
 * write, by whoever holds the attempt or has seen its lease expire. What follows the write may be lost: the ledger has
 * it, and the next failure, or the sweep's look at watches, finds it there.
 */
export async function finishAttempt(
  deps: FinishDeps,
  { running, revision, head, isGone = false }: EndingAttempt,
  settle: (settlement: Settlement) => Promise<SettleResult>,
  settlement: Settlement,
  now: () => EpochMs,
): Promise<Finished> {
  const settled = await settleWith(settle, settlement);
  if (settled.kind !== 'done' || settled.settlement.kind === 'cancelled') return settled;
  const { kind, record } = settled.settlement;
  const known = head ?? (await deps.schedules.readHead(running.schedule));
  deps.events.attemptEnded(running, known, kind, now());
  if (kind === 'succeeded') await afterSuccess(deps, running, known, now());
  if (kind !== 'failed') return settled;
  const gone = isGone ? (record.detail ?? '') : undefined;
  const paused = await afterFailure(deps, { occurrence: running, revision, gone }, now());
  return paused === undefined ? settled : { ...settled, paused };
}
