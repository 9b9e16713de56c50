import { isTokenOf } from '../../core/attempt/completion.ts';
import { PunctualError } from '../../core/errors.ts';
import type { AttemptRecord, Occurrence, RunningOccurrence } from '../../core/occurrence/occurrence.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ApiDeps } from '../deps.ts';
import { getOccurrence } from '../occurrences/get-occurrence.ts';

/** The occurrence whose latest attempt a token belongs to. */
export async function readByToken(
  deps: Pick<ApiDeps, 'occurrences'>,
  id: string,
  token: string,
): Promise<Occurrence> {
  const found = await getOccurrence(deps, id);
  if (!isTokenOf(token, found)) throw staleToken();
  return found;
}

/** One answer for a token that is wrong, of an older attempt, or of one that has ended: nothing can be learnt by trying. */
export function staleToken(): PunctualError {
  return new PunctualError(
    'occurrence.stale-token',
    'This token ends no attempt that is under way: it has ended, or the token is wrong.',
    { field: 'completionToken' },
  );
}

export function recordOf(
  running: RunningOccurrence,
  outcome: AttemptRecord['outcome'],
  detail: string | undefined,
  now: EpochMs,
): AttemptRecord {
  return {
    attempt: running.attempt,
    startedAt: running.attemptStartedAt,
    finishedAt: now,
    outcome,
    ...(detail !== undefined && detail !== '' && { detail }),
  };
}
