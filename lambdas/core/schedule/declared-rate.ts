import type { Recurrence } from '../recurrence/types.ts';
import { DAY, type EpochMs, MINUTE } from '../time.ts';

/** Times looked at: more than half an hour of a schedule that fires each second. */
const MAX_TIMES = 2_000;
/** From the first of them. Later years cost the most: half a millisecond a time and more in a zone with daylight saving. */
const HORIZON = 5 * 366 * DAY;

/**
 * Fires in the busiest minute of the clock among the next times after `from`. Minutes are those of UTC, from which
 * zones differ by whole minutes. A burst beyond what is looked at is not seen: the work has a bound.
 */
export function declaredRate(recurrence: Pick<Recurrence, 'next'>, from: EpochMs): number {
  let busiest = 0;
  let [minute, fires] = [Number.NaN, 0];
  let next = recurrence.next(from);
  const until = (next?.at ?? from) + HORIZON;
  for (let looked = 0; next && next.at <= until && looked < MAX_TIMES; looked += 1) {
    const at = Math.floor(next.at / MINUTE);
    fires = at === minute ? fires + 1 : 1;
    minute = at;
    busiest = Math.max(busiest, fires);
    next = recurrence.next(next.at);
  }
  return busiest;
}
