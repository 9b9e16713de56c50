import type * as z from 'zod';
import { finishAttempt } from '../../core/attempt/finish-attempt.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { Settlement } from '../../core/ports/occurrence-store.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readAfter } from '../occurrences/repeat.ts';
import { readByToken, recordOf, staleToken } from './callback-attempt.ts';
import type { completeBody } from './pull-schema.ts';

/** Ends an attempt well. Said again after it was done, it is done. */
export async function completeAttempt(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules' | 'watches' | 'events'>,
  id: string,
  { completionToken, detail, output }: z.output<typeof completeBody>,
  { now }: Caller,
): Promise<Occurrence> {
  const found = await readByToken(deps, id, completionToken);
  if (found.status === 'running') {
    const record = recordOf(found, 'succeeded', detail ?? textOf(output), now);
    const ending = { running: found, revision: undefined };
    const settle = (as: Settlement) => deps.occurrences.settle(found, as, now);
    const end = await finishAttempt(deps, ending, settle, { kind: 'succeeded', record }, () => now);
    if (end.kind === 'done') return readAfter(deps.occurrences, found);
  }
  // Whoever settled it meanwhile may have been the same request, sent twice.
  const after = await readByToken(deps, id, completionToken);
  if (after.status === 'succeeded') return after;
  throw staleToken();
}

function textOf(output: unknown): string | undefined {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
