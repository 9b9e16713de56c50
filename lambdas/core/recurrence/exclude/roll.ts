import type { Source } from '../source.ts';
import type { FireNote } from '../types.ts';
import { fires } from '../union.ts';
import { DAY_SECONDS } from '../zones/civil.ts';
import { clockText, gapOver, instantsOf, wallAt } from '../zones/local.ts';
import type { Zone } from '../zones/zone.ts';
import { exclusionAt } from './apply.ts';
import type { Exclusion } from './stretch.ts';

/** A closed stretch longer than this moves nothing: whatever falls into it does not fire. */
export const MAX_ROLL_DAYS = 31;
/** No fire moves further, clock changes included. */
const REACH = (MAX_ROLL_DAYS + 1) * DAY_SECONDS * 1_000;
/** Fires without an open day near that a search passes before it gives up: years of closed days. */
const MAX_LOST = 1_000;
/** Enough for a month of hourly fires on either side of the one that is looked for. */
const MAX_FIRES = 5_000;

/**
 * Fires on closed days moved to the nearest open day after them (`step` 1) or before them (-1), at the same local
 * time. One fire when a moved one meets another. Sources fire at most hourly, so that a month of them is few.
 */
export function rolling(source: Source, closed: readonly Exclusion[], zone: Zone, step: 1 | -1): Source {
  /** Where the fire `at` goes; undefined when no day near is open. */
  function moved(at: number): number | undefined {
    if (!exclusionAt(closed, at)) return at;
    const wall = wallAt(zone, at / 1_000);
    for (let days = 1; days <= MAX_ROLL_DAYS; days += 1) {
      const target = wall + step * days * DAY_SECONDS;
      // A time that the target day skips or repeats is the first at or after it.
      const [first = gapOver(zone, target).end] = instantsOf(zone, target);
      if (!exclusionAt(closed, first * 1_000)) return first * 1_000;
    }
    return undefined;
  }

  return {
    next(after) {
      let best = Infinity;
      let [at, lost, seen] = [source.next(step > 0 ? after - REACH : after), 0, 0];
      for (; at < best + (step > 0 ? 0 : REACH) && lost < MAX_LOST && seen < MAX_FIRES; seen += 1) {
        const target = moved(at);
        if (target === undefined) lost += 1;
        else if (target > after && target < best) best = target;
        at = source.next(at);
      }
      return best;
    },
    prev(before) {
      let best = -Infinity;
      let [at, lost, seen] = [source.prev(step > 0 ? before : before + REACH), 0, 0];
      for (; at > best - (step > 0 ? REACH : 0) && lost < MAX_LOST && seen < MAX_FIRES; seen += 1) {
        const target = moved(at);
        if (target === undefined) lost += 1;
        else if (target < before && target > best) best = target;
        at = source.prev(at);
      }
      return best;
    },
    notes(at) {
      const own = !exclusionAt(closed, at) && fires(source, at) ? source.notes(at) : [];
      const notes: FireNote[] = [...own];
      const [from, to] = step > 0 ? [at - REACH, at] : [at, at + REACH];
      for (let other = source.next(from); other < to; other = source.next(other))
        if (other !== at && moved(other) === at) notes.push(movedNote(other));
      return notes;
    },
  };

  function movedNote(from: number): FireNote {
    const label = exclusionAt(closed, from)?.label ?? '';
    return {
      code: step > 0 ? 'calendar.moved-later' : 'calendar.moved-earlier',
      message:
        `${clockText(zone, from)} is closed by ${label}; ` +
        `it runs on the ${step > 0 ? 'next' : 'previous'} business day.`,
    };
  }
}
