import type { Recurrence } from '../recurrence/types.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import { type EpochMs, epochMs, HOUR } from '../time.ts';

/** No zone changes its offset by more at once, but for the few that crossed the date line. */
const MAX_SHIFT = 3 * HOUR;

/**
 * The next nominal time not planned yet, by zone data that differs from what `nextDueAt` was computed with. A wall
 * time that moved is the same fire: the last one that was planned counts for its counterpart, so that none is planned
 * twice, and whatever now comes after it is planned, so that none is lost.
 *
 * `lastPlanned` is the latest nominal time of this revision that the ledger has; undefined when it has none.
 */
export function nextByZones(
  { nextDueAt, updatedAt }: Pick<ScheduleHead, 'updatedAt'> & { readonly nextDueAt: EpochMs },
  recurrence: Pick<Recurrence, 'next' | 'prev'>,
  lastPlanned: EpochMs | undefined,
): EpochMs | null {
  const after = (at: number) => recurrence.next(epochMs(Math.max(at, updatedAt)))?.at ?? null;
  if (lastPlanned === undefined) {
    return counterpart(recurrence, nextDueAt) ?? after(nextDueAt - MAX_SHIFT);
  }
  return after(Math.max(lastPlanned, counterpart(recurrence, lastPlanned) ?? lastPlanned));
}

/** The fire that stands where one stood before zones moved: itself, or the nearest; of two as near the earlier. */
export function counterpart(recurrence: Pick<Recurrence, 'next' | 'prev'>, at: EpochMs): EpochMs | undefined {
  const next = recurrence.next(epochMs(at - 1))?.at;
  if (next === at) return at;
  const prev = recurrence.prev(at)?.at;
  const near = [prev, next].filter((one) => one !== undefined && Math.abs(one - at) <= MAX_SHIFT);
  const [first, second] = near as EpochMs[];
  if (first === undefined || second === undefined) return first;
  return at - first <= second - at ? first : second;
}

/** Whether other zone data plainly changes nothing: it is still a fire, and none comes before it from now on. */
export function staysByZones(
  nextDueAt: EpochMs,
  recurrence: Pick<Recurrence, 'next' | 'prev'>,
  now: EpochMs,
): boolean {
  if (recurrence.next(epochMs(nextDueAt - 1))?.at !== nextDueAt) return false;
  const before = recurrence.prev(nextDueAt)?.at;
  return before === undefined || before <= now;
}
