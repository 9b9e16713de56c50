import { type EpochMs, MINUTE } from '../time.ts';

/**
 * Which late times of a schedule run after one outage, so that they are never more than its budget: part of a backlog
 * may be planned late and part claimed late, and claims may come over minutes, each with newer times behind it than
 * the one before. Only what `all` asks; of `latest` and `skip` the times alone say what runs.
 */
export interface CatchUpTally {
  /** +1 with each write. */
  readonly version: number;
  /** Late nominal times that run. */
  readonly runs: readonly EpochMs[];
  /** When a late time last asked. */
  readonly askedAt: EpochMs;
}

/** What is late again so soon is of the same outage. */
export const SAME_OUTAGE = 5 * MINUTE;
/** How often the tally is told that late times go on asking; each time is a write. */
const ASKED_AGAIN = MINUTE;

/** The late times of the outage under way that run already. */
export function runsOf(tally: CatchUpTally | undefined, now: EpochMs): readonly EpochMs[] {
  return tally && now - tally.askedAt <= SAME_OUTAGE ? tally.runs : [];
}

export interface Admission {
  readonly admitted: boolean;
  /** What to write, if it changes anything. */
  readonly tally?: CatchUpTally;
}

/** Whether a late time still has a place in the budget. Asked again, the same one gets the same answer. */
export function admit(
  before: CatchUpTally | undefined,
  time: EpochMs,
  now: EpochMs,
  budget: number,
): Admission {
  const runs = runsOf(before, now);
  const known = runs.includes(time);
  const admitted = known || runs.length < budget;
  const fresh = before !== undefined && now - before.askedAt < ASKED_AGAIN;
  if (fresh && (known || !admitted)) return { admitted };
  return { admitted, tally: withRuns(before, known || !admitted ? [] : [time], now) };
}

/** The tally once these run as well. */
export function withRuns(
  before: CatchUpTally | undefined,
  times: readonly EpochMs[],
  now: EpochMs,
): CatchUpTally {
  const version = (before?.version ?? 0) + 1;
  return { version, runs: [...runsOf(before, now), ...times], askedAt: now };
}
