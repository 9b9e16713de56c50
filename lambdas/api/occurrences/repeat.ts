import { PunctualError } from '../../core/errors.ts';
import type { OccurrenceKey } from '../../core/ids.ts';
import { occurrenceId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { Occurrences } from '../deps.ts';

/** A lost race means that somebody else's write went through; so many in a row are no accident. */
const MAX_TRIES = 5;

/** Does `attempt` until it answers; undefined stands for "it moved meanwhile: look again". */
export async function untilSettled<Answer>(
  what: string,
  attempt: () => Promise<Answer | undefined>,
): Promise<Answer> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await attempt();
    if (answer !== undefined) return answer;
  }
  throw new PunctualError('occurrence.busy', `${what} kept changing while this was tried; try again.`);
}

/** The occurrence after a move of it. */
export async function readAfter(
  occurrences: Pick<Occurrences, 'readOccurrence'>,
  key: OccurrenceKey,
): Promise<Occurrence> {
  const occurrence = await occurrences.readOccurrence(key);
  if (!occurrence) throw new Error(`${occurrenceId(key)} is gone right after it was changed.`);
  return occurrence;
}
