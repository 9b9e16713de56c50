import type * as z from 'zod';
import type { failBody } from '../../contract/api/outside.ts';
import { METRIC } from '../../contract/metrics.ts';
import type { Occurrence } from '../../core/occurrence.ts';
import { failureOf, settleWith } from '../../core/settle.ts';
import { afterFailure } from '../../upkeep/after-failure.ts';
import { reportAttempt } from '../../upkeep/schedule-metrics.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readAfter } from '../occurrence/repeat.ts';
import { readByToken, recordOf, staleToken } from './attempt.ts';

/** Ends an attempt badly: the retry policy of its revision says what follows. Said again, it is done. */
export async function failAttempt(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules' | 'count' | 'reportSchedule'>,
  id: string,
  { completionToken, detail, retryable }: z.output<typeof failBody>,
  { now }: Caller,
): Promise<Occurrence> {
  const found = await readByToken(deps, id, completionToken);
  if (found.status === 'running') {
    const revision = await deps.schedules.readRevision(found.schedule, found.revision);
    const outcome = found.cancelReason === undefined ? 'failed' : 'cancelled';
    const record = recordOf(found, outcome, detail, now);
    const settlement = failureOf(found, revision?.definition.retry, { retryable }, record, now);
    const settled = await settleWith((one) => deps.occurrences.settle(found, one, now), settlement);
    if (settled.kind === 'done') {
      const { kind } = settled.settlement;
      if (kind !== 'cancelled') deps.count(METRIC.attemptsFailed, 1);
      if (kind === 'failed') {
        deps.count(METRIC.occurrencesFailed, 1);
        const paused = await afterFailure(deps, { occurrence: found, revision }, now);
        if (paused !== undefined) deps.count(METRIC.schedulesPaused, 1);
      }
      if (kind === 'failed' || kind === 'retry')
        reportAttempt(deps, found, await deps.schedules.readHead(found.schedule), kind, now);
      return readAfter(deps.occurrences, found);
    }
  }
  const after = await readByToken(deps, id, completionToken);
  if (wasFailed(after)) return after;
  throw staleToken();
}

/** Its latest attempt failed as a request like this one has it: no other end of an attempt is taken for it. */
function wasFailed(occurrence: Occurrence): boolean {
  const latest = occurrence.attempts.at(-1);
  if (occurrence.status === 'running' || latest?.attempt !== occurrence.attempt) return false;
  return latest.outcome === 'failed' || latest.outcome === 'cancelled';
}
