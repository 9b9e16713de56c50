import type { ScheduleId } from '../../../core/ids.ts';
import type { Occurrence } from '../../../core/occurrence/occurrence.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Occurrences } from '../../deps.ts';

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
  const [own] = items.toSorted((a, b) => weight(b) - weight(a));
  return own ?? rangeWith(occurrences, schedule, at);
}

/** Of several revisions' records the one that says most: what ran, what is to run, and what was decided last. */
function weight({ status, startedAt, revision }: Occurrence): number {
  const rank = startedAt !== undefined || status === 'running' ? 2 : status === 'pending' ? 1 : 0;
  return rank * 1e12 + revision;
}

/** Pages looked through for a range; each is of thousands of records, most of which are none. */
const MAX_PAGES = 10;

/** A record of a range stands at its last time. */
async function rangeWith(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  schedule: ScheduleId,
  at: EpochMs,
): Promise<Occurrence | undefined> {
  const query = { schedule, from: at, status: 'coalesced', oldestFirst: true, limit: 100 } as const;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await occurrences.listOccurrences({ ...query, ...(cursor !== undefined && { cursor }) });
    const found = page.items.find((one) => one.status === 'coalesced' && one.coalesced.from <= at);
    if (found || page.cursor === undefined) return found;
    cursor = page.cursor;
  }
  return undefined;
}
