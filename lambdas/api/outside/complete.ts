import type * as z from 'zod';
import type { completeBody } from '../../contract/api/outside.ts';
import { METRIC } from '../../contract/metrics.ts';
import type { Occurrence } from '../../core/occurrence.ts';
import { afterSuccess } from '../../upkeep/after-success.ts';
import { reportAttempt } from '../../upkeep/schedule-metrics.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readAfter } from '../occurrence/repeat.ts';
import { readByToken, recordOf, staleToken } from './attempt.ts';

/** Ends an attempt well. Said again after it was done, it is done. */
export async function completeAttempt(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules' | 'watches' | 'count' | 'reportSchedule'>,
  id: string,
  { completionToken, detail, output }: z.output<typeof completeBody>,
  { now }: Caller,
): Promise<Occurrence> {
  const found = await readByToken(deps, id, completionToken);
  if (found.status === 'running') {
    const record = recordOf(found, 'succeeded', detail ?? textOf(output), now);
    const settled = await deps.occurrences.settle(found, { kind: 'succeeded', record }, now);
    if (settled.kind === 'done') {
      deps.count(METRIC.attemptsSucceeded, 1);
      const head = await deps.schedules.readHead(found.schedule);
      reportAttempt(deps, found, head, 'succeeded', now);
      await afterSuccess(deps, found, head, now);
      return readAfter(deps.occurrences, found);
    }
  }
  // Whoever settled it meanwhile may have been the same request, sent twice.
  const after = await readByToken(deps, id, completionToken);
  if (after.status === 'succeeded') return after;
  throw staleToken();
}

function textOf(output: unknown): string | undefined {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
