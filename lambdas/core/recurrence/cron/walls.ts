import type { WallSource } from '../source.ts';
import { DAY_SECONDS } from '../zones/civil.ts';
import { daySet } from './days.ts';
import type { CronFields } from './fields.ts';

/** Wall times of a cron text. The lists of the fields are not empty. */
export interface CronWalls extends WallSource {
  /** The end of the run of matches that `wall`, a match, stands in: the first later second that does not match. */
  runEnd(wall: number): number;
}

export function cronWalls(fields: CronFields): CronWalls {
  const days = daySet(fields.days);
  const hours = stepper(fields.hours, 24);
  const minutes = stepper(fields.minutes, 60);
  const seconds = stepper(fields.seconds, 60);
  const firstTime = hours.first * 3_600 + minutes.first * 60 + seconds.first;
  const lastTime = hours.last * 3_600 + minutes.last * 60 + seconds.last;

  /** The first matching second of the day at or after `time`; -1 when the day has none left. */
  function nextTime(time: number): number {
    const hour = Math.floor(time / 3_600);
    const minute = Math.floor(time / 60) % 60;
    if (hours.next(hour) === hour) {
      if (minutes.next(minute) === minute) {
        const second = seconds.next(time % 60);
        if (second >= 0) return hour * 3_600 + minute * 60 + second;
      }
      const later = minutes.next(minute + 1);
      if (later >= 0) return hour * 3_600 + later * 60 + seconds.first;
    }
    const later = hours.next(hour + 1);
    return later < 0 ? -1 : later * 3_600 + minutes.first * 60 + seconds.first;
  }

  function prevTime(time: number): number {
    const hour = Math.floor(time / 3_600);
    const minute = Math.floor(time / 60) % 60;
    if (hours.next(hour) === hour) {
      if (minutes.next(minute) === minute) {
        const second = seconds.prev(time % 60);
        if (second >= 0) return hour * 3_600 + minute * 60 + second;
      }
      const earlier = minutes.prev(minute - 1);
      if (earlier >= 0) return hour * 3_600 + earlier * 60 + seconds.last;
    }
    const earlier = hours.prev(hour - 1);
    return earlier < 0 ? -1 : earlier * 3_600 + minutes.last * 60 + seconds.last;
  }

  return {
    next(wall) {
      const day = Math.floor(wall / DAY_SECONDS);
      const match = days.next(day);
      if (match > day) return match * DAY_SECONDS + firstTime;
      const time = nextTime(wall - day * DAY_SECONDS);
      return time >= 0 ? day * DAY_SECONDS + time : days.next(day + 1) * DAY_SECONDS + firstTime;
    },
    prev(wall) {
      const day = Math.floor(wall / DAY_SECONDS);
      const match = days.prev(day);
      if (match < day) return match * DAY_SECONDS + lastTime;
      const time = prevTime(wall - day * DAY_SECONDS);
      return time >= 0 ? day * DAY_SECONDS + time : days.prev(day - 1) * DAY_SECONDS + lastTime;
    },
    runEnd(wall) {
      if (!seconds.full) return wall + 1;
      if (!minutes.full) return wall - (wall % 60) + 60;
      if (!hours.full) return wall - (wall % 3_600) + 3_600;
      let day = Math.floor(wall / DAY_SECONDS) + 1;
      // Half a century of matching days in a row is every day.
      for (const last = day + 20_000; day < last && days.has(day); ) day += 1;
      return days.has(day) ? Infinity : day * DAY_SECONDS;
    },
  };
}

/** Constant-time steps through a sorted list of distinct values in [0, size). */
function stepper(values: readonly number[], size: number) {
  const nexts = new Int8Array(size + 1).fill(-1);
  const prevs = new Int8Array(size + 1).fill(-1);
  for (const value of values) {
    nexts[value] = value;
    prevs[value + 1] = value;
  }
  for (let at = size - 1; at >= 0; at -= 1) if (nexts[at] === -1) nexts[at] = nexts[at + 1] ?? -1;
  for (let at = 1; at <= size; at += 1) if (prevs[at] === -1) prevs[at] = prevs[at - 1] ?? -1;
  return {
    first: values[0] ?? 0,
    last: values.at(-1) ?? 0,
    full: values.length === size,
    /** The first value at or after `at`, or -1. */
    next: (at: number): number => nexts[at] ?? -1,
    /** The last value at or before `at`, or -1. */
    prev: (at: number): number => prevs[at + 1] ?? -1,
  };
}
