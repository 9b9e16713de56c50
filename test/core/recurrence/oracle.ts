import type { DstPolicy } from '../../../lambdas/core/recurrence/index.ts';

/**
 * A slow, obviously right walker to hold the planner against. It looks at every step of a stretch of time, asks Intl
 * what clocks show, and compares that with the fields one by one. It shares no code with the planner.
 */
export interface Clock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** A step at which clocks show a time, and whether it is the only one, or which of two. */
interface Shown {
  readonly at: number;
  readonly clock: Clock;
  readonly pass: 'only' | 'first' | 'second';
  /** Milliseconds between the passes. */
  readonly apart: number;
}

/** A time that clocks jump over: what they would have shown, the jump, and the first instant after it. */
interface Skipped {
  readonly clock: Clock;
  readonly jump: number;
  readonly after: number;
  /** The instant as far after the gap as the time is into it. */
  readonly shifted: number;
}

export interface Walk {
  readonly shown: readonly Shown[];
  readonly skipped: readonly Skipped[];
  readonly hasOverlap: boolean;
}

/** What clocks of the zone show at each step of [start, end), and what they skip. */
export function walk(zone: string, start: number, end: number, step: number): Walk {
  const walls = wallsOf(zone, start, end, step);
  const indexes = new Map<number, number[]>();
  walls.forEach((wall, index) => {
    const known = indexes.get(wall);
    if (known) known.push(index);
    else indexes.set(wall, [index]);
  });
  const shown = walls.map((wall, index): Shown => {
    const [first = 0, second] = indexes.get(wall) ?? [];
    const pass = second === undefined ? 'only' : index === first ? 'first' : 'second';
    const apart = second === undefined ? 0 : (second - first) * step;
    return { at: start + index * step, clock: clockOf(wall), pass, apart };
  });
  const skipped = walls.flatMap((wall, index): Skipped[] => {
    const expected = (walls[index - 1] ?? wall - step) + step;
    const after = start + index * step;
    const count = Math.max(0, (wall - expected) / step);
    return Array.from({ length: count }, (_, missing) => ({
      clock: clockOf(expected + missing * step),
      jump: wall - expected,
      after,
      shifted: after + missing * step,
    }));
  });
  return { shown, skipped, hasOverlap: shown.some(({ pass }) => pass !== 'only') };
}

/** The wall times as if they were UTC, in milliseconds. */
export function wallsOf(zone: string, start: number, end: number, step: number): number[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const walls: number[] = [];
  for (let at = start; at < end; at += step) {
    const [month, day, year, hour, minute, second] = format.format(at).match(/\d+/g) ?? [];
    walls.push(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
  }
  return walls;
}

export function clockOf(wall: number): Clock {
  const date = new Date(wall);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

export interface OracleRule extends DstPolicy {
  /** Jumps of three hours and more follow real time. */
  readonly longFollowsRealTime: boolean;
}

const LONG = 3 * 3_600_000;

/** The instants in the walk at which `matches` fires under the rule; its edges are there for context. */
export function fireTimes(
  { shown, skipped }: Walk,
  matches: (clock: Clock) => boolean,
  rule: OracleRule,
): number[] {
  const isLong = (jump: number): boolean => jump >= LONG && rule.longFollowsRealTime;
  const fires = new Set<number>();
  for (const { at, clock, pass, apart } of shown) {
    const runs = pass === 'only' || pass === rule.overlap || rule.overlap === 'both' || isLong(apart);
    if (runs && matches(clock)) fires.add(at);
  }
  for (const { clock, jump, after, shifted } of skipped) {
    if (rule.gap === 'skip' || isLong(jump) || !matches(clock)) continue;
    fires.add(rule.gap === 'shift' ? shifted : after);
  }
  return [...fires].sort((a, b) => a - b);
}
