import type { OccurrenceStatus } from '../occurrence/occurrence.ts';
import type { Fire, Recurrence } from '../recurrence/types.ts';
import { type EpochMs, epochMs } from '../time.ts';
import type { Backfill, Reprocess } from './backfill.ts';

type Range = Pick<Backfill, 'from' | 'to' | 'order'>;

/** Where a walk over the range begins. */
export function startOf({ from, to, order }: Range): EpochMs {
  return order === 'oldest-first' ? from : to;
}

/** The nominal times of the range from `cursor` on, that one included, in its order. */
export function* timesFrom(recurrence: Recurrence, range: Range, cursor: EpochMs): Generator<Fire> {
  const forward = range.order === 'oldest-first';
  let fire = forward ? recurrence.next(epochMs(cursor - 1)) : recurrence.prev(epochMs(cursor + 1));
  while (fire && fire.at >= range.from && fire.at <= range.to) {
    yield fire;
    const { at } = fire;
    fire = forward ? recurrence.next(at) : recurrence.prev(at);
    // A recurrence that stands still would be walked for ever.
    if (fire && (forward ? fire.at <= at : fire.at >= at)) {
      throw new Error(`The recurrence does not move on from ${at}.`);
    }
  }
}

/** How many nominal times there are, as far as `limit`; one more than that says that there are more. */
export function countTimes(recurrence: Recurrence, range: Range, limit: number): number {
  return timesFrom(recurrence, range, startOf(range))
    .take(limit + 1)
    .reduce((count) => count + 1, 0);
}

/** What stands at a nominal time that has several records, from earlier backfills say: the first of these. */
const WEIGHT = [
  'running',
  'pending',
  'succeeded',
  'failed',
  'missed',
  'skipped',
  'cancelled',
  'coalesced',
] as const satisfies readonly OccurrenceStatus[];

export function standingOf(statuses: readonly OccurrenceStatus[]): OccurrenceStatus | undefined {
  return WEIGHT.find((status) => statuses.includes(status));
}

/** Whether a time is to run. One that is under way counts as one that ran: it may well succeed. */
export function isWanted(standing: OccurrenceStatus | undefined, reprocess: Reprocess): boolean {
  if (reprocess === 'all') return true;
  switch (standing) {
    case 'running':
    case 'pending':
    case 'succeeded':
      return false;
    case 'failed':
      return reprocess === 'failed';
    default:
      return true;
  }
}
