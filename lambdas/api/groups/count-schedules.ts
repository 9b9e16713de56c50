import type { ScheduleRecord } from '../../core/ports/schedule-store.ts';
import type { Counted } from '../../core/schedule/group.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Schedules } from '../deps.ts';
import { shareOf } from './quota-usage.ts';

/** Heads counted in one transaction; few, since one that is changed meanwhile has all of them tried anew. */
const BATCH = 25;
const PAGE = 100;
/** Times that the whole group is walked: what changed during one walk is met by the next. */
const MAX_WALKS = 3;

type Stores = Pick<Schedules, 'listSchedules' | 'adoptSchedules'>;

/**
 * Counts the schedules of a group that its count does not have: all of them when it begins. Each is counted in the
 * transaction that marks its head, so that this can stop anywhere, run twice or beside edits, and no schedule is
 * counted twice; done again it goes on with what is left.
 */
export async function countSchedules(
  schedules: Stores,
  group: string,
  epoch: EpochMs,
  now: EpochMs,
): Promise<void> {
  for (let walk = 0; walk < MAX_WALKS; walk += 1) {
    if ((await walkGroup(schedules, group, epoch, now)) === 'all-counted') return;
  }
}

async function walkGroup(schedules: Stores, group: string, epoch: EpochMs, now: EpochMs) {
  let found = false;
  let cursor: string | undefined;
  do {
    const page = await schedules.listSchedules({
      group,
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    const missing = page.items.filter(({ head }) => head.counted?.epoch !== epoch);
    for (let from = 0; from < missing.length; from += BATCH) {
      found = true;
      await adopt(schedules, group, epoch, missing.slice(from, from + BATCH), now);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found ? 'some-counted' : 'all-counted';
}

/** Together, or, when one of them has changed, each by itself. */
async function adopt(
  schedules: Stores,
  group: string,
  epoch: EpochMs,
  records: readonly ScheduleRecord[],
  now: EpochMs,
): Promise<void> {
  const adopted = records.map(({ head, revision }) => {
    const { definition, calendars } = revision;
    const counted: Counted = { ...shareOf(head.id, definition, calendars, head.anchor, now), epoch };
    return { head, counted };
  });
  if (await schedules.adoptSchedules(group, epoch, adopted)) return;
  for (const one of adopted) await schedules.adoptSchedules(group, epoch, [one]);
}
