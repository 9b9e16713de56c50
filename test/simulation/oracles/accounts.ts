import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { type OccurrenceId, occurrenceId } from '../../../lambdas/core/ids.ts';
import { isMoved } from '../../../lambdas/core/occurrence/notes.ts';
import type { FireNote } from '../../../lambdas/core/recurrence/types.ts';
import type { ScheduleHead } from '../../../lambdas/core/schedule/head.ts';
import { headRecurrence } from '../../../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs, toIso } from '../../../lambdas/core/time.ts';
import type { Item } from '../world/observer.ts';
import { replaysOf } from './audit.ts';
import type { Era } from './history.ts';

/** More nominal times than any scenario has; a rule that never ends must not hang its test. */
const MOST = 20_000;

interface Entry {
  readonly id: OccurrenceId;
  readonly time: EpochMs;
  readonly revision: number;
  readonly createdAt: EpochMs;
  readonly status: string;
  readonly started: boolean;
  readonly isReplayed: boolean;
  /** A person decided about this time; a range around it says nothing of it. */
  readonly decided: boolean;
  readonly range: boolean;
  /** The first and the last nominal time that it stands for. */
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/**
 * Invariants 1 and 2 of a schedule from its ledger: each nominal time at which it was enabled is in exactly one
 * record, and no time ran under two definitions.
 */
export function accountFaults(
  eras: readonly Era[],
  head: ScheduleHead | undefined,
  items: readonly Item[],
  now: EpochMs,
  called: Pick<ReadonlySet<OccurrenceId>, 'has'>,
  makesUp = false,
): string[] {
  const entries = items.map(entryOf).filter((entry) => entry !== undefined);
  const faults: string[] = [];
  const isOf = incarnations(eras);
  for (const [index, era] of eras.entries()) {
    if (era.state !== 'enabled' && era.state !== 'completed') continue;
    const end = eras[index + 1]?.from ?? lastPlanned(head, now);
    const from = Math.max(era.from, startedUnderOlder(entries, era), keptUntil(eras, era));
    for (const time of nominalTimes(era, epochMs(from), end)) {
      const all = entries.filter((entry) => isOf(entry, era) && entry.from <= time && time <= entry.to);
      const found = all.some(({ decided }) => decided) ? all.filter(({ range }) => !range) : all;
      if (found.length === 1) continue;
      const what = found.map(({ status }) => status).join(' and ') || 'nothing';
      faults.push(`${toIso(time)} of revision ${era.revision} is accounted for by ${what}`);
    }
  }
  for (const entry of entries) {
    const born = eras.find((era) => isOf(entry, era));
    if (!born) faults.push(`${toIso(entry.time)} is of revision ${entry.revision}, which never was`);
    // A person may ask a resume to make up for times of the pause by a definition that came later.
    else if (entry.from <= born.from && !makesUp)
      faults.push(`${toIso(entry.from)} is not after ${toIso(born.from)}, when its revision was made`);
  }
  // A person may have asked for an old one once more.
  const ran = entries.filter(({ id, isReplayed }) => called.has(id) && !isReplayed);
  for (const time of new Set(ran.map((entry) => entry.time))) {
    const revisions = ran.filter((entry) => entry.time === time).map(({ revision }) => revision);
    if (revisions.length > 1) faults.push(`${toIso(time)} ran under revisions ${revisions.join(' and ')}`);
  }
  return faults;
}

/**
 * Whether an entry is of an era. Numbers of revisions may begin again once a name was given up and its tombstone is
 * gone: then it is of the latest schedule of that name that was there when it was created.
 */
function incarnations(eras: readonly Era[]): (entry: Entry, era: Era) => boolean {
  const begins = eras.filter((_, index) => index === 0 || eras[index - 1]?.state === 'deleted');
  const incarnationOf = (era: Era) => begins.findLast(({ order }) => order <= era.order);
  return (entry, era) => {
    if (entry.revision !== era.revision) return false;
    const own = eras.filter(({ revision }) => revision === entry.revision).map(incarnationOf);
    const there = own.findLast((begin) => begin && begin.from <= entry.createdAt) ?? own[0];
    return there === incarnationOf(era);
  };
}

function entryOf(item: Item): Entry | undefined {
  const key = occurrenceKeyOf(item as never);
  if (key.kind !== 'scheduled' && key.kind !== 'range') return undefined;
  const range = item.coalesced as { from: EpochMs; to: EpochMs } | undefined;
  return {
    id: occurrenceId(key),
    time: key.scheduledTime,
    revision: key.revision,
    createdAt: item.created_at as EpochMs,
    status: String(item.status),
    decided:
      item.is_ahead === true ||
      item.reason === 'user' ||
      isMoved({ notes: (item.notes ?? []) as FireNote[] }),
    isReplayed: replaysOf(item) > 0,
    started: item.started_at !== undefined && (item.attempt as number) > 0,
    range: range !== undefined,
    from: range?.from ?? key.scheduledTime,
    to: range?.to ?? key.scheduledTime,
  };
}

/** By a clock that was ahead, an old definition may have started times that the new one then leaves to it. */
function startedUnderOlder(entries: readonly Entry[], era: Era): number {
  const older = entries.filter(({ revision, started }) => revision < era.revision && started);
  return Math.max(0, ...older.map(({ time }) => time));
}

/** After an edit that kept what was pending, times up to there are those of the revisions before it, also after a pause. */
function keptUntil(eras: readonly Era[], { revision }: Era): number {
  const keeping = eras.filter(
    (era) => era.revision === revision && (era.head.oldestRevision ?? revision) < revision,
  );
  return Math.max(0, ...keeping.map(({ head }) => (head.nextDueAt ?? 1) - 1));
}

function lastPlanned(head: ScheduleHead | undefined, now: EpochMs): EpochMs {
  return epochMs(Math.min(now, head?.nextDueAt == null ? now : head.nextDueAt - 1));
}

function* nominalTimes(era: Era, after: EpochMs, until: EpochMs): Generator<EpochMs> {
  const recurrence = headRecurrence(era.head);
  let time = recurrence.next(after)?.at;
  for (let count = 0; time !== undefined && time <= until && count < MOST; count += 1) {
    yield time;
    time = recurrence.next(time)?.at;
  }
}
