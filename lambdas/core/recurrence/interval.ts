import { FIRST_SECOND, LAST_SECOND, NO_NOTES, type Source, type WallSource } from './source.ts';
import { spend } from './work.ts';
import { civilDate, DAY_SECONDS, dayNumber, daysInMonth } from './zones/civil.ts';

/** Terms `first` to `last` (inclusive, counted from the anchor, 0) of an arithmetic row of times. */
export interface Terms {
  readonly first: number;
  readonly last: number;
}

const FIRST = FIRST_SECOND * 1_000;
const LAST = LAST_SECOND * 1_000 + 999;

/** Every `period` of elapsed time from `anchor`, both in milliseconds: clocks do not matter to it. */
export function elapsedSource(anchor: number, period: number, terms: Terms): Source {
  return {
    next(after) {
      spend();
      const from = Math.max(Math.floor(after) + 1, FIRST);
      const term = Math.max(terms.first, Math.ceil((from - anchor) / period));
      const at = anchor + term * period;
      return term <= terms.last && at <= LAST ? at : Infinity;
    },
    prev(before) {
      spend();
      const to = Math.min(Math.ceil(before) - 1, LAST);
      const term = Math.min(terms.last, Math.floor((to - anchor) / period));
      const at = anchor + term * period;
      return term >= terms.first && at >= FIRST ? at : -Infinity;
    },
    notes: () => NO_NOTES,
  };
}

/** A period on the calendar. Years are 12 months, weeks are 7 days. */
export interface CalendarStep {
  readonly months: number;
  readonly days: number;
}

/** Mean days in a month over the 400 years of the Gregorian cycle. */
const MONTH_DAYS = 146_097 / 4_800;
/** How far a term may lie from where the mean puts it: short months, leap days and clamping, in days. */
const SLACK_DAYS = 6;

/**
 * Term k is k steps from the anchor (wall seconds), each counted from the anchor itself and not from the term before,
 * and clamped to the end of the month: 31 January, 28 February, 31 March, never stuck on the 28th.
 */
export function calendarWalls(anchor: number, step: CalendarStep, terms: Terms): WallSource {
  const anchorDay = Math.floor(anchor / DAY_SECONDS);
  const time = anchor - anchorDay * DAY_SECONDS;
  const from = civilDate(anchorDay);
  const meanDays = step.months * MONTH_DAYS + step.days;

  function wall(term: number): number {
    const month = from.month - 1 + term * step.months;
    const year = from.year + Math.floor(month / 12);
    const inYear = (((month % 12) + 12) % 12) + 1;
    const day = Math.min(from.day, daysInMonth(year, inYear));
    return (dayNumber(year, inYear, day) + term * step.days) * DAY_SECONDS + time;
  }

  /** A term that is certainly before the wall time, near it. */
  function termBefore(at: number): number {
    return Math.floor(((at - anchor) / DAY_SECONDS - SLACK_DAYS) / meanDays) - 1;
  }

  return {
    next(at) {
      let term = Math.max(terms.first, termBefore(at));
      while (term <= terms.last && wall(term) < at) term += 1;
      return term <= terms.last ? wall(term) : Infinity;
    },
    prev(at) {
      let term = Math.min(terms.last, termBefore(at));
      if (term < terms.first) term = terms.first;
      if (term > terms.last || wall(term) > at) return -Infinity;
      while (term < terms.last && wall(term + 1) <= at) term += 1;
      return wall(term);
    },
  };
}

/** A single instant (UTC milliseconds). */
export function onceSource(at: number): Source {
  return elapsedSource(at, 1, { first: 0, last: 0 });
}
