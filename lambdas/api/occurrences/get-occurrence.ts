import { PunctualError } from '../../core/errors.ts';
import { parseOccurrenceId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { Occurrences } from '../deps.ts';

export async function getOccurrence(
  deps: { readonly occurrences: Pick<Occurrences, 'readOccurrence'> },
  id: string,
): Promise<Occurrence> {
  const key = parseOccurrenceId(id);
  const occurrence = key && (await deps.occurrences.readOccurrence(key));
  if (occurrence) return occurrence;
  throw new PunctualError('occurrence.not-found', 'There is no such occurrence, or it is kept no longer.', {
    field: 'id',
    value: id,
  });
}
