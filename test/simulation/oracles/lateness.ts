import { knownDurationMs } from '../../../lambdas/core/duration.ts';
import type { OccurrenceId } from '../../../lambdas/core/ids.ts';
import type { CatchUpPolicy } from '../../../lambdas/core/schedule/definition.ts';
import { type EpochMs, epochMs, MINUTE, SECOND, toIso } from '../../../lambdas/core/time.ts';

/** docs/time.md: a time that can start only this long after it was due is late. */
const LATE = MINUTE;
/** How far clocks may be apart, and what it takes from a decision to a call. */
const SLACK = 10 * SECOND;

/** The first call of a time of a recurrence, that nobody moved and that did not wait for a slot. */
export interface TimelyCall {
  readonly id: OccurrenceId;
  readonly scheduledTime: EpochMs;
  readonly dueAt: EpochMs;
  /** When it was claimed for that call. */
  readonly at: EpochMs;
  readonly catchUp: CatchUpPolicy;
  /** The nominal times after its own, up to then. */
  readonly timesUntil: (end: EpochMs) => readonly EpochMs[];
}

/** Invariant 6: however a run came to be late, it is within the catch-up budget of its schedule. */
export function lateFaults(calls: readonly TimelyCall[]): string[] {
  return calls.flatMap((call) => {
    const { id, at, scheduledTime, catchUp } = call;
    if (at - scheduledTime <= LATE + SLACK) return [];
    const late = `${id} started at ${toIso(at)}, ${Math.round((at - scheduledTime) / SECOND)} s late`;
    if (catchUp.mode === 'skip') return [`${late}, where what is late is skipped`];
    const decided = decidedBy(call);
    const allowed = catchUp.mode === 'latest' ? 1 : catchUp.maxRuns;
    const newer = call.timesUntil(decided).length;
    const faults: string[] = [];
    if (newer >= allowed) faults.push(`${late}, with ${newer} later times due and a budget of ${allowed}`);
    if (decided - scheduledTime > knownDurationMs(catchUp.maxAge))
      faults.push(`${late}, where ${catchUp.maxAge} is the most`);
    return faults;
  });
}

/** When it was decided to run it, at the earliest: with its claim; or before it was spread, nothing says when exactly. */
function decidedBy({ at, dueAt, scheduledTime, catchUp }: TimelyCall): EpochMs {
  const isSpread = dueAt > scheduledTime;
  return epochMs((isSpread ? dueAt - knownDurationMs(catchUp.spreadOver) - LATE : at) - SLACK);
}

/** An attempt after the first of its round. */
export interface Retried {
  readonly id: OccurrenceId;
  readonly attempt: number;
  readonly at: EpochMs;
  readonly firstDueAt: EpochMs;
  readonly maxAge: string;
}

/** No attempt is tried again later than its retry policy says. */
export function maxAgeFaults(calls: readonly Retried[]): string[] {
  return calls
    .filter(({ at, firstDueAt, maxAge }) => at > firstDueAt + knownDurationMs(maxAge) + SLACK)
    .map(
      ({ id, attempt, at, maxAge }) =>
        `attempt ${attempt} of ${id} was called at ${toIso(at)}, beyond ${maxAge}`,
    );
}
