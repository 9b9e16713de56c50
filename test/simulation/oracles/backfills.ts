import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import type { Backfill } from '../../../lambdas/core/backfill/backfill.ts';
import { startOf, timesFrom } from '../../../lambdas/core/backfill/times.ts';
import type { Coalesced } from '../../../lambdas/core/occurrence/occurrence.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { toIso } from '../../../lambdas/core/time.ts';
import type { Item } from '../world/observer.ts';
import type { Era } from './history.ts';

/**
 * Invariants 1 and 2 of backfills at rest: every time of the range was decided on, once, and the counts say what the
 * ledger says. One that is paused has times left; whoever pauses one in a story is to end it.
 */
export function backfillFaults(
  backfills: readonly Backfill[],
  eras: readonly Era[],
  items: readonly Item[],
): string[] {
  return backfills.flatMap((backfill) => {
    const faults: string[] = [];
    const wrong = (bad: boolean, what: string) => {
      if (bad) faults.push(`backfill ${backfill.id} of ${backfill.schedule} ${what}`);
    };
    const { state, counts, cursor, open } = backfill;
    const own = items.filter((item) => occurrenceKeyOf(item as never).token === backfill.id);
    const made = (statuses: readonly string[]) =>
      own.filter(({ status }) => statuses.includes(String(status))).length;
    wrong(state !== 'completed' && state !== 'cancelled', `is ${state} for ever`);
    wrong(open.length > 0, `still waits for ${open.map(toIso).join(', ')}`);
    wrong(counts.created !== own.length, `counts ${counts.created} and made ${own.length}`);
    wrong(counts.succeeded !== made(['succeeded']), `counts ${counts.succeeded} that succeeded`);
    wrong(counts.failed !== made(['failed']), `counts ${counts.failed} that failed`);
    wrong(counts.cancelled !== made(['cancelled', 'skipped']), `counts ${counts.cancelled} cancelled ones`);
    if (state !== 'completed') return faults;
    wrong(cursor !== null, 'is completed with times left');
    wrong(counts.total !== counts.created + counts.skipped, 'is completed and its counts do not add up');
    // What was there already and taken care of is left alone; a record of a range says that nothing ran.
    const taken = new Set(
      items
        .filter(({ status }) => status !== 'coalesced')
        .map((item) => occurrenceKeyOf(item as never).scheduledTime),
    );
    const head = eras.find(({ revision }) => revision === backfill.revision)?.head;
    if (!head) return [...faults, `backfill ${backfill.id} is of a revision that never was`];
    // What the schedule was still to plan by itself was left to it, also where that came to a record of a range.
    const ranges = items
      .filter((item) => item.status === 'coalesced' && (item.created_at as number) >= backfill.createdAt)
      .map((item) => item.coalesced as Coalesced);
    for (const { at } of timesFrom(headRecurrence(head), backfill, startOf(backfill))) {
      const isLeft = ranges.some(({ from, to }) => from <= at && at <= to);
      wrong(!taken.has(at) && !isLeft, `is completed and left ${toIso(at)} out`);
    }
    return faults;
  });
}
