import pMap from 'p-map';
import type { ScheduleId } from '../core/ids.ts';
import type { OccurrenceStore } from '../core/ports/occurrence-store.ts';
import type { WatchStore } from '../core/ports/watch-store.ts';
import type { ScheduleHead } from '../core/schedule/head.ts';
import { countsAsSuccess, successExpectedBy, type Watch } from '../core/schedule/watch.ts';
import { DAY, type EpochMs, epochMs, toIso } from '../core/time.ts';

const CONCURRENCY = 8;
/** Schedules named in the log of one sweep, those that have waited longest: a line of the log has a limit. */
const MAX_NAMED = 20;
/** The latest records of a schedule that are searched for a success that was not noted. */
const LEDGER_RECORDS = 100;
/** When to look again at one of which nothing is expected: it may have been deleted meanwhile. */
const REST = DAY;

export interface WatchDeps {
  readonly watches: Pick<WatchStore, 'dueWatches' | 'noteSuccess' | 'lookLater' | 'endWatch'>;
  readonly occurrences: Pick<OccurrenceStore, 'listOccurrences'>;
  /** No page is begun after this. */
  readonly stopAt: EpochMs;
  readonly now: () => EpochMs;
}

export interface WithoutSuccess {
  readonly schedule: ScheduleId;
  /** ISO 8601; null when it never succeeded. */
  readonly lastSuccessAt: string | null;
  readonly expectedBy: string;
}

export interface WatchResult {
  /** Schedules that have not succeeded for longer than they say. */
  readonly overdue: number;
  /** Some of them, the longest first. */
  readonly longest: readonly WithoutSuccess[];
  readonly failures: readonly { readonly schedule: ScheduleId; readonly error: unknown }[];
}

/**
 * Counts the schedules that should have succeeded by now. What is in the index is only looked at: whether something
 * is amiss is read from watch, head and ledger, so that no pause, deletion or crash in between raises an alarm.
 */
export async function sweepWatches(deps: WatchDeps): Promise<WatchResult> {
  const overdue: WithoutSuccess[] = [];
  const failures: WatchResult['failures'][number][] = [];
  for await (const page of deps.watches.dueWatches(deps.now())) {
    await pMap(
      page,
      async ({ watch, head }) => {
        try {
          const late = await look(deps, watch, head);
          if (late) overdue.push(late);
        } catch (error) {
          failures.push({ schedule: watch.schedule, error });
        }
      },
      { concurrency: CONCURRENCY },
    );
    if (deps.now() >= deps.stopAt) break;
  }
  const longest = overdue.toSorted((a, b) => (a.expectedBy < b.expectedBy ? -1 : 1)).slice(0, MAX_NAMED);
  return { overdue: overdue.length, longest, failures };
}

async function look(
  { watches, occurrences, now: clock }: WatchDeps,
  watch: Watch,
  head: ScheduleHead | undefined,
): Promise<WithoutSuccess | undefined> {
  const now = clock();
  if (!head || head.state === 'deleted' || head.policy.expectSuccessWithin === undefined) {
    await watches.endWatch(watch, now);
    return undefined;
  }
  let last = watch.lastSuccessAt;
  let by = successExpectedBy(head, last);
  if (by !== null && by <= now) {
    last = (await noteFromLedger({ watches, occurrences }, head, last, now)) ?? last;
    by = successExpectedBy(head, last);
  }
  if (by === null || by > now) {
    await watches.lookLater(watch, by ?? epochMs(now + REST));
    return undefined;
  }
  const lastSuccessAt = last === undefined ? null : toIso(last);
  return { schedule: head.id, lastSuccessAt, expectedBy: toIso(by) };
}

/** A success whose process died, or was refused, between the settlement and the note of it. */
async function noteFromLedger(
  { watches, occurrences }: Pick<WatchDeps, 'watches' | 'occurrences'>,
  { id }: ScheduleHead,
  noted: EpochMs | undefined,
  now: EpochMs,
): Promise<EpochMs | undefined> {
  const { items } = await occurrences.listOccurrences({ schedule: id, to: now, limit: LEDGER_RECORDS });
  const ends = items.flatMap((one) =>
    one.status === 'succeeded' && countsAsSuccess(one) && one.finishedAt > (noted ?? 0)
      ? [one.finishedAt]
      : [],
  );
  if (ends.length === 0) return undefined;
  const latest = epochMs(Math.max(...ends));
  await watches.noteSuccess(id, latest);
  return latest;
}
