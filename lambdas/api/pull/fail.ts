import type * as z from 'zod';
import { finishAttempt } from '../../core/attempt/finish-attempt.ts';
import { failureOf } from '../../core/attempt/settle.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { Settlement } from '../../core/ports/occurrence-store.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readAfter } from '../occurrences/repeat.ts';
import { readByToken, recordOf, staleToken } from './callback-attempt.ts';
import type { failBody } from './pull-schema.ts';

/** Ends an attempt badly: the retry policy of its revision says what follows. Said again, it is done. */
export async function failAttempt(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules' | 'watches' | 'events'>,
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
    const settle = (as: Settlement) => deps.occurrences.settle(found, as, now);
    const end = await finishAttempt(deps, { running: found, revision }, settle, settlement, () => now);
    if (end.kind === 'done') return readAfter(deps.occurrences, found);
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
