import type * as z from 'zod';
import { PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import { isOf } from '../../core/occurrence/in-force.ts';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import { type EpochMs, epochMs, MINUTE, toIso } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { startInGroup } from '../groups/start-limit.ts';
import { rangeOf } from '../request/moment.ts';
import { assertPresent } from '../schedules/change/current-schedule.ts';
import { inputRevisionOf } from './replay.ts';
import type { replayedView, replayManyBody } from './verbs-schema.ts';

type Request = z.output<typeof replayManyBody>;

/** Writes under way at once. */
const CONCURRENCY = 8;

/**
 * Replays what a filter finds, oldest first and due one after the other. What somebody else replayed meanwhile
 * is left to them. Done again after a lost answer it goes on: what is replayed is not found again.
 */
export async function replaySchedule(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules'>,
  id: ScheduleId,
  request: Request,
  { now }: Caller,
): Promise<z.output<typeof replayedView>> {
  const { head } = assertPresent(await deps.schedules.readSchedule(id), id);
  const at = request.cursor === undefined ? { from: now } : readCursor(request.cursor, now);
  const { from, to } = rangeOf(request, head.policy.timezone);
  const { status, kind, reason, limit } = request;
  const { items: found, cursor } = await deps.occurrences.listOccurrences({
    schedule: id,
    status,
    limit,
    oldestFirst: true,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(kind !== undefined && { kind }),
    ...(reason !== undefined && { reason }),
    ...(at.cursor !== undefined && { cursor: at.cursor }),
  });
  // What is left of a schedule of this name that was deleted does not run again.
  const items = found.filter((one) => isOf(one, head));
  // With as many as are due within a minute.
  const atOnce = Math.min(items.length, request.ratePerMinute);
  if (atOnce > 0) await startInGroup(deps.schedules, id, atOnce, now);
  const step = MINUTE / request.ratePerMinute;
  const dueAt = (index: number) => epochMs(at.from + Math.floor(step * index));
  const replayed = await replayAll(deps, head, items, request.input, dueAt);
  return {
    replayed,
    lastDueAt: items.length === 0 ? null : toIso(dueAt(items.length - 1)),
    ...(cursor !== undefined && { cursor: `${dueAt(items.length)}.${cursor}` }),
  };
}

async function replayAll(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules'>,
  seen: ScheduleHead,
  items: readonly Occurrence[],
  input: Request['input'],
  dueAt: (index: number) => EpochMs,
): Promise<number> {
  let head = seen;
  let replayed = 0;
  for (let start = 0; start < items.length; start += CONCURRENCY) {
    let left = items
      .slice(start, start + CONCURRENCY)
      .map((found, index) => ({ found, at: dueAt(start + index) }));
    // An edit that came between is followed: each has the input that is in force when it is replayed.
    while (left.length > 0) {
      const ends = await Promise.all(
        left.map(({ found, at }) => deps.occurrences.replay(found, at, inputRevisionOf(head, input))),
      );
      replayed += ends.filter(({ kind }) => kind === 'done').length;
      left = left.filter((_, index) => ends[index]?.kind === 'other-revision');
      if (left.length > 0) ({ head } = assertPresent(await deps.schedules.readSchedule(head.id), head.id));
    }
  }
  return replayed;
}

/** The cursor of the list, and when the next one is due: so that many requests keep to the rate of one. */
function readCursor(text: string, now: EpochMs): { readonly from: EpochMs; readonly cursor?: string } {
  const [, due, cursor] = /^(\d{1,15})\.(.+)$/.exec(text) ?? [];
  if (due !== undefined && cursor !== undefined) return { from: epochMs(Math.max(now, Number(due))), cursor };
  throw new PunctualError('cursor.invalid', 'The cursor is not one that a replay gave out.', {
    field: 'cursor',
    value: text.slice(0, 100),
  });
}
