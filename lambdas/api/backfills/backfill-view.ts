import type { Backfill, BackfillCounts } from '../../core/backfill/backfill.ts';
import { occurrenceKeyIn } from '../../core/backfill/backfill.ts';
import { tally } from '../../core/backfill/tally.ts';
import { occurrenceId } from '../../core/ids.ts';
import { isTerminal } from '../../core/occurrence/occurrence.ts';
import { toIso } from '../../core/time.ts';
import type { BackfillSummary, BackfillView } from './backfill-schema.ts';
import type { Watched } from './read-backfill.ts';

/** With its occurrences as they are now: what has ended since the tick last counted is counted here, too. */
export function backfillViewOf({ backfill, occurrences }: Watched): BackfillView {
  const { counts, open } = tally(backfill, occurrences);
  const running = open.filter((time) => occurrences.get(time)?.status === 'running').length;
  return {
    ...aboutOf(backfill),
    counts: {
      ...made(counts),
      waiting: open.length - running,
      running,
      ...ended(counts),
      left: leftOf(backfill),
    },
    left: leftRange(backfill),
    open: open.map((time) => {
      const found = occurrences.get(time);
      // One that a pause holds is cancelled in the ledger until the backfill goes on.
      const status = found && !isTerminal(found.status) ? found.status : 'held';
      return { id: occurrenceId(occurrenceKeyIn(backfill, time)), scheduledTime: toIso(time), status };
    }),
  };
}

export function backfillSummaryOf(backfill: Backfill): BackfillSummary {
  const { counts, open } = backfill;
  return {
    ...aboutOf(backfill),
    counts: { ...made(counts), open: open.length, ...ended(counts), left: leftOf(backfill) },
    left: leftRange(backfill),
  };
}

function aboutOf(backfill: Backfill) {
  const { id, state, reason, revision, from, to, order, maxConcurrent, reprocess } = backfill;
  return {
    id,
    schedule: backfill.schedule,
    state,
    ...(reason !== undefined && { reason }),
    revision,
    from: toIso(from),
    to: toIso(to),
    order,
    maxConcurrent,
    reprocess,
    createdAt: toIso(backfill.createdAt),
    createdBy: backfill.createdBy,
    updatedAt: toIso(backfill.updatedAt),
    finishedAt: backfill.finishedAt === undefined ? null : toIso(backfill.finishedAt),
  };
}

/** Field by field: the table gives a map back in no order, and people read these. */
const made = ({ total, skipped, created }: BackfillCounts) => ({ total, skipped, created });
const ended = ({ succeeded, failed, cancelled }: BackfillCounts) => ({ succeeded, failed, cancelled });

function leftOf({ cursor, counts }: Backfill): number {
  return cursor === null ? 0 : Math.max(0, counts.total - counts.skipped - counts.created);
}

function leftRange({ cursor, order, from, to }: Backfill) {
  if (cursor === null) return null;
  return { next: toIso(cursor), until: toIso(order === 'oldest-first' ? to : from) };
}
