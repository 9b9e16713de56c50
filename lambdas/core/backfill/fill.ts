import type { Fire, Recurrence } from '../recurrence/types.ts';
import type { EpochMs } from '../time.ts';
import type { Backfill } from './backfill.ts';
import type { BackfillStore, Records } from './store.ts';
import { isWanted, standingOf, timesFrom } from './times.ts';

/** Nominal times whose records are read at once. */
const WINDOW = 500;

export interface Filled {
  /** Times to create, in order. */
  readonly fires: readonly Fire[];
  readonly skipped: number;
  readonly cursor: EpochMs | null;
}

export interface FillContext {
  readonly recurrence: Recurrence;
  /** Times from here on are still to be created by the schedule itself; null when it will not. */
  readonly plannedFrom: EpochMs | null;
  /** At most so many are to be created. */
  readonly room: number;
}

/** Decides on the times from the cursor on, until there is no room or the window is through. */
export async function fill(
  deps: { readonly backfills: Pick<BackfillStore, 'recordsBetween'> },
  backfill: Backfill,
  { recurrence, plannedFrom, room }: FillContext,
): Promise<Filled> {
  const { cursor, reprocess } = backfill;
  if (cursor === null || room <= 0) return { fires: [], skipped: 0, cursor };
  const size = reprocess === 'all' ? room : WINDOW;
  const window = [...timesFrom(recurrence, backfill, cursor).take(size + 1)];
  const looked = window.slice(0, size);
  const { fires: within, records } =
    reprocess === 'all'
      ? { fires: looked, records: NOTHING }
      : await withRecords(deps.backfills, backfill, looked);

  const fires: Fire[] = [];
  let skipped = 0;
  for (const [index, fire] of within.entries()) {
    if (fires.length === room) return { fires, skipped, cursor: fire.at };
    const there = records.statuses.get(fire.at) ?? [];
    const planned = plannedFrom !== null && fire.at >= plannedFrom;
    const standing = standingOf(planned ? [...there, 'pending'] : there);
    if (isWanted(standing, reprocess)) fires.push(fire);
    else skipped += 1;
    if (index === within.length - 1) return { fires, skipped, cursor: window[index + 1]?.at ?? null };
  }
  return { fires, skipped, cursor: null };
}

const NOTHING: Records = { statuses: new Map(), through: null };

/** The times whose records were read, at least the first one, and those records. */
export async function withRecords(
  backfills: Pick<BackfillStore, 'recordsBetween'>,
  { schedule, order }: Pick<Backfill, 'schedule' | 'order'>,
  fires: readonly Fire[],
): Promise<{ readonly fires: readonly Fire[]; readonly records: Records }> {
  const [first, last] = [fires[0], fires.at(-1)];
  if (!first || !last) return { fires, records: NOTHING };
  const records = await backfills.recordsBetween(schedule, first.at, last.at);
  const { through } = records;
  if (through === null) return { fires, records };
  const read = fires.filter(({ at }) => (order === 'oldest-first' ? at < through : at > through));
  if (read.length > 0) return { fires: read, records };
  // More records of other times lie between two of these than are read at once: one time by itself has few.
  return { fires: [first], records: await backfills.recordsBetween(schedule, first.at, first.at) };
}
