import { PunctualError } from '../../core/errors.ts';
import { occurrenceId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { getOccurrence } from './get-occurrence.ts';
import { readAfter, untilSettled } from './repeat.ts';

export interface Cancelled {
  /** `requested`: whoever runs it finds out at the next renewal of its lease. */
  readonly kind: 'cancelled' | 'requested';
  readonly occurrence: Occurrence;
}

/** Cancels what has not started; asks what runs to stop. */
export async function cancelOccurrence(
  { occurrences }: Pick<ApiDeps, 'occurrences'>,
  id: string,
  { now }: Caller,
): Promise<Cancelled> {
  let asked = false;
  return untilSettled(id, async () => {
    const found = await getOccurrence({ occurrences }, id);
    switch (found.status) {
      case 'pending': {
        asked = true;
        const moved = await occurrences.cancel(found, 'user', now);
        return moved.kind === 'done'
          ? { kind: 'cancelled', occurrence: await readAfter(occurrences, found) }
          : undefined;
      }
      case 'running': {
        const asked = await occurrences.requestCancel(found, 'user');
        return asked.kind === 'done'
          ? { kind: 'requested', occurrence: await readAfter(occurrences, found) }
          : undefined;
      }
      default:
        // The answer to the write was lost, and its repetition met what it had done.
        if (asked && found.status === 'cancelled' && found.reason === 'user')
          return { kind: 'cancelled', occurrence: found };
        throw finished(found);
    }
  });
}

function finished(occurrence: Occurrence): PunctualError {
  const message = `It is ${occurrence.status}; only what is pending or running can be cancelled.`;
  return new PunctualError('occurrence.finished', message, { field: 'id', value: occurrenceId(occurrence) });
}
