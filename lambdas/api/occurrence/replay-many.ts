import type * as z from 'zod';
import type { replayedView, replayManyBody } from '../../contract/api/occurrence-verbs.ts';
import { PunctualError } from '../../core/errors.ts';
import type { ScheduleId } from '../../core/ids.ts';
import { type EpochMs, epochMs, MINUTE, toIso } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { startInGroup } from '../group/start.ts';
import { rangeOf } from '../list-occurrences.ts';
import { inputRevisionOf } from './replay.ts';

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
  const inputRevision = await inputRevisionOf(deps, { schedule: id }, request.input);
  const at = request.cursor === undefined ? { from: now } : readCursor(request.cursor, now);
  const { from, to } = rangeOf(request);
  const { status, kind, reason, limit } = request;
  const { items, cursor } = await deps.occurrences.listOccurrences({
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
  // With as many as are due within a minute.
  const atOnce = Math.min(items.length, request.ratePerMinute);
  if (atOnce > 0) await startInGroup(deps.schedules, id, atOnce, now);
  const step = MINUTE / request.ratePerMinute;
  const dueAt = (index: number) => epochMs(at.from + Math.floor(step * index));
  let replayed = 0;
  for (let start = 0; start < items.length; start += CONCURRENCY) {
    const moves = items
      .slice(start, start + CONCURRENCY)
      .map((found, index) => deps.occurrences.replay(found, dueAt(start + index), inputRevision));
    replayed += (await Promise.all(moves)).filter(({ kind: end }) => end === 'done').length;
  }
  return {
    replayed,
    lastDueAt: items.length === 0 ? null : toIso(dueAt(items.length - 1)),
    ...(cursor !== undefined && { cursor: `${dueAt(items.length)}.${cursor}` }),
  };
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
