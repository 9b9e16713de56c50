import type { ScheduleId } from '../../core/ids.ts';
import type { Occurrence } from '../../core/occurrence.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { Occurrences } from '../deps.ts';

/** What the ledger has of a nominal time: its own record, or the one that stands for a range with it. */
export async function recordAt(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  schedule: ScheduleId,
  at: EpochMs,
): Promise<Occurrence | undefined> {
  const { items } = await occurrences.listOccurrences({
    schedule,
    from: at,
    to: at,
    kind: 'scheduled',
    limit: 100,
  });
  const [own] = items.filter((one) => one.status !== 'coalesced').toSorted((a, b) => weight(b) - weight(a));
  return own ?? rangeWith(occurrences, schedule, at);
}

/** Of several revisions' records the one that says most: what ran, what is to run, and what was decided last. */
function weight({ status, startedAt, revision }: Occurrence): number {
  const rank = startedAt !== undefined || status === 'running' ? 2 : status === 'pending' ? 1 : 0;
  return rank * 1e12 + revision;
}

/** Ranges looked at: an edit or a pause each leave one at most. */
const MAX_RANGES = 20;

/** A record of a range stands at its last time. */
async function rangeWith(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  schedule: ScheduleId,
  at: EpochMs,
): Promise<Occurrence | undefined> {
  const query = { schedule, from: epochMs(at), status: 'coalesced', oldestFirst: true } as const;
  const { items } = await occurrences.listOccurrences({ ...query, limit: MAX_RANGES });
  return items.find((one) => one.status === 'coalesced' && one.coalesced.from <= at);
}
