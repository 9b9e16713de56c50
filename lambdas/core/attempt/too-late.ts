import type { PendingOccurrence } from '../occurrence/occurrence.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import { type EventDeps, tellNotRun } from '../ports/scheduler-events.ts';
import type { Revision } from '../schedule/revision.ts';
import type { EpochMs } from '../time.ts';
import { type AfterFailureDeps, afterFailure } from './after-failure.ts';

export interface TooLateDeps extends EventDeps {
  readonly schedules: AfterFailureDeps['schedules'];
  readonly occurrences: AfterFailureDeps['occurrences'] & Pick<OccurrenceStore, 'miss' | 'giveUp'>;
  readonly revisionOf: (
    of: Pick<PendingOccurrence, 'schedule' | 'revision'>,
  ) => Promise<Revision | undefined>;
}

export type TooLate =
  /** It was past its start deadline. */
  | { readonly kind: 'missed' }
  /** A retry that could not start within `retry.maxAge`; `paused`: its schedule, with this note, because of it. */
  | { readonly kind: 'gave-up'; readonly paused?: string }
  /** Somebody else has moved it on. */
  | { readonly kind: 'changed' };

export function isTooLate({ startBy }: Pick<PendingOccurrence, 'startBy'>, now: EpochMs): boolean {
  return startBy !== undefined && startBy < now;
}

/** Ends what may start no more: whoever comes upon it does. */
export async function endTooLate(
  deps: TooLateDeps,
  pending: PendingOccurrence,
  now: EpochMs,
): Promise<TooLate> {
  const { schedule } = pending;
  if (pending.attempt === pending.roundBase) {
    if ((await deps.occurrences.miss(pending, now)).kind !== 'done') return { kind: 'changed' };
    await tellNotRun(deps, schedule, 'missed');
    return { kind: 'missed' };
  }
  if ((await deps.occurrences.giveUp(pending, now)).kind !== 'done') return { kind: 'changed' };
  await tellNotRun(deps, schedule, 'gave-up');
  const failure = { occurrence: pending, revision: await deps.revisionOf(pending) };
  const paused = await afterFailure(deps, failure, now);
  return { kind: 'gave-up', ...(paused !== undefined && { paused }) };
}
